import type { ApprovalDetail, ApprovalSummary } from "@aiw/contract/views";

/** A button that executes something takes no click in its first moments: what just appeared was not read (APR-15). */
export const ARM_MS = 500;

/** What differs between the request on the screen and the request as it is now. */
export type Difference = "status" | "content" | "rights" | null;

/**
 * Whether an open request changed under the reader's eyes. A decided one may follow along: nothing on it can be clicked
 * by mistake.
 */
export function differenceOf(shown: ApprovalDetail, live: ApprovalDetail): Difference {
  if (shown.status !== "pending") return null;
  if (live.status !== "pending") return "status";
  if (live.snapshotHash !== shown.snapshotHash || live.stale !== shown.stale) return "content";
  if (live.overtaken !== shown.overtaken) return "rights";
  if (live.decidable !== shown.decidable || live.notDecidable !== shown.notDecidable) return "rights";
  return null;
}

/** Open, not to be approved any more, but the reader may still say no (APR-19): only the target stands against it. */
export const isOnlyRejectable = (item: Pick<ApprovalSummary, "status" | "notDecidable">): boolean =>
  item.status === "pending" && item.notDecidable === "stale";

/** What is known of the target of an open request: that it changed, when it was last found as recorded, or only what was recorded. */
export const preconditionNote = (
  item: Pick<ApprovalDetail, "stale" | "checkedAt">,
): "preconditionsStale" | "preconditionsChecked" | "preconditionsRecorded" => {
  if (item.stale) return "preconditionsStale";
  return item.checkedAt === null ? "preconditionsRecorded" : "preconditionsChecked";
};

/** Seconds from one moment to another with one digit, "0.4"; null where one is not known or they are the wrong way round. */
export const secondsBetween = (from: string | null, to: string | null): string | null => {
  const ms = from === null || to === null ? Number.NaN : Date.parse(to) - Date.parse(from);
  return ms >= 0 ? (ms / 1000).toFixed(1) : null;
};

/** How an approval is confirmed: at once, by a second click, or by typing the name of the target. */
export function confirmationOf(item: Pick<ApprovalSummary, "riskClass">): "direct" | "confirm" | "type" {
  if (item.riskClass === "read" || item.riskClass === "write_internal") return "direct";
  return item.riskClass === "destructive" ? "type" : "confirm";
}

/** The name to type before something is destroyed. */
export const targetOf = (item: Pick<ApprovalSummary, "sourceName" | "tool">): string => item.sourceName ?? item.tool;

/** Open and past its time by the server's clock: closed for everyone, whether or not that was published yet (APR-4). */
export const isPast = (item: Pick<ApprovalSummary, "status" | "expiresAt">, nowMs: number): boolean =>
  item.status === "pending" && item.expiresAt !== null && Date.parse(item.expiresAt) <= nowMs;

const RISK = { destructive: 0, write_external: 1, write_internal: 2, read: 3 } as const;
const riskRank = (item: ApprovalSummary): number => (item.riskClass === null ? 0 : RISK[item.riskClass]);
const expiry = (item: ApprovalSummary): number =>
  item.expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(item.expiresAt);

/** What expires soonest stands first; of the same moment, what can do most harm. */
export function byUrgency(items: readonly ApprovalSummary[]): readonly ApprovalSummary[] {
  return items.toSorted((a, b) => (expiry(a) === expiry(b) ? riskRank(a) - riskRank(b) : expiry(a) - expiry(b)));
}

/** The neighbour in the list; from nothing, the first or the last. */
export function neighbour(ids: readonly string[], current: string | undefined, step: 1 | -1): string | undefined {
  const at = current === undefined ? -1 : ids.indexOf(current);
  if (at === -1) return step === 1 ? ids[0] : ids.at(-1);
  return ids[Math.min(ids.length - 1, Math.max(0, at + step))];
}

const MARKED = /^[0-9a-f]{40}$|^[0-9a-f]{64}$/;
export const isHash = (value: unknown): value is string => typeof value === "string" && MARKED.test(value);

/** A fact as text; http and https addresses are told apart, so that nothing else becomes a link. */
export function factText(value: unknown): string {
  if (value === null || value === undefined) return "–";
  return typeof value === "string" ? value : JSON.stringify(value);
}
export function factLink(value: unknown): string | null {
  if (typeof value !== "string" || !/^https?:\/\//i.test(value)) return null;
  return URL.canParse(value) ? value : null;
}
