import type { RunStatus } from "@aiw/contract/runs";

export interface Phase {
  readonly status: RunStatus;
  readonly at: string;
}

/** A stretch of the timeline; `left` and `width` in percent of the whole. */
export interface Segment {
  readonly status: RunStatus;
  readonly startMs: number;
  readonly endMs: number;
  readonly durationMs: number;
  readonly left: number;
  readonly width: number;
  /** The stretch is drawn shorter than it was: a hatched break. */
  readonly compressed: boolean;
}

export interface Timeline {
  readonly segments: readonly Segment[];
  readonly startMs: number;
  readonly endMs: number;
  /** Work and waiting apart, so that a night without a decision does not count as work. */
  readonly workMs: number;
  readonly waitMs: number;
}

const FINAL: readonly RunStatus[] = ["completed", "failed", "cancelled", "blocked_by_guardrail"];
const WAITS: readonly RunStatus[] = ["queued", "waiting_approval", "waiting_input", "needs_reconciliation"];

export const isWait = (status: RunStatus): boolean => WAITS.includes(status) || FINAL.includes(status);

/** No break takes more than this share of the width of all work. */
const BREAK_SHARE = 0.15;
/** Waits up to here are drawn to scale. */
const MIN_BREAK_MS = 20;

/**
 * Lays a run's states out on an axis in which long waits are cut (RUN-17).
 *
 * @param phases states with the instant each began, in order
 * @param nowMs what "until now" means for a run that has not ended, milliseconds
 */
export function timeline(phases: readonly Phase[], nowMs: number): Timeline {
  const starts = phases.map((phase) => Date.parse(phase.at));
  const spans = phases
    .map((phase, i) => {
      const start = starts[i] ?? nowMs;
      const isFinal = FINAL.includes(phase.status);
      const end = starts[i + 1] ?? (isFinal ? start : Math.max(start, nowMs));
      return { status: phase.status, startMs: start, endMs: Math.max(start, end) };
    })
    .filter((span) => span.endMs > span.startMs);
  const sum = (waits: boolean): number =>
    spans.filter((span) => isWait(span.status) === waits).reduce((total, span) => total + span.endMs - span.startMs, 0);
  const workMs = sum(false);
  const longest = Math.max(MIN_BREAK_MS, workMs * BREAK_SHARE);
  const drawn = spans.map((span) => {
    const durationMs = span.endMs - span.startMs;
    const compressed = isWait(span.status) && durationMs > longest;
    return { ...span, durationMs, compressed, length: compressed ? longest : durationMs };
  });
  const total = drawn.reduce((all, span) => all + span.length, 0);
  let left = 0;
  const segments = drawn.map(({ length, ...span }) => {
    const width = total === 0 ? 0 : (length / total) * 100;
    const segment = { ...span, left, width };
    left += width;
    return segment;
  });
  return {
    segments,
    startMs: starts[0] ?? nowMs,
    endMs: segments.at(-1)?.endMs ?? starts[0] ?? nowMs,
    workMs,
    waitMs: sum(true),
  };
}

/** Where an instant lies on the compressed axis, in percent. */
export function positionOf(line: Timeline, atMs: number): number {
  for (const segment of line.segments) {
    if (atMs > segment.endMs) continue;
    const share = (atMs - segment.startMs) / segment.durationMs;
    return segment.left + Math.max(0, share) * segment.width;
  }
  return 100;
}
