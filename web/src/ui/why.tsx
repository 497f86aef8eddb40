import type { ConditionReport, Explanation } from "@aiw/contract/explanation";
import { For, type JSX, Show } from "solid-js";
import { plainCondition } from "../i18n/condition.ts";
import { conditionErrorText, explain, policy as t } from "../i18n/policy.ts";
import { DecisionBadge } from "./decision-badge.tsx";
import { VisibleText } from "./visible-text-view.tsx";
import { readText, wouldHaveRun } from "./why-model.ts";

const TONE = { true: "text-warn", false: "text-ink-2", error: "text-neg" } as const;

/** Each comparison that was needed, with the values it saw. Values are the call's own: shown as they are, never as markup. */
const Trace = (props: { readonly report: ConditionReport }): JSX.Element => (
  <div>
    <p class="label">{t("why.trace")}</p>
    <ul class="flex flex-col gap-1">
      <For each={props.report.trace}>
        {(step) => (
          <li class="[overflow-wrap:anywhere]">
            <code class="mono">{plainCondition(step.text)}</code>{" "}
            <span class={TONE[step.outcome]}>
              {t(`why.outcome.${step.outcome}`)}
              {step.errorCode === undefined ? "" : ` (${conditionErrorText(step.errorCode)})`}
            </span>
            <For each={step.reads}>
              {(read) => (
                <span class="block pl-3 font-mono text-meta text-ink-2">
                  {plainCondition(read.path)} = <VisibleText text={readText(read)} />
                </span>
              )}
            </For>
          </li>
        )}
      </For>
    </ul>
  </div>
);

/** What would have made it automatic: any of the entries, all sentences of one. */
const Instead = (props: { readonly report: ConditionReport; readonly automatic: boolean }): JSX.Element => (
  <div>
    <p class="label">{props.automatic ? t("why.automatic") : t("why.silent")}</p>
    <ul class="flex flex-col gap-0.5">
      <For each={props.report.counterfactual}>
        {(sentences, index) => (
          <li class="[overflow-wrap:anywhere]">
            <Show when={index() > 0}>{t("why.or")} </Show>
            <For each={sentences}>
              {(sentence, at) => (
                <>
                  <Show when={at() > 0}> {t("why.and")} </Show>
                  <code class="mono">{plainCondition(sentence)}</code>
                </>
              )}
            </For>
          </li>
        )}
      </For>
    </ul>
  </div>
);

/** Every level that had a say, in order, with what it asked for (POL-3); the conditions that decided nothing with their values. */
const Chain = (props: { readonly explanation: Explanation; readonly open: boolean }): JSX.Element => (
  <Show when={(props.explanation.steps ?? []).length > 1}>
    <details open={props.open}>
      <summary class="min-h-6 text-meta text-ink-2">{t("why.chain")}</summary>
      <ol class="mt-1 flex flex-col gap-1.5">
        <For each={props.explanation.steps}>
          {(step) => (
            <li class="flex flex-wrap items-start gap-x-2 gap-y-0.5 [overflow-wrap:anywhere]">
              <DecisionBadge decision={step.decision} />
              <div class="min-w-0 flex-1 basis-48 text-ink-2">
                {explain(step)}
                <Show when={step.ruleId !== props.explanation.ruleId && step.condition}>
                  {(report) => (
                    <Show when={report().trace.length > 0}>
                      <Trace report={report()} />
                    </Show>
                  )}
                </Show>
              </div>
            </li>
          )}
        </For>
      </ol>
    </details>
  </Show>
);

/** Why am I asked, and what would have made it automatic (POL-2, POL-7). `open`: with every level at once. */
export const Why = (props: { readonly explanation: Explanation; readonly open?: boolean }): JSX.Element => (
  <div class="flex flex-col gap-2">
    <p class="[overflow-wrap:anywhere]">{explain(props.explanation)}</p>
    <Show when={props.explanation.condition}>
      {(report) => (
        <>
          <Show when={report().trace.length > 0}>
            <Trace report={report()} />
          </Show>
          <Show when={report().counterfactual.length > 0}>
            <Instead report={report()} automatic={wouldHaveRun(props.explanation)} />
          </Show>
        </>
      )}
    </Show>
    <Chain explanation={props.explanation} open={props.open === true} />
  </div>
);
