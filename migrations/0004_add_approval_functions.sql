-- Approval states move only along this table (RUN-1); a decision is never overwritten (I7).
create function approvals_guard() returns trigger language plpgsql as $$
declare v_allowed text[];
begin
  if new.snapshot <> old.snapshot or new.snapshot_hash <> old.snapshot_hash or new.args_text <> old.args_text or new.form <> old.form
     or new.preview <> old.preview or new.preconditions <> old.preconditions or new.run_id <> old.run_id
     or new.requester_id <> old.requester_id or new.tool_id <> old.tool_id or new.source_id is distinct from old.source_id then
    raise exception 'a frozen request cannot be changed' using errcode = 'AIW02';
  end if;
  if new.status = old.status then return new; end if;
  v_allowed := case old.status
    when 'pending' then array['approved', 'rejected', 'expired', 'cancelled', 'invalid']
    when 'approved' then array['executing', 'invalid', 'cancelled']
    when 'executing' then array['executed', 'failed', 'unknown', 'invalid']
    when 'unknown' then array['executed', 'approved', 'failed']
    else array[]::text[] end;
  if not new.status = any (v_allowed) then
    raise exception 'a request cannot go from % to %', old.status, new.status using errcode = 'AIW01';
  end if;
  return new;
end $$;
--> statement-breakpoint
create trigger approvals_guard before update on approvals for each row execute function approvals_guard();
--> statement-breakpoint
-- Tells a change of a request in its run and sends a waiting run on. The caller holds the run's lock.
create function approval_tell_v1(p_approval uuid, p_by text, p_reason text) returns void language plpgsql as $$
declare a approvals;
begin
  select * into a from approvals where id = p_approval;
  insert into run_events (run_id, seq, workspace_id, type, data)
    select a.run_id, r.last_seq + 1, a.workspace_id, 'approval.changed',
           json_build_object('callId', a.call_id, 'toolCallId', a.tool_call_id, 'approvalId', a.id, 'status', a.status,
                             'by', p_by, 'reason', p_reason)::text
      from runs r where r.id = a.run_id;
  update runs set last_seq = last_seq + 1, status = case when status = 'waiting_approval' then 'queued' else status end where id = a.run_id;
end $$;
--> statement-breakpoint
-- Tells the outcome of a call that a person gave it. The caller holds the run's lock.
create function call_tell_v1(p_call uuid) returns void language plpgsql as $$
declare c tool_calls;
begin
  select * into c from tool_calls where id = p_call;
  insert into run_events (run_id, seq, workspace_id, type, data)
    select c.run_id, r.last_seq + 1, c.workspace_id, 'tool.finished',
           json_build_object('callId', c.call_id, 'toolCallId', c.id, 'status', c.status, 'result', left(coalesce(c.result, ''), 20000),
                             'resultBytes', octet_length(coalesce(c.result, '')), 'durationMs', null)::text
      from runs r where r.id = c.run_id;
  update runs set last_seq = last_seq + 1 where id = c.run_id;
end $$;
--> statement-breakpoint
-- APR-4, APR-5: the one decide service, whatever the channel. Right, level, four eyes, time and the hash that was shown are
-- checked in the transaction of the change; the UPDATE itself demands them again. Lock order: run, approval.
-- outcome: approved | rejected | voted | same | not_found | approver_missing | four_eyes | decided | expired | stale | cancelled | invalid.
create function approval_decide_v1(p_approval uuid, p_user uuid, p_channel text, p_vote text, p_reason text, p_seen_hash text,
                                   p_end_run boolean, p_execute_within_s integer)
