import type { Question } from "@aiw/contract/questions";
import type { Tx } from "@aiw/platform/db";

interface Row {
  id: string;
  run_id: string;
  tool_call_id: string;
  text: string;
  anyone: boolean;
  status: Question["status"];
  answered_by: string | null;
  name: string | null;
  display_name: string | null;
  answered_at: Date | null;
  mine: boolean;
  member: boolean;
}

/** Questions of the given runs, oldest first; inside a transaction that is bound to their workspace. */
export const ofRuns = async (tx: Tx, userId: string, runIds: readonly string[]): Promise<Question[]> => {
  const rows = await tx<Row[]>`
    select q.id, q.run_id, q.tool_call_id, q.text, q.anyone, q.status, q.answered_by, u.name, u.display_name, q.answered_at,
           r.started_by = ${userId} as mine,
           exists (select from memberships m where m.workspace_id = q.workspace_id and m.user_id = ${userId}) as member
      from questions q join runs r on r.id = q.run_id left join users u on u.id = q.answered_by
     where q.run_id = any (${[...runIds]}::uuid[]) order by q.id`;
  return rows.map((q) => ({
    id: q.id,
    runId: q.run_id,
    toolCallId: q.tool_call_id,
    text: q.text,
    anyone: q.anyone,
    status: q.status,
    answeredBy:
      q.answered_by === null ? null : { id: q.answered_by, name: q.name ?? "", displayName: q.display_name ?? "" },
    answeredAt: q.answered_at?.toISOString() ?? null,
    mayAnswer: q.status === "open" && q.member && (q.mine || q.anyone),
  }));
};
