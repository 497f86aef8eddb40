import type { RequestStatus } from "@aiw/contract/runs";
import { runGit } from "@aiw/infra/local/git-command";
import type { LedgerEntry } from "./ledger/server.ts";
import type { World } from "./world.ts";

/** As much of a world as looking takes; a whole stack has it as well. */
export type Watched = Pick<World, "admin" | "repository" | "row"> & {
  /** The target that counts, where MCP tools write (tests/kit/ledger). */
  readonly ledger?: { readonly entries: readonly LedgerEntry[] };
  /** What must never be seen anywhere (I8). */
  readonly canaries?: readonly string[];
};

export interface Request {
  readonly id: string;
  readonly status: RequestStatus;
  readonly invalid_reason: string | null;
  readonly snapshot_hash: string;
  readonly executed_hash: string | null;
  readonly args_text: string;
  readonly form: string;
  readonly reconciled: boolean;
  readonly allowed_by_policy: boolean;
  readonly decided_by: string | null;
  readonly call_id: string;
  readonly attempt: number;
  readonly result: string | null;
}

/** Requests of a run in the order of their calls. */
export const requestsOf = async (world: Watched, runId: string): Promise<Request[]> => [
  ...(await world.admin.sql<Request[]>`
    select a.id, a.status, a.invalid_reason, a.snapshot_hash, a.executed_hash, a.args_text, a.form, a.reconciled, a.allowed_by_policy, a.decided_by,
           a.call_id, a.attempt, a.result
      from approvals a join tool_calls c on c.id = a.tool_call_id where a.run_id = ${runId} order by c.step, c.position, a.id`),
];

export const onlyRequest = async (world: Watched, runId: string): Promise<Request> => {
  const [first, second] = await requestsOf(world, runId);
  if (first === undefined || second !== undefined) throw new Error("the run does not have exactly one request");
  return first;
};

export interface CallRow {
  readonly id: string;
  readonly call_id: string;
  readonly wire_name: string;
  readonly status: string;
  readonly result: string | null;
  readonly decision: string | null;
  readonly args_text: string;
}

export const callsOf = async (world: Watched, runId: string): Promise<CallRow[]> => [
  ...(await world.admin.sql<
    CallRow[]
  >`select id, call_id, wire_name, status, result, decision, args_text from tool_calls where run_id = ${runId} order by step, position`),
];

export interface EventRow {
  readonly seq: number;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export const eventsOf = async (world: Watched, runId: string): Promise<EventRow[]> => {
  const rows = await world.admin.sql<
    { seq: number; type: string; data: string }[]
  >`select seq, type, data from run_events where run_id = ${runId} order by seq`;
  return rows.map((r) => ({ seq: r.seq, type: r.type, data: JSON.parse(r.data) as Record<string, unknown> }));
};

export const auditOf = async (world: Watched, runId: string): Promise<string[]> => {
  const rows = await world.admin.sql<
    { event: string }[]
  >`select event from audit_events where run_id = ${runId} order by id`;
  return rows.map((r) => r.event);
};

export interface ItemRow {
  readonly kind: string;
  readonly call_id: string | null;
  readonly data: Readonly<Record<string, unknown>>;
}

export const itemsOf = async (world: Watched, runId: string): Promise<ItemRow[]> => {
  const rows = await world.admin.sql<
    { kind: string; call_id: string | null; data: string }[]
  >`select kind, call_id, data from run_items where run_id = ${runId} order by item`;
  // What holds a sensitive answer is sealed (APR-10): that it is there is all that can be seen.
  const data = (text: string): Record<string, unknown> =>
    text.startsWith("sealed:") ? {} : (JSON.parse(text) as Record<string, unknown>);
  return rows.map((r) => ({ kind: r.kind, call_id: r.call_id, data: data(r.data) }));
};

/** What the model reads as results, in the order it reads them. */
export const outputsOf = async (world: Watched, runId: string): Promise<string[]> =>
  (await itemsOf(world, runId)).flatMap((i) => (i.kind === "function_call_output" ? [String(i.data["output"])] : []));

/** Branches of proposals at the Git server, with their commits. */
export const aiRefs = (world: Watched): Map<string, string> =>
  new Map(
    runGit(["-C", world.repository.directory, "for-each-ref", "--format=%(refname) %(objectname)", "refs/heads/ai"])
      .toString()
      .split("\n")
      .filter((line) => line !== "")
      .map((line): [string, string] => {
        const [name = "", commit = ""] = line.split(" ");
        return [name, commit];
      }),
  );

export const branchOf = (request: Pick<Request, "form">): { readonly branch: string; readonly commit: string } =>
  JSON.parse(request.form) as { branch: string; commit: string };

export const isPushed = (world: Watched, request: Pick<Request, "form">): boolean => {
  const { branch, commit } = branchOf(request);
  return aiRefs(world).get(branch) === commit;
};
