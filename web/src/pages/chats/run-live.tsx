import type { ApprovalSummary, RunSummary } from "@aiw/contract/views";
import LoaderCircle from "lucide-solid/icons/loader-circle";
import { Show } from "solid-js";
import type { LiveRun } from "../../data/reduce.ts";
import { partWaitsFor } from "../../data/waiting.ts";
import { tChat } from "../../i18n/chat.ts";
import { AiLabel } from "./message-item.tsx";

/** Which step the run is in, in words. */
const phaseText = (run: RunSummary, live: LiveRun, approvals: readonly ApprovalSummary[]): string => {
  const step = Math.max(run.step, live.step);
  if (run.status === "queued") {
    const part = partWaitsFor(run, approvals);
    return tChat(step === 0 ? "step.queued" : part === null ? "step.next" : `step.${part}`);
  }
  if (step === 0 || live.kind === null) return tChat("step.start");
  const attempt = live.attempt > 1 ? ` (${tChat("step.attempt", { n: live.attempt })})` : "";
  if (live.text !== "") return tChat("step.writing", { n: step }) + attempt;
  return tChat(live.kind === "model" ? "step.model" : "step.tools", { n: step }) + attempt;
};

/** The answer under way as raw text, and what is happening; Markdown only once it is complete (CHT-2). */
export const RunLive = (props: {
  readonly run: RunSummary;
  readonly live: LiveRun;
  readonly approvals: readonly ApprovalSummary[];
}) => (
  <Show when={props.run.status === "queued" || props.run.status === "running"}>
    <div class="border-l-2 border-accent pl-4">
      <Show when={props.live.text !== ""}>
        <AiLabel text={tChat("aiWriting")} />
        <p class="whitespace-pre-wrap [overflow-wrap:anywhere]" data-testid="live-text">
          {props.live.text}
        </p>
      </Show>
      <p class="mt-1 flex items-center gap-2 text-meta text-ink-2">
        <LoaderCircle size={14} class="animate-spin" aria-hidden="true" />
        {phaseText(props.run, props.live, props.approvals)}
      </p>
    </div>
  </Show>
);
