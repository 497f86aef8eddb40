-- RUN-11, N6: what is new of a run for those who watch it, and which of them may not read it any more, in one round trip.
-- Rows: `run` (last seq, status), nothing more when it is gone; `event`, oldest first; `denied`, a session. Rights are looked
-- at after the events were read, so that nothing is sent that a revocation came before.
create function stream_read_v1(p_workspace uuid, p_run uuid, p_after bigint, p_limit integer, p_sessions uuid[], p_idle_s integer)
returns table (kind text, seq bigint, name text, data text, at timestamptz) language plpgsql as $$
begin
  perform set_config('aiw.workspaces', p_workspace::text, true);
  return query select 'run', r.last_seq, r.status, null::text, null::timestamptz from runs r where r.id = p_run and r.workspace_id = p_workspace;
  if not found then return; end if;
  return query select 'event', e.seq, e.type, e.data, e.at from run_events e where e.run_id = p_run and e.seq > p_after order by e.seq limit p_limit;
  return query select 'denied', null::bigint, a.id::text, null::text, null::timestamptz from unnest(p_sessions) a (id)
    where not exists (
      select from sessions s join users u on u.id = s.user_id join memberships m on m.user_id = u.id and m.workspace_id = p_workspace
       where s.id = a.id and s.expires_at > aiw_now() and u.disabled_at is null
         and s.seen_at > aiw_now() - make_interval(secs => p_idle_s));
end $$;