returns table (outcome text, run_id uuid, workspace_id uuid, team_id uuid, decided_by uuid, decided_at timestamptz, ring boolean)
language plpgsql as $$
declare a approvals; v_run runs; u users; v_role text; v_now timestamptz; v_allowed boolean; v_self boolean; v_status text;
begin
  select * into a from approvals where id = p_approval;
  if not found then return query select 'not_found', null::uuid, null::uuid, null::uuid, null::uuid, null::timestamptz, false; return; end if;
  -- A global approver is no member: from here on the transaction is bound to the workspace of the request.
  perform set_config('aiw.workspaces', a.workspace_id::text, true);
  select * into v_run from runs where id = a.run_id for update;
  select * into a from approvals where id = p_approval for update;
  select * into u from users where id = p_user and disabled_at is null;
  select m.role into v_role from memberships m where m.workspace_id = a.workspace_id and m.user_id = p_user;
  v_now := aiw_now();
  v_allowed := u.id is not null and case a.level when 'global_approver' then u.is_global_approver else coalesce(v_role in ('admin', 'approver'), false) end;
  v_self := a.requester_id = p_user;
  if not v_allowed then
    v_status := case when v_role is null or u.id is null then 'not_found' else 'approver_missing' end;
  elsif a.status <> 'pending' then
    v_status := case
      when a.decided_by = p_user and p_vote = case when a.status = 'rejected' then 'rejected' when a.status in ('cancelled', 'expired') then '' else 'approved' end then 'same'
      when a.decided_by is not null and a.status <> 'invalid' then 'decided'
      when a.status in ('expired', 'cancelled', 'invalid') then a.status
      else 'decided' end;
  elsif a.expires_at <= v_now then v_status := 'expired';
  elsif v_run.status not in ('running', 'queued', 'waiting_approval') then v_status := 'cancelled';
  elsif a.four_eyes and v_self then v_status := 'four_eyes';
  elsif p_seen_hash is not null and p_seen_hash <> a.snapshot_hash then v_status := 'stale';
  elsif p_vote = 'approved' and a.stale_at is not null then v_status := 'stale';
  end if;
  if v_status is not null then
    if v_status in ('approver_missing', 'four_eyes') then
      insert into audit_events (workspace_id, actor_kind, actor_id, event, object_kind, object_id, run_id, source, data)
        values (a.workspace_id, 'human', p_user, 'authorization.denied', 'approval', a.id, a.run_id, 'approval', jsonb_build_object('code', v_status));
    end if;
    return query select v_status, a.run_id, a.workspace_id, v_run.team_id, a.decided_by, a.decided_at, false; return;
  end if;
  insert into approval_votes (approval_id, workspace_id, user_id, vote, reason, seen_hash, channel, self_approval)
    values (a.id, a.workspace_id, p_user, p_vote, p_reason, p_seen_hash, p_channel, v_self and p_vote = 'approved') on conflict do nothing;
  if p_vote = 'approved' and (select count(*) from approval_votes v where v.approval_id = a.id and v.vote = 'approved') < a.required_votes then
    return query select 'voted', a.run_id, a.workspace_id, v_run.team_id, null::uuid, null::timestamptz, false; return;
  end if;
  update approvals x set status = p_vote, decided_by = p_user, decided_at = v_now, decision_reason = p_reason, decision_channel = p_channel,
         seen_hash = p_seen_hash, end_run = coalesce(p_end_run, false),
         execute_before = case when p_vote = 'approved' then v_now + make_interval(secs => p_execute_within_s) end
    where x.id = a.id and x.status = 'pending' and x.expires_at > v_now and (p_seen_hash is null or x.snapshot_hash = p_seen_hash);
  insert into audit_events (workspace_id, actor_kind, actor_id, event, object_kind, object_id, run_id, source, data)
    values (a.workspace_id, 'human', p_user, case p_vote when 'approved' then 'approval.granted' else 'approval.rejected' end, 'approval', a.id,
            a.run_id, 'approval', jsonb_strip_nulls(jsonb_build_object('tool', a.tool_id, 'hash', a.snapshot_hash, 'seenHash', p_seen_hash,
              'channel', p_channel, 'selfApproval', v_self and p_vote = 'approved', 'reason', p_reason)));
  perform approval_tell_v1(a.id, u.display_name, p_reason);
  return query select p_vote, a.run_id, a.workspace_id, v_run.team_id, p_user, v_now, v_run.status = 'waiting_approval';
end $$;
--> statement-breakpoint
-- APR-7: publishes an expiry once. The clock had decided it before (APR-4). True when this call published it.
create function approval_expire_v1(p_approval uuid) returns boolean language plpgsql as $$
declare a approvals;
begin
  select * into a from approvals where id = p_approval;
  if not found then return false; end if;
  perform set_config('aiw.workspaces', a.workspace_id::text, true);
  perform from runs where id = a.run_id for update;
  update approvals set status = 'expired', ended_at = aiw_now() where id = p_approval and status = 'pending' and expires_at <= aiw_now();
  if not found then return false; end if;
  insert into audit_events (workspace_id, actor_kind, event, object_kind, object_id, run_id, source, data)
    values (a.workspace_id, 'system', 'approval.expired', 'approval', a.id, a.run_id, 'approval', jsonb_build_object('tool', a.tool_id));
  perform approval_tell_v1(a.id, null, null);
  return true;
end $$;
