import type { WorkspaceTool } from "@aiw/contract/views";
import { useQuery } from "@tanstack/solid-query";
import { For, type JSX, Show } from "solid-js";
import { call } from "../../data/client.ts";
import { keys } from "../../data/keys.ts";
import { queryClient } from "../../data/query.ts";
import { t as words } from "../../i18n/index.ts";
import { explain } from "../../i18n/policy.ts";
import { settings as t } from "../../i18n/settings.ts";
import { DecisionBadge } from "../../ui/decision-badge.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorLine } from "../../ui/error-panel.tsx";
import { QueryPanel } from "../../ui/query-panel.tsx";
import { RiskBadge } from "../../ui/risk-badge.tsx";
import { toast } from "../../ui/toast.tsx";
import { VisibleText } from "../../ui/visible-text-view.tsx";
import { type Action, createAction } from "./save.ts";

const Switch = (props: {
  readonly workspaceId: string;
  readonly tool: WorkspaceTool;
  readonly action: Action;
}): JSX.Element => {
  const flip = async (): Promise<void> => {
    const active = !props.tool.active;
    const done = await props.action.run(async () => {
      await call("setWorkspaceTool", {
        params: { workspaceId: props.workspaceId, toolId: props.tool.id },
        body: { active },
      });
      await queryClient.invalidateQueries({ queryKey: keys.tools(props.workspaceId) });
      void queryClient.invalidateQueries({ queryKey: keys.workspace(props.workspaceId) });
    });
    if (done)
      toast(active ? t("tools.turnedOn", { tool: props.tool.id }) : t("tools.turnedOff", { tool: props.tool.id }));
  };
  return (
    <button
      type="button"
      role="switch"
      aria-checked={props.tool.active}
      aria-label={t("tools.activeOf", { tool: props.tool.id })}
      class="inline-flex min-h-8 items-center gap-2 rounded-control px-1"
      onClick={() => void flip()}
    >
      <span
        aria-hidden="true"
        class={`inline-flex h-5 w-9 items-center rounded-full border p-0.5 ${props.tool.active ? "justify-end border-accent bg-accent" : "justify-start border-line-strong bg-sunken"}`}
      >
        <span class={`size-3.5 rounded-full ${props.tool.active ? "bg-on-accent" : "bg-line-strong"}`} />
      </span>
      <span class="w-7 text-left">{props.tool.active ? t("tools.on") : t("tools.off")}</span>
    </button>
  );
};

const Row = (props: {
  readonly workspaceId: string;
  readonly tool: WorkspaceTool;
  readonly isAdmin: boolean;
  readonly action: Action;
}): JSX.Element => (
  <li class="flex flex-wrap items-start gap-x-4 gap-y-2 px-4 py-3">
    <div class="min-w-0 flex-1 basis-72">
      <div class="flex flex-wrap items-center gap-2">
        <code class="mono font-semibold [overflow-wrap:anywhere]">{props.tool.id}</code>
        <RiskBadge risk={props.tool.riskClass} />
        <DecisionBadge decision={props.tool.decision} />
        <Show when={props.tool.decision === "require_approval"}>
          <span class="text-meta text-ink-2">{t("tools.level", { level: words(`level.${props.tool.level}`) })}</span>
          <Show when={props.tool.fourEyes}>
            <span class="badge border-line-strong text-ink-2">{t("tools.fourEyes")}</span>
          </Show>
        </Show>
      </div>
      <p class="mt-1 text-ink-2">{explain(props.tool.explanation)}</p>
      <details class="mt-1">
        <summary class="min-h-6 text-meta text-ink-2">{t("tools.description")}</summary>
        <p class="mt-1 border-l-2 border-line pl-2 whitespace-pre-wrap text-ink-2 [overflow-wrap:anywhere]">
          <VisibleText text={props.tool.description} />
        </p>
      </details>
    </div>
    <Show
      when={props.tool.riskClass !== null}
      fallback={<span class="text-meta text-ink-2">{t("tools.unclassifiedHint")}</span>}
    >
      <Show
        when={props.isAdmin}
        fallback={<span class="text-ink-2">{props.tool.active ? t("tools.on") : t("tools.off")}</span>}
      >
        <Switch workspaceId={props.workspaceId} tool={props.tool} action={props.action} />
      </Show>
    </Show>
  </li>
);

/** The tools of a workspace: class and decision as the platform set them, on or off as the workspace wants (POL-4, POL-9). */
export const ToolSettings = (props: { readonly workspaceId: string; readonly isAdmin: boolean }): JSX.Element => {
  const query = useQuery(() => ({
    queryKey: keys.tools(props.workspaceId),
    queryFn: () => call("listWorkspaceTools", { params: { workspaceId: props.workspaceId } }),
  }));
  const action = createAction();
  return (
    <section aria-labelledby="tools-title" class="flex flex-col gap-2">
      <h2 id="tools-title" class="text-lg">
        {t("tools.title")}
      </h2>
      <p class="max-w-[70ch] text-ink-2">{t("tools.hint")}</p>
      <ErrorLine error={action.failure()} />
      <QueryPanel query={query} rows={4}>
        {(data) => (
          <Show when={data().items.length > 0} fallback={<EmptyState title={t("tools.empty")} />}>
            <ul class="panel divide-y divide-line">
              <For each={data().items}>
                {(tool) => <Row workspaceId={props.workspaceId} tool={tool} isAdmin={props.isAdmin} action={action} />}
              </For>
            </ul>
          </Show>
        )}
      </QueryPanel>
    </section>
  );
};
