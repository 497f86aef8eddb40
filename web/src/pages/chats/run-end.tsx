import type { RunSummary, ToolCall } from "@aiw/contract/views";
import { A } from "@solidjs/router";
import { createSignal, type JSX, Match, Show, Switch } from "solid-js";
import { tChat } from "../../i18n/chat.ts";
import { runErrorDetail, runErrorWord } from "../../i18n/run-errors.ts";
import { ErrorLine } from "../../ui/error-panel.tsx";

interface EndProps {
  readonly run: RunSummary;
  readonly calls: readonly ToolCall[];
  readonly isLast: boolean;
  readonly onResume: () => Promise<void>;
  readonly onContinue: () => void;
}

const changesOf = (calls: readonly ToolCall[]): readonly ToolCall[] => calls.filter((c) => c.riskClass !== "read");
const executed = (calls: readonly ToolCall[]): number => changesOf(calls).filter((c) => c.status === "executed").length;
/** Only where it is certain: no change was executed and none is in doubt. */
const nothingWritten = (calls: readonly ToolCall[]): boolean =>
  changesOf(calls).every((c) => c.status !== "executed" && c.status !== "unknown" && c.status !== "executing");

const TONE = {
  neg: "border-neg bg-neg-bg",
  hold: "border-hold bg-hold-bg",
  mute: "border-line-strong bg-surface",
  warn: "border-warn bg-warn-bg",
} as const;

const Card = (props: { readonly tone: keyof typeof TONE; readonly title: string; readonly children: JSX.Element }) => (
  <section class={`rounded-panel border p-4 ${TONE[props.tone]}`} aria-label={props.title}>
    <p class="font-semibold">{props.title}</p>
    <div class="mt-1 flex flex-col gap-2">{props.children}</div>
  </section>
);

const RunLink = (props: { readonly run: RunSummary }) => (
  <A href={`/w/${props.run.workspaceId}/runs/${props.run.id}`} class="link self-start text-meta">
    {tChat("end.run")}
  </A>
);

const Failed = (props: EndProps) => {
  const [busy, setBusy] = createSignal(false);
  const [error, setError] = createSignal<unknown>(null);
  const resume = async (): Promise<void> => {
    if (busy()) return;
    setBusy(true);
    setError(null);
    try {
      await props.onResume();
    } catch (problem) {
      setError(problem);
    } finally {
      setBusy(false);
    }
  };
  const reason = (): string => runErrorWord(props.run) ?? props.run.errorText ?? "";
  return (
    <Card tone="neg" title={tChat("end.failed")}>
      <p>
        {reason()}
        <Show when={runErrorDetail(props.run)}>
          {(text) => <span class="block text-meta text-ink-2">{text()}</span>}
        </Show>
      </p>
      <p>
        <Switch fallback={tChat("end.failedSome", executed(props.calls))}>
          <Match when={props.run.errorCode === "ended_by_person"}>{tChat("end.failedUnclear")}</Match>
          <Match when={nothingWritten(props.calls)}>{tChat("end.failedNothing")}</Match>
        </Switch>
      </p>
      <Show when={props.run.may.resume && props.isLast}>
        <div class="flex flex-wrap items-center gap-3">
          <button type="button" class="btn" aria-disabled={busy()} onClick={() => void resume()}>
            {tChat("end.resume")}
          </button>
          <span class="text-meta text-ink-2">{tChat("end.resumeHint")}</span>
        </div>
        <ErrorLine error={error()} />
      </Show>
      <RunLink run={props.run} />
    </Card>
  );
};

/** How a run ended when it did not simply answer: what happened, what did not, what can be done. */
export const RunEnd = (props: EndProps) => (
  <Switch>
    <Match when={props.run.status === "failed"}>
      <Failed {...props} />
    </Match>
    <Match when={props.run.status === "cancelled"}>
      <Card tone="mute" title={tChat("end.cancelled")}>
        <p class="text-ink-2">
          {tChat("end.cancelledDone", props.calls.filter((c) => c.status === "executed").length)}
        </p>
        <RunLink run={props.run} />
      </Card>
    </Match>
    <Match when={props.run.status === "blocked_by_guardrail"}>
      <Card tone="hold" title={tChat("end.guardrail")}>
        <p>{tChat("end.guardrailBody", { code: props.run.errorCode === null ? "" : ` (${props.run.errorCode})` })}</p>
        <Show when={props.run.errorText}>{(text) => <p class="text-meta text-ink-2">{text()}</p>}</Show>
        <RunLink run={props.run} />
      </Card>
    </Match>
    <Match when={props.run.status === "needs_reconciliation"}>
      <Card tone="neg" title={tChat("end.reconcile")}>
        <p>{tChat("end.reconcileBody")}</p>
        <Show when={props.run.may.reconcile} fallback={<RunLink run={props.run} />}>
          <A href={`/w/${props.run.workspaceId}/runs/${props.run.id}`} class="btn self-start">
            {tChat("end.reconcileDo")}
          </A>
        </Show>
      </Card>
    </Match>
    <Match when={props.run.status === "completed" && props.run.endReason === "limit_reached"}>
      <Card tone="warn" title={tChat("end.limit")}>
        <p>{tChat("end.limitBody")}</p>
        <Show when={props.isLast && props.run.may.continue}>
          <button type="button" class="btn self-start" onClick={() => props.onContinue()}>
            {tChat("end.continue")}
          </button>
        </Show>
      </Card>
    </Match>
    <Match when={props.run.status === "completed" && props.run.endReason === "rejected"}>
      <Card tone="mute" title={tChat("end.rejected")}>
        <p class="text-ink-2">{tChat("end.rejectedBody")}</p>
        <RunLink run={props.run} />
      </Card>
    </Match>
  </Switch>
);
