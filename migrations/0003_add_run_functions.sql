-- RUN-1: the transition table, enforced where nothing can go around it. The same trigger tells every change of state
-- once (event and audit row in the transaction of the change). The hand-over between two steps of a run
-- (running -> queued -> running) is no news; `run_steps` records it.
create function runs_guard() returns trigger language plpgsql as $$
declare
  v_allowed text[];
  v_now timestamptz := aiw_now();
  v_final constant text[] := array['completed', 'failed', 'cancelled', 'blocked_by_guardrail'];
begin
  if new.status = old.status then return new; end if;
  v_allowed := case old.status
    when 'queued' then array['running', 'cancelled', 'failed']
    when 'running' then array['queued', 'waiting_approval', 'waiting_input', 'completed', 'failed', 'cancelled',
                              'blocked_by_guardrail', 'needs_reconciliation']
    when 'waiting_approval' then array['queued', 'cancelled']
    when 'waiting_input' then array['queued', 'cancelled']
    when 'needs_reconciliation' then array['queued', 'failed']
    when 'failed' then array['queued']
    else array[]::text[] end;
  if not new.status = any (v_allowed) then
    raise exception 'a run cannot go from % to %', old.status, new.status using errcode = 'AIW01';
  end if;
  if new.status <> 'running' then new.lease_until := null; end if;
  if new.status = 'queued' then
    new.queued_at := v_now; new.rung_at := null; new.rings := 0; new.parked_at := null;
  else
    new.wake_at := null;
  end if;
  if new.status = 'running' and new.started_at is null then new.started_at := v_now; end if;
  if new.status = any (v_final) then new.ended_at := v_now; end if;
  if old.status = 'failed' then
    new.ended_at := null; new.error_code := null; new.error_text := null; new.end_reason := null; new.attempts := 0;
  end if;
  if old.status = 'running' and new.status = 'queued' and new.wake_at is null then return new; end if;
  if new.status = old.shown_status then return new; end if;
  new.shown_status := new.status;
  -- "running" is told before what the claim tells, every other state after what the commit tells.
  new.last_seq := new.last_seq + 1;
  insert into run_events (run_id, seq, workspace_id, type, data)
    values (new.id, case when new.status = 'running' then old.last_seq + 1 else new.last_seq end, new.workspace_id, 'run.status',
            json_build_object('status', new.status, 'endReason', new.end_reason, 'errorCode', new.error_code,
                              'errorText', new.error_text, 'wakeAt', new.wake_at)::text);
  insert into audit_events (workspace_id, actor_kind, actor_id, event, object_kind, object_id, run_id, data)
    values (new.workspace_id, case when aiw_user() is null then 'system' else 'human' end, aiw_user(),
            'run.' || case when new.status = 'running' and old.started_at is null then 'started'
                           when new.status = 'queued' then 'resumed' else new.status end,
            'run', new.id, new.id, jsonb_strip_nulls(jsonb_build_object('from', old.status, 'to', new.status,
              'endReason', new.end_reason, 'errorCode', new.error_code)));
  return new;
end $$;
--> statement-breakpoint
create trigger runs_guard before update on runs for each row execute function runs_guard();
--> statement-breakpoint
-- RUN-2: a message becomes a run: row, first item of its history and first event, in the caller's transaction.
create function run_start_v1(p_workspace uuid, p_chat uuid, p_message uuid, p_text text, p_user uuid, p_title text)
returns uuid language plpgsql as $$
declare v_run uuid := uuidv7(); v_team uuid;
begin
  select team_id into strict v_team from workspaces where id = p_workspace;
  insert into runs (id, workspace_id, team_id, chat_id, title, started_by, last_seq, last_item)
    values (v_run, p_workspace, v_team, p_chat, p_title, p_user, 1, 1);
  insert into run_items (run_id, item, workspace_id, chat_id, step, kind, data)
    values (v_run, 1, p_workspace, p_chat, 0, 'user',
            json_build_object('type', 'message', 'role', 'user', 'content', p_text)::text);
  insert into run_events (run_id, seq, workspace_id, type, data)
    values (v_run, 1, p_workspace, 'run.status', json_build_object('status', 'queued')::text);
  update messages set run_id = v_run, waiting = false where id = p_message;
  update chats set active_at = aiw_now() where id = p_chat;
  return v_run;
