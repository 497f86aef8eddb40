-- RUN-3: the outcome of a step and, when its run goes on at once, the claim of the next step with all it has to know, in one
-- transaction and one round trip. The first row is the outcome (`committed`); the rows of run_take_v1 follow. The claim is
-- the same as any other: somebody whose turn it is goes first (RUN-19), and this run is then displaced or parked.
create function run_go_on_v1(p_run uuid, p_workspace uuid, p_fence bigint, p jsonb, p_lease_s integer, p_items integer)
returns table (kind text, key text, data text) language plpgsql as $$
declare v_team uuid; c record;
begin
  -- In the order of a claim: run, then slots. Both halves need the slots, the outcome shared and the claim alone; whoever
  -- asked for more of a lock that others share would wait for those who do the same.
  perform run_parent_lock_v1(p_run);
  select r.team_id into v_team from runs r where r.id = p_run and r.fence = p_fence and r.status = 'running' for update;
  if found then perform pg_advisory_xact_lock(team_slots_key(v_team)); end if;
  select * into c from run_commit_v1(p_run, p_workspace, p_fence, p);
  return query select 'committed', c.status, json_build_object('done', c.done, 'lastSeq', c.last_seq, 'ring', c.ring)::text;
  if c.done and c.status = 'queued' and p_run = any (c.ring) then
    return query select * from run_take_v1(p_run, p_lease_s, p_items);
  end if;
end $$;
