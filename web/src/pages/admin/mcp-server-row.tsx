import type { McpDiscovery, McpServer } from "@aiw/contract/views";
import { A } from "@solidjs/router";
import LoaderCircle from "lucide-solid/icons/loader-circle";
import { createEffect, createSignal, For, type JSX, on, Show } from "solid-js";
import { call } from "../../data/client.ts";
import { keys } from "../../data/keys.ts";
import { queryClient } from "../../data/query.ts";
import { de } from "../../i18n/de/mcp.ts";
import { mcp as t } from "../../i18n/mcp.ts";
import { wordCode } from "../../i18n/problems.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { ErrorLine } from "../../ui/error-panel.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { toast } from "../../ui/toast.tsx";
import { VisibleText } from "../../ui/visible-text-view.tsx";
import { createAction } from "../settings/save.ts";
import { RemoveForm, TokenForm } from "./mcp-forms.tsx";

type SkipReason = Exclude<keyof typeof de.skipped, "title" | "other">;
const skipWord = (reason: string): string =>
  reason !== "title" && Object.hasOwn(de.skipped, reason) ? t(`skipped.${reason as SkipReason}`) : t("skipped.other");

const CHANGES = ["added", "reset", "returned", "missing"] as const satisfies readonly (keyof McpDiscovery["changes"])[];

/** What came of the last fetch, in words of ours; names are the server's and shown with their hidden characters. */
const Report = (props: { readonly report: McpDiscovery }): JSX.Element => (
  <div class="flex flex-col gap-2">
    <p class="text-meta text-ink-2">
      {t("serverSays")}: <VisibleText text={`${props.report.serverName} ${props.report.serverVersion}`} /> ·{" "}
      {t("protocol")} {props.report.protocolVersion}
    </p>
    <Show when={CHANGES.some((kind) => props.report.changes[kind].length > 0)}>
      <div>
        <p class="label">{t("changes.title")}</p>
        <dl>
          <For each={CHANGES.filter((kind) => props.report.changes[kind].length > 0)}>
            {(kind) => (
              <div class="flex flex-wrap gap-x-2">
                <dt class="text-ink-2">{t(`changes.${kind}`)}:</dt>
                <dd class="mono [overflow-wrap:anywhere]">{props.report.changes[kind].join(", ")}</dd>
              </div>
            )}
          </For>
        </dl>
      </div>
    </Show>
    <Show when={props.report.incomplete !== null}>
      <p class="text-warn">{t("incomplete")}</p>
    </Show>
    <Show when={props.report.skipped.length > 0}>
      <details>
        <summary class="min-h-6">{t("skipped.title", props.report.skipped.length)}</summary>
        <ul class="list-disc pl-5">
          <For each={props.report.skipped}>
            {(tool) => (
              <li class="[overflow-wrap:anywhere]">
                <code class="mono">
                  <VisibleText text={tool.name} />
                </code>
                : {skipWord(tool.reason)}
              </li>
            )}
          </For>
        </ul>
      </details>
    </Show>
  </div>
);

const Instructions = (props: { readonly title: string; readonly text: string }): JSX.Element => (
  <details>
    <summary class="min-h-6">{props.title}</summary>
    <p class="mt-1 border-l-2 border-line pl-2 whitespace-pre-wrap text-ink-2 [overflow-wrap:anywhere]">
      <VisibleText text={props.text} />
    </p>
  </details>
);

const tokenText = (last4: string | null): string => {
  if (last4 === null) return t("noToken");
  return last4 === "" ? t("tokenStored") : t("token", { last4 });
};

const State = (props: { readonly server: McpServer }): JSX.Element => (
  <div role="status">
    <Show
      when={props.server.fetching}
      fallback={
        <Show when={props.server.lastDiscoveryAt} fallback={<p class="text-ink-2">{t("never")}</p>}>
          {(at) => (
            <Show
              when={props.server.lastDiscovery?.ok !== false}
              fallback={
                <p class="text-neg">
                  {t("failed")} <RelativeTime at={at()} />: {wordCode(props.server.lastDiscovery?.code) ?? ""}{" "}
                  <span class="text-ink-2">{t("failedHint")}</span>
                </p>
              }
            >
              <p class="text-ink-2">
                {t("lastFetch")} <RelativeTime at={at()} />
              </p>
            </Show>
          )}
        </Show>
      }
    >
      <p class="flex items-center gap-1.5 text-info">
        <LoaderCircle size={16} class="animate-spin" aria-hidden="true" />
        {t("fetching")}
      </p>
    </Show>
  </div>
);