end $$;
--> statement-breakpoint
-- RUN-1: when a run ends, the oldest message that waited in its chat starts the next one. Null: none waited.
create function chat_start_next_v1(p_workspace uuid, p_chat uuid) returns uuid language plpgsql as $$
declare m messages;
begin
  -- Takes turns with whoever posts a message: one that saw the run still at work has put its message down before we look.
  perform from chats where id = p_chat for update;
  select * into m from messages where chat_id = p_chat and waiting order by ordinal limit 1 for update;
  if not found then return null; end if;
  return run_start_v1(p_workspace, p_chat, m.id, m.text, m.author_id, left(m.text, 80));
end $$;
--> statement-breakpoint
-- What the model reads as the result of a call. What a tool said is untrusted and fenced (AI-4), as the step does it; the
-- platform's own words stand outside of a fence. Only calls that reached a source can bring a tool's words.
create function call_output_v1(c tool_calls, p_why text) returns text language sql stable as $$
  select case
    when c.result is null then p_why
    when c.source_id is not null and c.status in ('executed', 'failed') then
      '<<<untrusted tool="' || coalesce(c.tool_id, c.wire_name) || '">>>' || E'\n' || replace(c.result, '<<<', U&'<\2039<') || E'\n<<<end untrusted>>>'
    else c.result end
$$;
--> statement-breakpoint
-- A write whose outcome nobody knows: a person has to look (RUN-7). Returns the last seq used.
create function run_unclear_v1(p_run uuid, p_workspace uuid, p_seq bigint) returns bigint language plpgsql as $$
declare v_seq bigint := p_seq; c record;
begin
  for c in update approvals set status = 'unknown', result = 'The step was interrupted during the write.'
             where run_id = p_run and status = 'executing' returning id, call_id, tool_call_id, tool_id loop
    v_seq := v_seq + 1;
    update tool_calls set status = 'unknown' where id = c.tool_call_id;
    insert into run_events (run_id, seq, workspace_id, type, data) values (p_run, v_seq, p_workspace, 'approval.changed',
      json_build_object('callId', c.call_id, 'toolCallId', c.tool_call_id, 'approvalId', c.id, 'status', 'unknown')::text);
    insert into audit_events (workspace_id, actor_kind, event, object_kind, object_id, run_id, source, data)
      values (p_workspace, 'system', 'approval.unknown', 'approval', c.id, p_run, 'approval', jsonb_build_object('tool', c.tool_id));
  end loop;
  return v_seq;
end $$;
--> statement-breakpoint
-- Ends what a run leaves open: every call gets its one output, open requests are closed. Returns the last seq used.
create function run_close_v1(p_run uuid, p_workspace uuid, p_seq bigint, p_why text) returns bigint language plpgsql as $$
declare v_seq bigint := p_seq; v_item bigint; c record;
begin
  for c in update approvals set status = 'cancelled', ended_at = aiw_now()
             where run_id = p_run and status in ('pending', 'approved') returning id, call_id, tool_call_id loop
    v_seq := v_seq + 1;
    insert into run_events (run_id, seq, workspace_id, type, data) values (p_run, v_seq, p_workspace, 'approval.changed',
      json_build_object('callId', c.call_id, 'toolCallId', c.tool_call_id, 'approvalId', c.id, 'status', 'cancelled')::text);
    insert into audit_events (workspace_id, actor_kind, actor_id, event, object_kind, object_id, run_id, source)
      values (p_workspace, case when aiw_user() is null then 'system' else 'human' end, aiw_user(), 'approval.cancelled',
              'approval', c.id, p_run, 'approval');
  end loop;
  for c in update tool_calls set status = 'cancelled', result = p_why, result_bytes = octet_length(p_why), ended_at = aiw_now()
             where run_id = p_run and status in ('pending', 'waiting') returning id, call_id loop
    v_seq := v_seq + 1;
    insert into run_events (run_id, seq, workspace_id, type, data) values (p_run, v_seq, p_workspace, 'tool.finished',
      json_build_object('callId', c.call_id, 'toolCallId', c.id, 'status', 'cancelled', 'result', p_why,
                        'resultBytes', octet_length(p_why), 'durationMs', null)::text);
  end loop;
  select last_item into v_item from runs where id = p_run;
  for c in select t.call_id, t.step, call_output_v1(t, p_why) as output, r.chat_id from tool_calls t join runs r on r.id = t.run_id
             where t.run_id = p_run and not exists (select from run_items i where i.run_id = p_run and i.kind = 'function_call_output' and i.call_id = t.call_id)
             order by t.step, t.position loop
    v_item := v_item + 1;
    insert into run_items (run_id, item, workspace_id, chat_id, step, kind, call_id, data)
      values (p_run, v_item, p_workspace, c.chat_id, c.step, 'function_call_output', c.call_id,
              json_build_object('type', 'function_call_output', 'call_id', c.call_id, 'output', c.output)::text);
  end loop;
  update runs set last_item = v_item where id = p_run and last_item <> v_item;
  return v_seq;
