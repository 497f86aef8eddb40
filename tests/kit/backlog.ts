import type { World } from "./world.ts";

/** Runs that wait for an approver, each with its open request; of `due` of them the time is over. Straight into the tables. */
export const addWaiting = async (
  world: Pick<World, "admin" | "workspaceId" | "teamId"> & {
    readonly people: { readonly owner: { readonly userId: string } };
  },
  count: number,
  due = 0,
): Promise<void> => {
  const { admin, workspaceId, teamId, people } = world;
  await admin.sql`
    with r as (insert into runs (workspace_id, team_id, title, started_by, status, shown_status, last_seq)
                 select ${workspaceId}::uuid, ${teamId}::uuid, 'waits', ${people.owner.userId}::uuid, 'waiting_approval', 'waiting_approval', 1
                   from generate_series(1, ${count}) returning id),
         n as (select id, row_number() over () as nth, uuidv7() as call from r),
         c as (insert into tool_calls (id, workspace_id, run_id, call_id, step, position, wire_name, args_text, args_sha256, status)
                 select n.call, ${workspaceId}::uuid, n.id, 'call', 1, 0, 'propose_change', '{}', repeat('0', 64), 'waiting' from n returning id)
    insert into approvals (workspace_id, run_id, tool_call_id, call_id, tool_id, requester_id, title, snapshot, snapshot_hash, args_text, form,
                           form_version, preview, preconditions, definition_hash, policy_version, level, four_eyes, risk_class, explanation, expires_at)
      select ${workspaceId}::uuid, n.id, n.call, 'call', 'git.propose_change', ${people.owner.userId}::uuid, 'A change', '{}', repeat('0', 64), '{}', '{}',
             1, '{}', '{}', repeat('0', 64), 1, 'workspace_admin', false, 'write_external', '{}',
             aiw_now() + case when n.nth <= ${due} then interval '-1 s' else interval '1 d' end
        from n`;
  await admin.sql`analyze runs, approvals, tool_calls`;
};

/** Two sweepers until nothing is due; milliseconds of the longest round, and how many requests each of them ended. */
export const sweepAll = async (
  sweep: () => Promise<{ readonly dueRequests: number; readonly expired: number; readonly failures: number }>,
): Promise<{
  readonly longestMs: number;
  readonly expired: number;
  readonly failures: number;
  readonly most: number;
}> => {
  let longestMs = 0;
  let expired = 0;
  let failures = 0;
  let most = 0;
  const sweeper = async (): Promise<void> => {
    for (;;) {
      const started = performance.now();
      const report = await sweep();
      longestMs = Math.max(longestMs, performance.now() - started);
      expired += report.expired;
      failures += report.failures;
      most = Math.max(most, report.dueRequests);
      if (report.dueRequests === 0) return;
    }
  };
  await Promise.all([sweeper(), sweeper()]);
  return { longestMs, expired, failures, most };
};
