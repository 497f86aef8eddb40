import type { Source } from "@aiw/contract/views";
import Check from "lucide-solid/icons/check";
import Circle from "lucide-solid/icons/circle";
import LoaderCircle from "lucide-solid/icons/loader-circle";
import X from "lucide-solid/icons/x";
import { For, type JSX, Match, Show, Switch } from "solid-js";
import { de as mcpWords } from "../../i18n/de/mcp.ts";
import { de } from "../../i18n/de/sources.ts";
import { bytes, num } from "../../i18n/index.ts";
import { mcp } from "../../i18n/mcp.ts";
import { wordCode } from "../../i18n/problems.ts";
import { sources as t } from "../../i18n/sources.ts";
import { uploads } from "../../i18n/uploads.ts";
import { VisibleText } from "../../ui/visible-text-view.tsx";

type Report = NonNullable<Source["lastTest"]>;
type Stage = Report["stages"][number];

/** All stages in the order they are tried; not every kind of source tries to write. */
const STAGES = ["address", "reach", "login", "list", "read", "write"] as const satisfies readonly Stage["stage"][];
/** What is tried in any case; a server's list of tools is all that is read there. */
const ALWAYS: Readonly<Record<Source["kind"], readonly Stage["stage"][]>> = {
  git: STAGES.filter((stage) => stage !== "write"),
  mcp: ["address", "reach", "login", "list"],
  uploads: ["reach", "read"],
};
const stageText = (kind: Source["kind"], stage: Stage["stage"]): string => {
  if (kind === "uploads" && (stage === "reach" || stage === "read")) return uploads(`stage.${stage}`);
  return kind === "mcp" && stage === "list" ? mcp("source.listStage") : t(`test.stage.${stage}`);
};

type NextKey = keyof typeof de.test.next;
const isNext = (code: string): code is NextKey => Object.hasOwn(de.test.next, code);
type FactKey = keyof typeof de.test.fact;
const isFact = (key: string): key is FactKey => Object.hasOwn(de.test.fact, key);

type WarningKey = keyof typeof de.test.warning;
const isWarning = (code: string): code is WarningKey => Object.hasOwn(de.test.warning, code);
type McpWarning = keyof typeof mcpWords.warning;
const isMcpWarning = (code: string): code is McpWarning => Object.hasOwn(mcpWords.warning, code);
const warningText = (code: string): string => {
  if (isMcpWarning(code)) return mcp(`warning.${code}`);
  return isWarning(code) ? t(`test.warning.${code}`) : (wordCode(code) ?? code);
};

/** What is to be done at a server that the platform registered is not what is done at a repository. */
const nextText = (kind: Source["kind"], code: string): string => {
  if (kind === "mcp" && code === "source_host_not_allowed") return mcp("source.hostHint");
  if (code === "mcp_server_removed") return mcp("source.removedHint");
  if (code === "mcp_protocol" || code === "mcp_version") return mcp("source.protocolHint");
  return t(`test.next.${isNext(code) ? code : "other"}`);
};
const failureText = (code: string): string =>
  code === "mcp_server_removed" ? mcp("source.removed") : (wordCode(code) ?? code);

type McpFact = keyof typeof mcpWords.fact;
const isMcpFact = (key: string): key is McpFact => Object.hasOwn(mcpWords.fact, key);
const factName = (key: string): string => {
  if (key === "tables") return uploads("tables");
  if (isMcpFact(key)) return mcp(`fact.${key}`);
  return isFact(key) ? t(`test.fact.${key}`) : key;
};

const factText = (key: string, value: unknown): string => {
  if (key === "bytes" && typeof value === "number") return bytes(value);
  if (typeof value === "number") return num(value);
  if (typeof value === "boolean") return value ? t("test.yes") : t("test.no");
  if (typeof value === "string") return /^[0-9a-f]{40}$/.test(value) ? value.slice(0, 12) : value;
  return JSON.stringify(value);
};

const Facts = (props: { readonly stage: Stage }): JSX.Element => (
  <For each={Object.entries(props.stage.facts ?? {})}>
    {(entry) => (
      <span class="text-meta text-ink-2 [overflow-wrap:anywhere]">
        {factName(entry[0])}:{" "}
        <span class="font-mono">
          <VisibleText text={factText(entry[0], entry[1])} />
        </span>
      </span>
    )}
  </For>
);

const Line = (props: {
  readonly kind: Source["kind"];
  readonly name: Stage["stage"];
  readonly result: Stage | undefined;
  readonly running: boolean;
}): JSX.Element => {
  const code = (): string => props.result?.code ?? "";
  return (
    <li class="flex items-start gap-2 py-1.5">
      <span class="mt-0.5 shrink-0" aria-hidden="true">
        <Switch fallback={<Circle size={16} class="text-ink-3" />}>
          <Match when={props.running}>
            <LoaderCircle size={16} class="animate-spin text-info" />
          </Match>
          <Match when={props.result?.ok === true}>
            <Check size={16} class="text-pos" />
          </Match>
          <Match when={props.result?.ok === false}>
            <X size={16} class="text-neg" />
          </Match>
        </Switch>
      </span>
      <div class="min-w-0">
        <span class="flex flex-wrap gap-x-3">
          <span class={props.result?.ok === false ? "font-medium text-neg" : ""}>
            {stageText(props.kind, props.name)}
          </span>
          <Show when={props.running}>
            <span class="text-ink-2">{t("test.pending")}</span>
          </Show>
          <Show when={!props.running && props.result === undefined}>
            <span class="text-ink-2">{t("test.notReached")}</span>
          </Show>
          <Show when={!props.running && props.result}>{(result) => <Facts stage={result()} />}</Show>
        </span>
        <Show when={!props.running && props.result?.ok === false}>
          <p>{failureText(code())}</p>
          <p class="text-ink-2">{nextText(props.kind, code())}</p>
        </Show>
      </div>
    </li>
  );
};

/** The test stage by stage; a failed one says what to do next (SRC-2). Stages that were not reached say so. */
export const TestStages = (props: {
  readonly kind: Source["kind"];
  readonly report: Report | null;
  readonly running: boolean;
}): JSX.Element => {
  const result = (name: Stage["stage"]): Stage | undefined =>
    props.report?.stages.find((stage) => stage.stage === name);
  const shown = (): readonly Stage["stage"][] => {
    const always = ALWAYS[props.kind];
    if (props.running) return always;
    return STAGES.filter((name) => result(name) !== undefined || (props.report?.ok === false && always.includes(name)));
  };
  return (
    <>
      <p role="status" class="font-medium">
        <Switch>
          <Match when={props.running}>{t("test.running")}</Match>
          <Match when={props.report?.ok === true}>
            <span class="text-pos">{t("test.ok")}</span>
          </Match>
          <Match when={props.report?.ok === false}>
            <span class="text-neg">{t("test.failed")}</span>
          </Match>
        </Switch>
      </p>
      <Show when={props.running || props.report !== null} fallback={<p class="text-ink-2">{t("test.never")}</p>}>
        <ol class="mt-1">
          <For each={shown()}>
            {(name) => (
              <Line
                kind={props.kind}
                name={name}
                result={props.running ? undefined : result(name)}
                running={props.running}
              />
            )}
          </For>
        </ol>
      </Show>
      <Show when={!props.running && (props.report?.warnings.length ?? 0) > 0}>
        <h3 class="label mt-3">{t("test.warnings")}</h3>
        <ul class="mt-1 list-disc pl-5 text-warn">
          <For each={props.report?.warnings}>{(warning) => <li>{warningText(warning)}</li>}</For>
        </ul>
      </Show>
    </>
  );
};
