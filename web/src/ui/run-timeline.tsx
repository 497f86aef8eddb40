import type { RunStatus } from "@aiw/contract/runs";
import { For, type JSX, Show } from "solid-js";
import { duration, exactTime, t as words, timeOfDay } from "../i18n/index.ts";
import { runs as t } from "../i18n/runs.ts";
import { isWait, type Phase, positionOf, type Segment, timeline } from "./run-timeline-model.ts";

/** A bar below the phases, such as a step of the run. */
export interface TimelineBar {
  readonly label: string;
  readonly detail: string;
  readonly startedAt: string;
  readonly endedAt: string | null;
}

const FILL: Readonly<Record<RunStatus, string>> = {
  queued: "bg-mute-bg border-mute",
  running: "bg-accent border-accent",
  waiting_approval: "bg-warn-bg border-warn",
  waiting_input: "bg-warn-bg border-warn",
  needs_reconciliation: "bg-neg-bg border-neg",
  completed: "bg-pos-bg border-pos",
  failed: "bg-neg-bg border-neg",
  cancelled: "bg-mute-bg border-mute",
  blocked_by_guardrail: "bg-hold-bg border-hold",
};

const HATCHED = "border-dashed bg-[repeating-linear-gradient(135deg,transparent_0_5px,var(--line-strong)_5px_6px)]";

const describe = (segment: Segment): string => {
  const values = { status: words(`run.${segment.status}`), duration: duration(segment.durationMs) };
  return segment.compressed ? t("timeline.gap", values) : t("timeline.stretch", values);
};

function Stretch(props: { readonly segment: Segment }): JSX.Element {
  return (
    <div
      class={`absolute inset-y-0 min-w-0.5 border ${FILL[props.segment.status]} ${isWait(props.segment.status) ? HATCHED : ""}`}
      style={{ left: `${String(props.segment.left)}%`, width: `${String(props.segment.width)}%` }}
      title={describe(props.segment)}
    />
  );
}

function PhaseTable(props: { readonly segments: readonly Segment[] }): JSX.Element {
  return (
    <table class="mt-4 w-full text-left">
      <thead class="label">
        <tr>
          <th class="py-1 pr-3 font-medium">{t("timeline.column.phase")}</th>
          <th class="py-1 pr-3 font-medium">{t("timeline.column.from")}</th>
          <th class="py-1 text-right font-medium">{t("timeline.column.duration")}</th>
        </tr>
      </thead>
      <tbody>
        <For each={props.segments}>
          {(segment) => (
            <tr class="border-t border-line">
              <td class="py-1 pr-3">
                <span
                  class={`mr-2 inline-block size-2.5 rounded-full border ${FILL[segment.status]}`}
                  aria-hidden="true"
                />
                {words(`run.${segment.status}`)}
              </td>
              <td class="num py-1 pr-3 whitespace-nowrap text-ink-2">
                <time datetime={new Date(segment.startMs).toISOString()} title={exactTime(segment.startMs)}>
                  {timeOfDay(segment.startMs)}
                </time>
              </td>
              <td class="num py-1 text-right whitespace-nowrap">{duration(segment.durationMs)}</td>
            </tr>
          )}
        </For>
      </tbody>
    </table>
  );
}

/**
 * The states of a run along time, long waits drawn short and hatched, the steps below on the same axis (RUN-17).
 * The picture is repeated as a table, so that nothing is told by it alone.
 */
export function RunTimeline(props: {
  readonly phases: readonly Phase[];
  readonly bars: readonly TimelineBar[];
  readonly nowMs: number;
}): JSX.Element {
  const line = () => timeline(props.phases, props.nowMs);
  const left = (bar: TimelineBar): number => positionOf(line(), Date.parse(bar.startedAt));
  const right = (bar: TimelineBar): number =>
    positionOf(line(), bar.endedAt === null ? props.nowMs : Date.parse(bar.endedAt));
  return (
    <Show when={line().segments.length > 0} fallback={<p class="text-ink-2">{t("timeline.empty")}</p>}>
      <figure class="flex flex-col gap-2" aria-label={t("timeline.label")}>
        <div class="relative h-7 overflow-hidden rounded-control bg-sunken" aria-hidden="true">
          <For each={line().segments}>{(segment) => <Stretch segment={segment} />}</For>
        </div>
        <div class="flex flex-col gap-1" aria-hidden="true">
          <For each={props.bars}>
            {(bar) => (
              <div class="relative h-5 rounded-badge bg-sunken text-meta" title={`${bar.label} · ${bar.detail}`}>
                <div
                  class="absolute inset-y-1 min-w-1 rounded-badge bg-accent"
                  style={{ left: `${String(left(bar))}%`, width: `${String(Math.max(0, right(bar) - left(bar)))}%` }}
                />
                <span
                  class={`absolute inset-y-0 flex items-center px-1.5 whitespace-nowrap text-ink-2 ${right(bar) > 70 ? "justify-end" : ""}`}
                  style={
                    right(bar) > 70 ? { right: `${String(100 - left(bar))}%` } : { left: `${String(right(bar))}%` }
                  }
                >
                  {bar.label}
                </span>
              </div>
            )}
          </For>
        </div>
        <figcaption class="text-meta text-ink-2">{t("timeline.hint")}</figcaption>
      </figure>
      <PhaseTable segments={line().segments} />
    </Show>
  );
}