end $$;
--> statement-breakpoint
-- The outcome of one call as the step tells it.
create function call_update_v1(p_run uuid, c jsonb) returns void language sql as $$
  update tool_calls t set status = c ->> 'status', result = coalesce(c ->> 'result', t.result),
         result_bytes = coalesce((c ->> 'resultBytes')::integer, t.result_bytes),
         risk_class = coalesce(c ->> 'riskClass', t.risk_class), decision = coalesce(c ->> 'decision', t.decision),
         explanation = coalesce(c -> 'explanation', t.explanation), source_id = coalesce((c ->> 'sourceId')::uuid, t.source_id),
         started_at = coalesce(t.started_at, aiw_now() - make_interval(secs => coalesce((c ->> 'durationMs')::float, 0) / 1000)),
         ended_at = case when c ->> 'status' in ('pending', 'waiting', 'executing', 'unknown') then null else aiw_now() end
    where t.id = (c ->> 'id')::uuid and t.run_id = p_run
$$;
--> statement-breakpoint
create function audit_add_v1(p_run uuid, p_workspace uuid, a jsonb) returns void language sql as $$
  insert into audit_events (workspace_id, actor_kind, actor_id, event, object_kind, object_id, run_id, source, data)
    values (p_workspace, a ->> 'actorKind', (a ->> 'actorId')::uuid, a ->> 'event', a ->> 'objectKind', a ->> 'objectId', p_run,
            a ->> 'source', coalesce(a -> 'data', '{}'))
$$;
--> statement-breakpoint
-- RUN-3, RUN-4, RUN-10: takes one ready run for p_lease_s seconds, if its team has a free slot (counted from leases).
-- Each claim raises the fence. outcome: claimed | none (nothing to do, drop the message) | parked (no free slot).
create function run_claim_v1(p_run uuid, p_lease_s integer)
returns table (outcome text, run jsonb) language plpgsql as $$
declare r runs; v_now timestamptz; v_max integer; v_busy integer; v_kind text; v_reset boolean; v_queued timestamptz;
begin
  select * into r from runs where id = p_run and status = 'queued' for update skip locked;
  v_now := aiw_now();
  if not found or r.wake_at > v_now then
    return query select 'none', null::jsonb; return;
  end if;
  select max_parallel_runs into v_max from teams where id = r.team_id for update;
  select count(*) into v_busy from runs where team_id = r.team_id and status = 'running' and lease_until > v_now;
  if v_busy >= v_max then
    update runs set parked_at = coalesce(parked_at, v_now) where id = r.id;
    return query select 'parked', null::jsonb; return;
  end if;
  perform set_config('aiw.workspaces', r.workspace_id::text, true);
  -- The model goes on when every call of the last turn has its output (I10), however the calls came by their outcome.
  v_kind := case when exists (
      select from tool_calls c where c.run_id = r.id and c.step = (select max(l.step) from tool_calls l where l.run_id = r.id)
        and not exists (select from run_items i where i.run_id = r.id and i.kind = 'function_call_output' and i.call_id = c.call_id))
    then 'tools' else 'model' end;
  v_queued := r.queued_at;
  -- A later attempt at the same step withdraws what the earlier one streamed (F3) and starts nothing anew (F2).
  v_reset := r.attempts > 0 and exists (select from run_events e where e.run_id = r.id and e.type = 'message.delta'
                                          and (e.data::json ->> 'step')::integer = r.step);
  update runs set status = 'running', fence = fence + 1, attempts = attempts + 1, lease_until = v_now + make_interval(secs => p_lease_s),
         step = step + case when attempts = 0 then 1 else 0 end,
         last_seq = last_seq + case when attempts = 0 or v_reset then 1 else 0 end
    where id = r.id returning * into r;
  if r.attempts = 1 then
    insert into run_events (run_id, seq, workspace_id, type, data) values (r.id, r.last_seq, r.workspace_id, 'step.started',
      json_build_object('step', r.step, 'attempt', r.attempts, 'kind', v_kind)::text);
  elsif v_reset then
    insert into run_events (run_id, seq, workspace_id, type, data) values (r.id, r.last_seq, r.workspace_id, 'attempt.reset',
      json_build_object('step', r.step)::text);
  end if;
  insert into run_steps (run_id, fence, workspace_id, step, attempt, kind, queue_ms, started_at)
    values (r.id, r.fence, r.workspace_id, r.step, r.attempts, v_kind,
            greatest(0, extract(epoch from v_now - v_queued) * 1000)::integer, v_now);
  return query select 'claimed', to_jsonb(r) || jsonb_build_object('kind', v_kind);
