import type { JudgedCall, ToolCall } from "@aiw/contract/views";
import type { Tx } from "@aiw/platform/db";

/** Characters of a result that a card shows; the model got the whole. */
const CARD_CHARS = 20_000;

/** Tool calls of one run with what the gate said to each (POL-2). */
export const judgedCallsOf = async (tx: Tx, runId: string): Promise<JudgedCall[]> => {
  const rows = await tx<{ id: string; decision: JudgedCall["decision"]; explanation: JudgedCall["explanation"] }[]>`
    select id, decision, explanation from tool_calls where run_id = ${runId}`;
  const judged = new Map(rows.map((row) => [row.id, row]));
  const calls = await callsOf(tx, [runId]);
  return calls.map((call) => {
    const { decision = null, explanation = null } = judged.get(call.id) ?? {};
    return { ...call, decision, explanation };
  });
};

interface Row {
  id: string;
  call_id: string;
  run_id: string;
  step: number;
  position: number;
  wire_name: string;
  tool_id: string | null;
  source_id: string | null;
  source_name: string | null;
  risk_class: ToolCall["riskClass"];
  args_text: string;
  status: ToolCall["status"];
  result: string | null;
  result_bytes: number;
  started_at: Date | null;
  ended_at: Date | null;
  approval_id: string | null;
}

/** Tool calls of the given runs, in the order they were asked for. */
export const callsOf = async (tx: Tx, runIds: readonly string[]): Promise<ToolCall[]> => {
  const rows = await tx<Row[]>`
    select c.id, c.call_id, c.run_id, c.step, c.position, c.wire_name, c.tool_id, c.source_id, s.name as source_name, c.risk_class, coalesce(c.args_shown, c.args_text) as args_text,
           c.status, left(c.result, ${CARD_CHARS}) as result, c.result_bytes, c.started_at, c.ended_at,
           (select a.id from approvals a where c.id in (a.tool_call_id, a.staged_call_id) order by a.id desc limit 1) as approval_id
      from tool_calls c left join sources s on s.id = c.source_id
      where c.run_id = any(${[...runIds]}::uuid[]) order by c.run_id, c.step, c.position`;
  return rows.map((r) => ({
    id: r.id,
    callId: r.call_id,
    runId: r.run_id,
    step: r.step,
    position: r.position,
    tool: r.tool_id ?? r.wire_name,
    wireName: r.wire_name,
    sourceId: r.source_id,
    sourceName: r.source_name,
    riskClass: r.risk_class,
    args: r.args_text,
    status: r.status,
    result: r.result,
    resultBytes: r.result_bytes,
    durationMs: r.started_at === null || r.ended_at === null ? null : r.ended_at.getTime() - r.started_at.getTime(),
    approvalId: r.approval_id,
  }));
};
