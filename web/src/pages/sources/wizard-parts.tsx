import type { Source } from "@aiw/contract/views";
import { A } from "@solidjs/router";
import { useQuery } from "@tanstack/solid-query";
import Check from "lucide-solid/icons/check";
import FolderGit2 from "lucide-solid/icons/folder-git-2";
import FileSpreadsheet from "lucide-solid/icons/file-spreadsheet";
import Plug from "lucide-solid/icons/plug";
import { For, type JSX, Show } from "solid-js";
import { Dynamic } from "solid-js/web";
import { call } from "../../data/client.ts";
import { keys } from "../../data/keys.ts";
import { mcp } from "../../i18n/mcp.ts";
import { sources as t } from "../../i18n/sources.ts";
import { uploads } from "../../i18n/uploads.ts";
import { ErrorLine } from "../../ui/error-panel.tsx";
import type { SourceTest } from "./source-test.ts";
import { TestStages } from "./test-stages.tsx";

const KINDS = [
  { kind: "git", icon: FolderGit2 },
  { kind: "mcp", icon: Plug },
  { kind: "uploads", icon: FileSpreadsheet },
] as const satisfies readonly { readonly kind: Source["kind"]; readonly icon: unknown }[];

const kindName = (kind: Source["kind"]): string =>
  kind === "uploads" ? uploads("card.uploads") : mcp(`source.${kind}`);
const kindHint = (kind: Source["kind"]): string =>
  kind === "uploads" ? uploads("card.hint") : mcp(`source.${kind}Hint`);

/** What kind of source is connected, as cards. */
export const KindCards = (props: {
  readonly kind: Source["kind"];
  readonly onPick: (kind: Source["kind"]) => void;
}): JSX.Element => (
  <fieldset>
    <legend class="label mb-1">{mcp("source.kindLabel")}</legend>
    <div class="grid gap-2 md:grid-cols-3">
      <For each={KINDS}>
        {({ kind, icon }) => (
          <label
            class={`flex cursor-pointer items-start gap-2 rounded-control border p-3 ${props.kind === kind ? "border-accent bg-sunken" : "border-line-strong"}`}
          >
            <input
              type="radio"
              name="source-kind"
              class="mt-0.5 size-4 shrink-0 accent-accent"
              checked={props.kind === kind}
              onChange={() => props.onPick(kind)}
            />
            <Dynamic component={icon} size={16} class="mt-0.5 shrink-0" aria-hidden="true" />
            <span class="min-w-0">
              <span class="block font-medium">{kindName(kind)}</span>
              <span class="block text-meta text-ink-2">{kindHint(kind)}</span>
            </span>
          </label>
        )}
      </For>
    </div>
  </fieldset>
);

/** The steps of a wizard by their words, and which one is at hand. */
export const Progress = (props: { readonly steps: readonly string[]; readonly at: number }): JSX.Element => (
  <ol class="flex flex-wrap gap-x-5 gap-y-1">
    <For each={props.steps}>
      {(step, index) => {
        const done = (): boolean => props.at > index();
        return (
          <li
            aria-current={props.at === index() ? "step" : undefined}
            class={`flex items-center gap-1.5 ${props.at === index() ? "font-semibold text-accent-ink" : "text-ink-2"}`}
          >
            <span
              class={`num inline-flex size-5 items-center justify-center rounded-full border text-meta ${props.at === index() ? "border-accent bg-accent text-on-accent" : "border-line-strong"}`}
            >
              <Show when={done()} fallback={index() + 1}>
                <Check size={12} aria-hidden="true" />
              </Show>
            </span>
            {step}
          </li>
        );
      }}
    </For>
  </ol>
);

/** Result of the first test, live, and where to go from here. */
export const TestStep = (props: {
  readonly workspaceId: string;
  readonly created: Source;
  readonly test: SourceTest;
}): JSX.Element => {
  const query = useQuery(() => ({
    queryKey: keys.source(props.workspaceId, props.created.id),
    queryFn: () => call("getSource", { params: { workspaceId: props.workspaceId, sourceId: props.created.id } }),
    initialData: props.created,
  }));
  const base = (): string => `/w/${props.workspaceId}`;
  const status = (): Source["status"] => query.data?.status ?? "untested";
  return (
    <div class="flex flex-col gap-4">
      <div class="panel p-4">
        <TestStages kind={props.created.kind} report={query.data?.lastTest ?? null} running={props.test.running()} />
        <Show when={props.test.broken()}>
          <p role="alert" class="text-neg">
            {t("test.jobFailed")}
          </p>
        </Show>
        <ErrorLine error={props.test.failure()} />
      </div>
      <Show when={!props.test.running()}>
        <Show when={status() !== "untested"}>
          <p>{status() === "tested" ? t("wizard.done") : t("wizard.failed")}</p>
        </Show>
        <div class="flex flex-wrap gap-2">
          <Show when={status() === "tested" && props.created.kind === "uploads"}>
            <A class="btn btn-primary" href={`${base()}/sources/${props.created.id}`}>
              {uploads("wizard.toUploads")}
            </A>
          </Show>
          <Show when={status() === "tested" && props.created.kind !== "uploads"}>
            <A class="btn btn-primary" href={`${base()}/chats`}>
              {t("wizard.toChats")}
            </A>
          </Show>
          <Show when={status() !== "tested"}>
            <button type="button" class="btn btn-primary" onClick={() => void props.test.start(props.created.id)}>
              {t("test.again")}
            </button>
          </Show>
          <A class="btn" href={`${base()}/sources/${props.created.id}`}>
            {t("wizard.toSource")}
          </A>
          <A class="btn" href={`${base()}/settings?tab=tools`}>
            {t("wizard.toTools")}
          </A>
        </div>
      </Show>
    </div>
  );
};