end $$;
--> statement-breakpoint
-- RUN-11: appends events, proves the fence, extends the lease and says whether a cancel was asked for; one statement.
-- Without events it is the heartbeat.
create function events_append_v1(p_run uuid, p_workspace uuid, p_fence bigint, p_lease_s integer, p_types text[], p_datas text[])
returns table (alive boolean, last_seq bigint, cancel boolean) language plpgsql as $$
declare v_last bigint; v_cancel boolean; n integer := coalesce(array_length(p_types, 1), 0);
begin
  perform set_config('aiw.workspaces', p_workspace::text, true);
  update runs r set last_seq = r.last_seq + n, lease_until = greatest(r.lease_until, aiw_now() + make_interval(secs => p_lease_s))
    where r.id = p_run and r.fence = p_fence and r.status = 'running'
    returning r.last_seq, r.cancel_requested_at is not null into v_last, v_cancel;
  if not found then return query select false, null::bigint, false; return; end if;
  insert into run_events (run_id, seq, workspace_id, type, data)
    select p_run, v_last - n + e.ord, p_workspace, e.type, e.data
      from unnest(p_types, p_datas) with ordinality as e (type, data, ord);
  return query select true, v_last, v_cancel;
end $$;
--> statement-breakpoint
-- RUN-3: the outcome of a step, in one transaction and one round trip, under the fence (RUN-4). Returns which runs to
-- ring: this one when it goes on, the next message of the chat, a parked run of the team whose turn it is.
-- done = false: the lease was lost, nothing was written.
create function run_commit_v1(p_run uuid, p_workspace uuid, p_fence bigint, p jsonb)
returns table (done boolean, status text, last_seq bigint, ring uuid[]) language plpgsql as $$
declare
  r runs; v_seq bigint; v_item bigint; v_next text; v_ring uuid[] := '{}'; v_started uuid; v_parked uuid; e jsonb; v_id uuid;
  v_keep boolean := coalesce((p ->> 'keepAttempts')::boolean, false);
  v_final constant text[] := array['completed', 'failed', 'cancelled', 'blocked_by_guardrail'];
