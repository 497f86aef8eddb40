import type { ApprovalSummary, RunDetail } from "@aiw/contract/views";
import { A } from "@solidjs/router";
import ChevronRight from "lucide-solid/icons/chevron-right";
import { For, type JSX, Show } from "solid-js";
import { bytes, duration, num } from "../../i18n/index.ts";
import { runs as t } from "../../i18n/runs.ts";
import { JsonText, RawText } from "../../ui/json-tree.tsx";
import { RiskBadge } from "../../ui/risk-badge.tsx";
import { CallBadge, RequestBadge } from "../../ui/state-badge.tsx";
import { asksPerson } from "../../ui/tool-target.ts";
import { VisibleText } from "../../ui/visible-text-view.tsx";
import { Why } from "../../ui/why.tsx";
import { outcomeText } from "./step-outcome.ts";
import { type StepGroup, stepGroups } from "./run-steps.ts";

type Call = RunDetail["toolCalls"][number];
const utf8Bytes = (text: string): number => new TextEncoder().encode(text).length;

const CallResult = (props: { readonly call: Call }): JSX.Element => (
  <Show
    when={props.call.result !== null ? { text: props.call.result } : undefined}
    fallback={<p class="text-ink-2">{t("tool.noResult")}</p>}
  >
    {(result) => (
      <>
        <RawText text={result().text} label={t("tool.result")} />
        <Show when={utf8Bytes(result().text) < props.call.resultBytes}>
          <p class="text-meta text-ink-2">
            {t("tool.cut", { shown: num(utf8Bytes(result().text)), total: num(props.call.resultBytes) })}
          </p>
        </Show>
      </>
    )}
  </Show>
);

const CallItem = (props: { readonly call: Call; readonly approval: ApprovalSummary | undefined }): JSX.Element => (
  <li class="px-3 py-2">
    <details class="group">
      <summary class="flex min-h-7 items-start gap-1.5">
        <ChevronRight size={16} class="mt-1 shrink-0 transition-transform group-open:rotate-90" aria-hidden="true" />
        <span class="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
          <code class="mono">
            <VisibleText text={props.call.tool} />
          </code>
          <Show when={props.call.sourceName}>
            {(name) => (
              <span class="text-meta text-ink-2">
                <VisibleText text={name()} />
              </span>
            )}
          </Show>
          <RiskBadge risk={props.call.riskClass} />
          <CallBadge status={props.call.status} asksForInput={asksPerson(props.call.tool)} />
          <Show when={props.call.durationMs !== null ? { ms: props.call.durationMs } : undefined}>
            {(took) => <span class="num text-meta text-ink-2">{duration(took().ms)}</span>}
          </Show>
          <Show when={props.call.resultBytes > 0}>
            <span class="num text-meta text-ink-2">{bytes(props.call.resultBytes)}</span>
          </Show>
        </span>
      </summary>
      <div class="mt-2 flex flex-col gap-2">
        <h3 class="label">{t("tool.arguments")}</h3>
        <JsonText text={props.call.args} />
        <Show when={props.call.explanation}>
          {(explanation) => (
            <>
              <h3 class="label">{t("tool.why")}</h3>
              <Why explanation={explanation()} />
            </>
          )}
        </Show>
        <h3 class="label">{t("tool.result")}</h3>
        <CallResult call={props.call} />
      </div>
    </details>
    <Show when={props.approval}>
      {(approval) => (
        <p class="mt-1 flex flex-wrap items-center gap-2">
          <A class="link" href={`/w/${approval().workspaceId}/approvals/${approval().id}`}>
            {t("tool.approval", { number: String(approval().number) })}
          </A>
          <RequestBadge status={approval().status} byPolicy={approval().allowedByPolicy} />
        </p>
      )}
    </Show>
  </li>
);

const kindWord = (group: StepGroup): string => {
  const kind = group.attempts.at(-1)?.kind ?? null;
  return kind === null ? t("step.unknown") : t(`step.${kind}`);
};

const Step = (props: { readonly group: StepGroup; readonly approvals: readonly ApprovalSummary[] }): JSX.Element => (
  <li class="panel">
    <header class="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-line px-3 py-2">
      <h2 class="font-semibold">
        {t("step.title", { n: String(props.group.step) })} · {kindWord(props.group)}
      </h2>
      <For each={props.group.attempts}>
        {(attempt) => (
          <span class="num flex flex-wrap gap-x-3 text-meta text-ink-2">
            <span>{t("step.attempt", { n: String(attempt.attempt) })}</span>
            <Show when={attempt.queueMs !== null ? { ms: attempt.queueMs } : undefined}>
              {(queue) => <span>{t("step.queue", { ms: duration(queue().ms) })}</span>}
            </Show>
            <span>
              {attempt.endedAt === null
                ? t("step.running")
                : duration(Date.parse(attempt.endedAt) - Date.parse(attempt.startedAt))}
            </span>
            <Show when={attempt.outcome}>{(outcome) => <span>{outcomeText(outcome())}</span>}</Show>
          </span>
        )}
      </For>
    </header>
    <Show when={props.group.calls.length > 0}>
      <ul class="divide-y divide-line">
        <For each={props.group.calls}>
          {(call) => (
            <CallItem call={call} approval={props.approvals.find((approval) => approval.toolCallId === call.id)} />
          )}
        </For>
      </ul>
    </Show>
  </li>
);

/** Steps of a run with attempts, queue delay and tool calls (RUN-17). */
export const RunStepList = (props: { readonly run: RunDetail }): JSX.Element => (
  <Show when={stepGroups(props.run).length > 0} fallback={<p class="text-ink-2">{t("step.none")}</p>}>
    <ol class="flex flex-col gap-3">
      <For each={stepGroups(props.run)}>{(group) => <Step group={group} approvals={props.run.approvals} />}</For>
    </ol>
  </Show>
);
