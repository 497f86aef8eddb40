import type { ChatDetail } from "@aiw/contract/views";

/**
 * Order of a thread as plain names, so that a list keyed by them keeps what is on the screen while texts grow:
 * `user:<message>`, `note:<run>:<step>`, `call:<tool call>`, `live:<run>`, `answer:<message>`, `end:<run>`.
 */
export type ThreadKey = `${"user" | "note" | "call" | "live" | "answer" | "end"}:${string}`;

/** Compares instants as text: the API spells all of them in UTC with the same precision. */
const byTime = (
  a: { readonly at: string; readonly rank: number },
  b: { readonly at: string; readonly rank: number },
): number => (a.at < b.at ? -1 : a.at > b.at ? 1 : a.rank - b.rank);

const runKeys = (chat: ChatDetail, runId: string): ThreadKey[] => {
  const steps = [
    ...chat.notes
      .filter((n) => n.runId === runId)
      .map((n) => ({ step: n.step, order: -1, key: `note:${runId}:${n.step}` as const })),
    ...chat.toolCalls
      .filter((c) => c.runId === runId)
      .map((c) => ({ step: c.step, order: c.position, key: `call:${c.id}` as const })),
  ].sort((a, b) => a.step - b.step || a.order - b.order);
  const answers = chat.messages
    .filter((m) => m.role === "assistant" && m.runId === runId)
    .map((m) => `answer:${m.id}` as const);
  return [...steps.map((s) => s.key), `live:${runId}`, ...answers, `end:${runId}`];
};

/** The keys of a chat in reading order; messages that wait for their run stand last. */
export const threadKeys = (chat: ChatDetail): readonly ThreadKey[] => {
  const runIds = new Set(chat.runs.map((r) => r.id));
  const answered = (runId: string | null): boolean => runId !== null && runIds.has(runId);
  const rows: { readonly at: string; readonly rank: number; readonly keys: readonly ThreadKey[] }[] = [];
  const placed = new Set<string>();
  for (const m of chat.messages) {
    if (m.role === "assistant") {
      if (!answered(m.runId)) rows.push({ at: m.createdAt, rank: 1, keys: [`answer:${m.id}`] });
      continue;
    }
    const runId = m.runId !== null && answered(m.runId) && !placed.has(m.runId) ? m.runId : null;
    if (runId !== null) placed.add(runId);
    rows.push({
      at: m.createdAt,
      rank: m.waiting ? 2 : 0,
      keys: runId === null ? [`user:${m.id}`] : [`user:${m.id}`, ...runKeys(chat, runId)],
    });
  }
  for (const run of chat.runs) {
    if (!placed.has(run.id)) rows.push({ at: run.createdAt, rank: 1, keys: runKeys(chat, run.id) });
  }
  const waiting = new Set(chat.messages.filter((m) => m.waiting).map((m) => `user:${m.id}`));
  const [late, early] = [
    rows.filter((r) => waiting.has(r.keys[0] ?? "")),
    rows.filter((r) => !waiting.has(r.keys[0] ?? "")),
  ];
  return [...early.sort(byTime), ...late.sort(byTime)].flatMap((r) => r.keys);
};

/** Kind and id of a key. */
export const splitKey = (key: ThreadKey): { readonly kind: string; readonly id: string } => {
  const at = key.indexOf(":");
  return { kind: key.slice(0, at), id: key.slice(at + 1) };
};