begin
  perform set_config('aiw.workspaces', p_workspace::text, true);
  select * into r from runs where id = p_run and fence = p_fence and runs.status = 'running' for update;
  if not found then return query select false, null::text, null::bigint, v_ring; return; end if;
  v_seq := r.last_seq; v_item := r.last_item; v_next := p ->> 'status';

  insert into tool_calls (id, workspace_id, run_id, call_id, step, position, wire_name, tool_id, source_id, args_text, args_sha256,
                          risk_class, decision, explanation, model_note, status, result, result_bytes)
    select (c ->> 'id')::uuid, p_workspace, p_run, c ->> 'callId', r.step, (c ->> 'position')::integer, c ->> 'wireName',
           c ->> 'toolId', (c ->> 'sourceId')::uuid, c ->> 'args', c ->> 'argsHash', c ->> 'riskClass', c ->> 'decision',
           c -> 'explanation', c ->> 'note', coalesce(c ->> 'status', 'pending'), c ->> 'result', coalesce((c ->> 'resultBytes')::integer, 0)
      from jsonb_array_elements(coalesce(p -> 'calls', '[]')) c;
  perform call_update_v1(p_run, c) from jsonb_array_elements(coalesce(p -> 'callUpdates', '[]')) c;
  insert into run_items (run_id, item, workspace_id, chat_id, step, kind, call_id, data)
    select p_run, v_item + i.ord, p_workspace, r.chat_id, r.step, i.x ->> 'kind', i.x ->> 'callId', i.x ->> 'data'
      from jsonb_array_elements(coalesce(p -> 'items', '[]')) with ordinality as i (x, ord);
  v_item := v_item + jsonb_array_length(coalesce(p -> 'items', '[]'));

  insert into approvals (id, workspace_id, run_id, chat_id, tool_call_id, call_id, source_id, tool_id, requester_id, title, snapshot,
                         snapshot_hash, args_text, form, form_version, preview, preconditions, definition_hash, policy_version, level,
                         four_eyes, risk_class, explanation, model_note, allowed_by_policy, status, expires_at, execute_before, predecessor_id)
    select (a ->> 'id')::uuid, p_workspace, p_run, r.chat_id, (a ->> 'toolCallId')::uuid, a ->> 'callId', (a ->> 'sourceId')::uuid,
           a ->> 'toolId', r.started_by, a ->> 'title', a ->> 'snapshot', a ->> 'snapshotHash', a ->> 'args', a ->> 'form',
           (a ->> 'formVersion')::integer, a ->> 'preview', a ->> 'preconditions', a ->> 'definitionHash', (a ->> 'policyVersion')::bigint,
           a ->> 'level', (a ->> 'fourEyes')::boolean, a ->> 'riskClass', a ->> 'explanation', a ->> 'modelNote',
           (a ->> 'allowedByPolicy')::boolean, case when (a ->> 'allowedByPolicy')::boolean then 'approved' else 'pending' end,
           case when (a ->> 'allowedByPolicy')::boolean then null else aiw_now() + make_interval(secs => (a ->> 'ttlS')::integer) end,
           case when (a ->> 'allowedByPolicy')::boolean then aiw_now() + make_interval(secs => (a ->> 'executeWithinS')::integer) end,
           (a ->> 'predecessorId')::uuid
      from jsonb_array_elements(coalesce(p -> 'requests', '[]')) a;
  -- What became of a request is told and audited with the change itself: a person who was faster is not talked over.
  for e in select x from jsonb_array_elements(coalesce(p -> 'settles', '[]')) x loop
    update approvals a set status = e ->> 'status', invalid_reason = e ->> 'invalidReason', result = e ->> 'result', facts = e -> 'facts',
           executed_hash = e ->> 'executedHash', reconciled = coalesce((e ->> 'reconciled')::boolean, a.reconciled),
           ended_at = case when e ->> 'status' = 'unknown' then null else aiw_now() end
      where a.id = (e ->> 'id')::uuid and a.run_id = p_run and a.status in ('pending', 'approved', 'executing');
    if found then
      v_seq := v_seq + 1;
      insert into run_events (run_id, seq, workspace_id, type, data)
        values (p_run, v_seq, p_workspace, e #>> '{event,type}', (e #> '{event,data}')::text);
      perform audit_add_v1(p_run, p_workspace, e -> 'audit');
    end if;
  end loop;

  for e in select x from jsonb_array_elements(coalesce(p -> 'events', '[]')) x loop
    v_seq := v_seq + 1;
    insert into run_events (run_id, seq, workspace_id, type, data) values (p_run, v_seq, p_workspace, e ->> 'type',
      -- the moment a request expires is known here, not in the function that asked
      case when e ->> 'type' = 'approval.requested' then
        ((e -> 'data') || jsonb_build_object('expiresAt', (select to_jsonb(expires_at) from approvals where id = (e #>> '{data,approvalId}')::uuid)))::text
      else (e -> 'data')::text end);
  end loop;
  perform audit_add_v1(p_run, p_workspace, a) from jsonb_array_elements(coalesce(p -> 'audit', '[]')) a;
  if p -> 'message' is not null and jsonb_typeof(p -> 'message') = 'object' then
    insert into messages (id, workspace_id, chat_id, role, text, run_id, withheld)
      values ((p #>> '{message,id}')::uuid, p_workspace, r.chat_id, 'assistant', p #>> '{message,text}', p_run,
              coalesce((p #>> '{message,withheld}')::boolean, false));
  end if;
  update run_steps set ended_at = aiw_now(), outcome = coalesce(p ->> 'outcome', v_next) where run_id = p_run and fence = p_fence;

  -- A cancel takes effect here, the safe point (RUN-8); a decision that came meanwhile sends the run on (RUN-14).
  if r.cancel_requested_at is not null and v_next in ('queued', 'waiting_approval', 'waiting_input') then v_next := 'cancelled'; end if;
  if v_next = 'waiting_approval' and exists (
       select from approvals a join tool_calls c on c.id = a.tool_call_id
         where a.run_id = p_run and c.status = 'waiting' and a.status <> coalesce(p -> 'seen' ->> a.id::text, 'pending')) then
    v_next := 'queued';
  end if;
  -- A write in flight is settled before its run ends (F46, F47): the next attempt asks the target, the last one a person.
  if v_next = any (v_final) and exists (select from approvals a where a.run_id = p_run and a.status = 'executing') then
    if (p ->> 'lastAttempt')::boolean then
      v_seq := run_unclear_v1(p_run, p_workspace, v_seq);
      v_next := 'needs_reconciliation';
    else
      v_next := 'queued';
      v_keep := true;
    end if;
  end if;
  update runs set last_item = v_item where id = p_run and last_item <> v_item;
  if v_next = any (v_final) then
    v_seq := run_close_v1(p_run, p_workspace, v_seq, 'Not carried out: the run ended before.');
  end if;
  update runs x set status = v_next, last_seq = v_seq,
         attempts = case when v_keep then x.attempts else 0 end,
         wake_at = case when v_next = 'queued' and p ? 'wakeAfterMs' then aiw_now() + make_interval(secs => (p ->> 'wakeAfterMs')::float / 1000) end,
         end_reason = case when v_next = p ->> 'status' then p ->> 'endReason' end,
         error_code = case when v_next = p ->> 'status' then p ->> 'errorCode' end,
         error_text = case when v_next = p ->> 'status' then p ->> 'errorText' end,
         model = coalesce(p ->> 'model', x.model), pins = coalesce(p -> 'pins', x.pins),
         policy_version = coalesce((p ->> 'policyVersion')::bigint, x.policy_version),
         tool_rounds = x.tool_rounds + coalesce((p ->> 'toolRounds')::integer, 0),
         model_calls = x.model_calls + coalesce((p ->> 'modelCalls')::integer, 0),
         input_tokens = x.input_tokens + coalesce((p ->> 'inputTokens')::bigint, 0),
         output_tokens = x.output_tokens + coalesce((p ->> 'outputTokens')::bigint, 0),
         context_fill = coalesce((p ->> 'contextFill')::real, x.context_fill),
         work_ms = x.work_ms + coalesce((select extract(epoch from aiw_now() - s.started_at) * 1000 from run_steps s
                                          where s.run_id = p_run and s.fence = p_fence), 0)::bigint
    where x.id = p_run returning x.last_seq into v_seq;

  if v_next = 'queued' and not (p ? 'wakeAfterMs') then v_ring := array_append(v_ring, p_run); end if;
  if v_next = any (v_final) and r.chat_id is not null then
    update chats set active_at = aiw_now() where id = r.chat_id;
    v_started := chat_start_next_v1(p_workspace, r.chat_id);
    if v_started is not null then v_ring := array_append(v_ring, v_started); end if;
  end if;
  -- The slot is free now: wake the run of this team that waited longest, whatever its workspace.
  perform set_config('aiw.workspaces', '', true);
  select x.id into v_parked from runs x where x.team_id = r.team_id and x.status = 'queued' and x.parked_at is not null
    order by x.queued_at limit 1 for update skip locked;
  if v_parked is not null then
    update runs set parked_at = null where id = v_parked;
    v_ring := array_append(v_ring, v_parked);
  end if;
  return query select true, v_next, v_seq, v_ring;
end $$;
--> statement-breakpoint
-- RUN-6: a lease that ran out. The run is queued again for another attempt at the same step (a write in flight is asked of
-- its probe there, never called again); when the attempts are used up it ends, and says why.
-- outcome: none | the new state. `ring`: the run itself or the next one of its chat.
create function run_recover_v1(p_run uuid, p_max_attempts integer) returns table (outcome text, team_id uuid, ring uuid)
language plpgsql as $$
declare r runs; v_seq bigint; v_next text; v_ring uuid; v_writing boolean;
begin
  select * into r from runs where id = p_run and status = 'running' and lease_until < aiw_now() for update skip locked;
  if not found then return query select 'none', null::uuid, null::uuid; return; end if;
  perform set_config('aiw.workspaces', r.workspace_id::text, true);
  update run_steps set ended_at = aiw_now(), outcome = 'lease_lost' where run_id = r.id and fence = r.fence and ended_at is null;
  v_seq := r.last_seq;
  v_writing := exists (select from approvals a where a.run_id = r.id and a.status = 'executing');
  v_next := case when v_writing and r.attempts >= p_max_attempts then 'needs_reconciliation'
                 when v_writing then 'queued'
                 when r.cancel_requested_at is not null then 'cancelled'
                 when r.attempts >= p_max_attempts then 'failed'
                 else 'queued' end;
  if v_next = 'needs_reconciliation' then v_seq := run_unclear_v1(r.id, r.workspace_id, v_seq); end if;
  if v_next in ('failed', 'cancelled') then
    v_seq := run_close_v1(r.id, r.workspace_id, v_seq, 'Not carried out: the run ended before.');
  end if;
  update runs set status = v_next, last_seq = v_seq,
         error_code = case when v_next = 'failed' then 'attempts_used_up' end,
         error_text = case when v_next = 'failed' then 'The step was interrupted ' || r.attempts || ' times.' end
    where id = r.id;
  v_ring := case when v_next = 'queued' then r.id end;
  if v_next in ('failed', 'cancelled') and r.chat_id is not null then v_ring := chat_start_next_v1(r.workspace_id, r.chat_id); end if;
  return query select v_next, r.team_id, v_ring;
end $$;
--> statement-breakpoint
-- RUN-5: the queued runs whose doorbell may be lost: due, not parked, not rung for the grace time times a growing factor.
-- Marks them rung; at most p_limit. Parked runs of teams with a free slot are woken first.
create function runs_ring_due_v1(p_grace_s integer, p_limit integer) returns table (run_id uuid, team_id uuid) language plpgsql as $$
declare v_now timestamptz := aiw_now();
begin
  -- A parked run whose turn it is has no message in flight: it is rung at once, not after the grace time.
  return query
    update runs u set parked_at = null, rung_at = v_now, rings = u.rings + 1 where u.id in (
      select p.id from (
        select x.id, x.team_id, row_number() over (partition by x.team_id order by x.queued_at) as nth
          from runs x where x.status = 'queued' and x.parked_at is not null) p
        join teams t on t.id = p.team_id
        where p.nth <= t.max_parallel_runs - (select count(*) from runs b where b.team_id = p.team_id and b.status = 'running' and b.lease_until > v_now))
      returning u.id, u.team_id;
  return query
    update runs u set rung_at = v_now, rings = u.rings + 1
      where u.id in (
        select x.id from runs x
          where x.status = 'queued' and x.parked_at is null and (x.wake_at is null or x.wake_at <= v_now)
            and coalesce(x.rung_at, greatest(x.queued_at, x.wake_at)) <
                v_now - make_interval(secs => p_grace_s * power(2, least(x.rings, 6)))
          order by x.queued_at limit p_limit for update skip locked)
      returning u.id, u.team_id;
end $$;
--> statement-breakpoint
-- RUN-8: cancels what waits at once; what runs stops at its next safe point.
-- outcome: cancelled | requested | not_cancellable | none. `started`: the next message of the chat.
create function run_cancel_v1(p_run uuid, p_user uuid) returns table (outcome text, started uuid, team_id uuid) language plpgsql as $$
declare r runs; v_seq bigint; v_started uuid;
begin
  select * into r from runs where id = p_run for update;
  if not found then return query select 'none', null::uuid, null::uuid; return; end if;
  -- A step at work, or a write that waits to be asked of its target: the run stops when that is settled (F46).
  if r.status = 'running'
     or r.status = 'queued' and exists (select from approvals a where a.run_id = p_run and a.status = 'executing') then
    update runs set cancel_requested_at = coalesce(cancel_requested_at, aiw_now()), cancelled_by = coalesce(cancelled_by, p_user) where id = p_run;
    return query select 'requested', null::uuid, r.team_id; return;
  end if;
  if r.status = 'cancelled' then return query select 'cancelled', null::uuid, r.team_id; return; end if;
  if r.status not in ('queued', 'waiting_approval', 'waiting_input')
     or exists (select from approvals a where a.run_id = p_run and a.status in ('executing', 'unknown')) then
    return query select 'not_cancellable', null::uuid, r.team_id; return;
  end if;
  v_seq := run_close_v1(p_run, r.workspace_id, r.last_seq, 'Not carried out: the run was cancelled.');
  update runs set status = 'cancelled', cancel_requested_at = aiw_now(), cancelled_by = p_user, last_seq = v_seq where id = p_run;
  if r.chat_id is not null then v_started := chat_start_next_v1(r.workspace_id, r.chat_id); end if;
  return query select 'cancelled', v_started, r.team_id;
end $$;
--> statement-breakpoint
-- F8: the result of one of several calls of a turn, kept as soon as it is there, with its event and audit row. The items
-- follow, in call order, when all calls of the turn have their outcome. False: the lease was lost, nothing was written.
create function call_finish_v1(p_run uuid, p_workspace uuid, p_fence bigint, p_lease_s integer, p jsonb) returns boolean language plpgsql as $$
declare v_seq bigint; c jsonb := p -> 'update';
begin
  perform set_config('aiw.workspaces', p_workspace::text, true);
  update runs set last_seq = last_seq + 1, lease_until = greatest(lease_until, aiw_now() + make_interval(secs => p_lease_s))
    where id = p_run and fence = p_fence and status = 'running' returning last_seq into v_seq;
  if not found then return false; end if;
  perform call_update_v1(p_run, c);
  insert into run_events (run_id, seq, workspace_id, type, data)
    values (p_run, v_seq, p_workspace, p #>> '{event,type}', (p #> '{event,data}')::text);
  perform audit_add_v1(p_run, p_workspace, p -> 'audit');
  return true;
end $$;
--> statement-breakpoint
-- Everything a step has to know, as plain rows in one round trip (building one JSON of a long history is several times
-- slower). Items: the newest p_items of the chat, oldest first. Calls: those of the last turn.
create function run_load_v1(p_run uuid, p_workspace uuid, p_items integer)
returns table (kind text, key text, data text) language plpgsql as $$
declare r runs;
begin
  perform set_config('aiw.workspaces', p_workspace::text, true);
  select * into r from runs where id = p_run;
  return query select 'workspace', null::text, json_build_object('id', w.id, 'name', w.name, 'description', w.description, 'teamId', w.team_id,
      'writePolicy', coalesce(s.forced_write_policy, w.write_policy), 'approvalTtlS', w.approval_ttl_s, 'maxToolRounds', w.max_tool_rounds,
      'policyVersion', w.policy_version + s.policy_version, 'chatMode', coalesce(c.mode, 'work'), 'chatTitle', c.title)::text
    from workspaces w cross join platform_settings s left join chats c on c.id = r.chat_id where w.id = p_workspace;
  return query select 'member', null::text, json_build_object('userId', u.id, 'displayName', u.display_name, 'role', m.role,
      'global', u.is_global_approver, 'disabled', u.disabled_at is not null)::text
    from memberships m join users u on u.id = m.user_id where m.workspace_id = p_workspace;
  return query select 'globals', null::text, (select json_agg(u.id) from users u where u.is_global_approver and u.disabled_at is null)::text;
  return query select 'tool', t.id, json_build_object('id', t.id, 'wireName', t.wire_name, 'sourceKind', t.source_kind, 'definitionHash', t.definition_hash,
      'riskClass', t.risk_class, 'decision', t.decision, 'level', t.level, 'fourEyes', t.four_eyes, 'active', coalesce(x.active, t.default_active))::text
    from tools t left join workspace_tools x on x.tool_id = t.id and x.workspace_id = p_workspace;
  return query select 'policy', p.id::text, json_build_object('id', p.id, 'level', p.level, 'sourceId', p.source_id, 'pattern', p.pattern, 'decision', p.decision,
      'approvalLevel', p.approval_level, 'fourEyes', p.four_eyes, 'label', p.label, 'version', p.version)::text
    from tool_policies p where p.workspace_id is null or p.workspace_id = p_workspace;
  return query select 'source', s.id::text, json_build_object('id', s.id, 'kind', s.kind, 'name', s.name, 'config', s.config, 'secret', s.secret,
      'status', s.status)::text from sources s where s.workspace_id = p_workspace and s.removed_at is null order by s.created_at;
  return query select 'call', c.id::text, row_to_json(c)::text from tool_calls c
    where c.run_id = p_run and c.step = (select max(step) from tool_calls where run_id = p_run) order by c.position;
  return query select 'approval', a.id::text, json_build_object('id', a.id, 'toolCallId', a.tool_call_id, 'toolId', a.tool_id, 'sourceId', a.source_id, 'status', a.status,
      'argsText', a.args_text, 'expired', a.status = 'pending' and a.expires_at <= aiw_now(), 'reason', a.decision_reason, 'endRun', a.end_run,
      'execFence', a.exec_fence, 'invalidReason', a.invalid_reason, 'result', a.result)::text
    from approvals a where a.run_id = p_run order by a.id;
  return query select 'item', q.run_id::text || ':' || q.step || ':' || q.kind, q.data from (
      select i.run_id, i.item, i.step, i.kind, i.data from run_items i
        where case when r.chat_id is null then i.run_id = p_run else i.chat_id = r.chat_id and i.run_id <= p_run end
        order by i.run_id desc, i.item desc limit p_items) q order by q.run_id, q.item;
end $$;