/** One registered server: its state, what it brought, and what can be done with it. */
export const ServerRow = (props: { readonly server: McpServer }): JSX.Element => {
  const [open, setOpen] = createSignal<"token" | "remove">();
  const fetching = createAction();
  const refresh = (): void => void queryClient.invalidateQueries({ queryKey: keys.adminMcp });
  createEffect(
    on(
      () => props.server.fetching,
      (now, before) => {
        if (before === true && !now) void queryClient.invalidateQueries({ queryKey: keys.adminTools });
      },
    ),
  );
  const fetchTools = async (): Promise<void> => {
    await fetching.run(async () => {
      await call("fetchMcpTools", { params: { serverId: props.server.id } });
      await queryClient.invalidateQueries({ queryKey: keys.adminMcp });
    });
  };
  const done = (text: string) => (): void => {
    setOpen(undefined);
    toast(text);
    refresh();
  };
  return (
    <li class="flex flex-col gap-2 px-4 py-3">
      <div class="flex flex-wrap items-start gap-x-6 gap-y-2">
        <div class="min-w-0 flex-1 basis-72">
          <p class="flex flex-wrap items-baseline gap-x-3">
            <code class="mono font-semibold">{props.server.name}</code>
            <span class="text-meta text-ink-2">
              {t(`purpose.${props.server.purpose}`)} · {tokenText(props.server.secretLast4)}
            </span>
          </p>
          <code class="mono text-ink-2 [overflow-wrap:anywhere]">{props.server.url}</code>
          <State server={props.server} />
        </div>
        <p class="flex flex-col text-meta">
          <A class="link" href={`/admin/tools${props.server.tools.unclassified > 0 ? "?filter=unclassified" : ""}`}>
            {t("toolCount", props.server.tools.total)}
          </A>
          <Show when={props.server.tools.unclassified > 0}>
            <span class="text-warn">{t("unclassified", props.server.tools.unclassified)}</span>
          </Show>
          <Show when={props.server.tools.missing > 0}>
            <span class="text-ink-2">{t("missing", props.server.tools.missing)}</span>
          </Show>
        </p>
        <div class="flex flex-wrap gap-2">
          <button
            type="button"
            class="btn btn-sm"
            aria-label={t("fetchOf", { name: props.server.name })}
            aria-disabled={fetching.busy() || props.server.fetching}
            onClick={() => void (props.server.fetching || fetchTools())}
          >
            {t("fetch")}
          </button>
          <button
            type="button"
            class="btn btn-sm"
            aria-label={t("replaceTokenOf", { name: props.server.name })}
            onClick={() => setOpen("token")}
          >
            {t("replaceToken")}
          </button>
          <button
            type="button"
            class="btn btn-sm btn-danger"
            aria-label={t("removeOf", { name: props.server.name })}
            onClick={() => setOpen("remove")}
          >
            {t("remove")}
          </button>
        </div>
      </div>
      <ErrorLine error={fetching.failure()} />
      <Show when={props.server.lastDiscovery?.ok === true ? props.server.lastDiscovery : null}>
        {(report) => <Report report={report()} />}
      </Show>
      <Show when={props.server.instructions}>{(text) => <Instructions title={t("instructions")} text={text()} />}</Show>
      <Show when={props.server.previousInstructions}>
        {(text) => <Instructions title={t("instructionsBefore")} text={text()} />}
      </Show>
      <Dialog
        open={open() === "token"}
        onOpenChange={(next) => setOpen(next ? "token" : undefined)}
        title={t("replaceTokenOf", { name: props.server.name })}
        description={t("replaceTokenHint")}
      >
        <TokenForm server={props.server} onDone={done(t("tokenSaved"))} onCancel={() => setOpen(undefined)} />
      </Dialog>
      <Dialog
        open={open() === "remove"}
        onOpenChange={(next) => setOpen(next ? "remove" : undefined)}
        title={t("removeTitle", { name: props.server.name })}
        description={t("removeHint")}
      >
        <RemoveForm
          server={props.server}
          onDone={done(t("removed", { name: props.server.name }))}
          onCancel={() => setOpen(undefined)}
        />
      </Dialog>
    </li>
  );
};
