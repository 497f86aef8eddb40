-- Runs that carry out one staged call or work for another run, inputs and sensitive answers, fair slots: the tables of the
-- first migrations are extended, and their functions replaced by what stands here.
create index users_global_approvers on users (id) where is_global_approver;
-- What a run is for: `chat` answers a message and holds its chat; `execution` carries out one staged call by itself (APR-8);
-- `child` works for another run (RUN-18). The last two belong to the run they come from. Of a child: the call of its parent it
-- answers, the tools it may use, its budget, and what it answered.
alter table runs add column lane text not null default 'chat' check (lane in ('chat', 'execution', 'child')),
  add column child_call_id uuid,
  add column tools text[],
  add column model_call_limit integer check (model_call_limit > 0),
  add column answer text,
  add foreign key (workspace_id, parent_run_id) references runs (workspace_id, id),
  add check ((lane = 'chat') = (parent_run_id is null)),
  add check ((lane = 'child') = (child_call_id is not null)),
  add check (lane <> 'child' or tools is not null and model_call_limit is not null),
  add check (lane = 'chat' or chat_id is null);
drop index runs_queued, runs_list, runs_leased;
-- RUN-19: the ready runs of a team by age. What waits for its time becomes ready then.
create index runs_ready on runs (team_id, coalesce(wake_at, queued_at)) where status = 'queued';
-- Slots. The lease itself is not part of it, so that a heartbeat touches no index.
create index runs_leased on runs (team_id) where status = 'running';
create index runs_parts on runs (parent_run_id) where parent_run_id is not null;
-- Of the platform's own messages: the staged request whose outcome it tells (APR-8), once.
alter table messages drop constraint messages_role_check, add check (role in ('user', 'assistant', 'system')),
  add column approval_id uuid;
create index messages_starting on messages (run_id) where role = 'system';
create unique index messages_outcome on messages (approval_id) where approval_id is not null;
-- APR-10: where a sensitive answer stands in the arguments they are sealed, and this is what may be shown.
alter table tool_calls add column args_shown text;
alter table tool_calls drop constraint tool_calls_status_check,
  add check (status in ('pending', 'waiting', 'executing', 'executed', 'rejected', 'expired', 'cancelled', 'invalid', 'denied', 'failed',
                        'unknown', 'submitted'));
-- staged_call_id (APR-8): the call that was answered "submitted"; `run_id` is then the run that carries out this request alone.
-- message: what the workspace wants its approvers to read. response_label: an input request (APR-9) asks for a person's text
-- under this label; the text is sealed, `request:<id>` its context. shown (APR-10): arguments, form, preview, preconditions and
-- snapshot are sealed; what of them may be shown, as JSON text.
alter table approvals add column staged_call_id uuid,
  add column message text,
  add column response_label text,
  add column sensitive boolean not null default false,
  add column response text,
  add column shown text,
  add check (response is null or response_label is not null);
create index approvals_sensitive on approvals (workspace_id) where sensitive;
create index approvals_staged on approvals (staged_call_id) where staged_call_id is not null;
-- A slot of a team is counted under an advisory lock; its row is not locked any more.
revoke update (max_parallel_runs) on teams from aiw_step;
--> statement-breakpoint
drop function run_start_v1, chat_start_next_v1, call_output_v1, run_unclear_v1, run_close_v1, call_update_v1, audit_add_v1, run_claim_v1, events_append_v1, run_commit_v1, run_recover_v1, runs_ring_due_v1, run_cancel_v1, call_finish_v1, run_load_v1;
drop function approval_decide_v1;
--> statement-breakpoint
-- RUN-1: the transition table, enforced where nothing can go around it. The same trigger tells every change of state
-- once (event and audit row in the transaction of the change). The hand-over between two steps of a run
-- (running -> queued -> running) is no news; `run_steps` records it.
create or replace function runs_guard() returns trigger language plpgsql as $$
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
-- RUN-2: a message becomes a run: row, first item of its history and first event, in the caller's transaction.
create function run_start_v1(p_workspace uuid, p_chat uuid, p_message uuid, p_text text, p_user uuid, p_title text)
returns uuid language plpgsql as $$
declare v_run uuid := uuidv7(); v_team uuid;
begin
  select team_id into strict v_team from workspaces where id = p_workspace;
  insert into runs (id, workspace_id, team_id, chat_id, title, started_by, agent_version_id, last_seq, last_item)
    values (v_run, p_workspace, v_team, p_chat, p_title, p_user, agent_current_v1(p_workspace), 1, 1);
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
  return run_start_v1(p_workspace, p_chat, m.id, m.text, m.author_id,
                      case when m.role = 'system' then split_part(m.text, ':', 1) else left(m.text, 80) end);
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
  update questions set status = 'cancelled' where run_id = p_run and status = 'open';
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
-- APR-8: a staged call becomes a run of its own that holds nothing but this call and waits for its request. It is made in the
-- transaction that answers the call "submitted", so that neither is there without the other.
create function run_stage_v1(p_run uuid, p_workspace uuid, x jsonb) returns void language plpgsql as $$
declare r runs; v_run uuid := (x ->> 'runId')::uuid; v_call uuid := (x ->> 'toolCallId')::uuid;
begin
  select * into r from runs where id = p_run;
  insert into runs (id, workspace_id, team_id, lane, parent_run_id, agent_version_id, title, started_by, status, shown_status, policy_version,
                    last_seq, last_item)
    values (v_run, p_workspace, r.team_id, 'execution', p_run, r.agent_version_id, x ->> 'title', r.started_by, 'waiting_approval',
            'waiting_approval', r.policy_version, 2, 1);
  insert into run_items (run_id, item, workspace_id, step, kind, call_id, data)
    values (v_run, 1, p_workspace, 0, 'function_call', x ->> 'callId', x ->> 'item');
  insert into tool_calls (id, workspace_id, run_id, call_id, step, position, wire_name, tool_id, source_id, args_text, args_shown, args_sha256,
                          risk_class, decision, explanation, model_note, status)
    select v_call, p_workspace, v_run, c.call_id, 0, 0, c.wire_name, c.tool_id, (x ->> 'sourceId')::uuid, x ->> 'args', x ->> 'argsShown', c.args_sha256,
           x ->> 'riskClass', x ->> 'decision', x -> 'explanation', c.model_note, 'waiting'
      from tool_calls c where c.id = (x ->> 'stagedCallId')::uuid and c.run_id = p_run;
  insert into run_events (run_id, seq, workspace_id, type, data) values
    (v_run, 1, p_workspace, 'run.status', json_build_object('status', 'waiting_approval')::text),
    (v_run, 2, p_workspace, 'tool.requested', json_build_object('callId', x ->> 'callId', 'toolCallId', v_call, 'tool', x ->> 'toolId',
      'wireName', x ->> 'wireName', 'sourceId', x ->> 'sourceId', 'riskClass', x ->> 'riskClass', 'args', left(coalesce(x ->> 'argsShown', x ->> 'args'), 20000))::text);
end $$;
--> statement-breakpoint
-- RUN-18: a child run begins with its task, in the transaction that lets its parent wait for it.
create function run_child_v1(p_run uuid, p_workspace uuid, x jsonb) returns uuid language plpgsql as $$
declare v_run uuid := (x ->> 'runId')::uuid;
begin
  insert into runs (id, workspace_id, team_id, lane, parent_run_id, child_call_id, tools, model_call_limit, agent_version_id, title, started_by,
                    last_seq, last_item)
    select v_run, p_workspace, r.team_id, 'child', p_run, (x ->> 'toolCallId')::uuid,
           array(select jsonb_array_elements_text(x -> 'tools')), (x ->> 'maxModelCalls')::integer, r.agent_version_id, x ->> 'title', r.started_by, 1, 1
      from runs r where r.id = p_run;
  insert into run_items (run_id, item, workspace_id, step, kind, data) values (v_run, 1, p_workspace, 0, 'user', x ->> 'item');
  insert into run_events (run_id, seq, workspace_id, type, data)
    values (v_run, 1, p_workspace, 'run.status', json_build_object('status', 'queued')::text);
  return v_run;
end $$;
--> statement-breakpoint
-- Lock order: a parent before its children. Whoever ends a child takes its parent's lock first.
create function run_parent_lock_v1(p_run uuid) returns void language sql as $$
  select id from runs where id = (select c.parent_run_id from runs c where c.id = p_run and c.lane = 'child') for update
$$;
--> statement-breakpoint
-- RUN-8: a cancelled run takes the runs with it that came from it: what waits ends now, what works stops at its next safe point.
create function run_cancel_parts_v1(p_run uuid) returns void language plpgsql as $$
declare x runs;
begin
  for x in select * from runs where parent_run_id = p_run and status in ('queued', 'running', 'waiting_approval', 'waiting_input')
             order by id for update loop
    if x.status = 'running' or exists (select from approvals a where a.run_id = x.id and a.status = 'executing') then
      update runs set cancel_requested_at = coalesce(cancel_requested_at, aiw_now()) where id = x.id;
    else
      x.last_seq := run_close_v1(x.id, x.workspace_id, x.last_seq, 'Not carried out: the run it came from was cancelled.');
      update runs set status = 'cancelled', cancel_requested_at = aiw_now(), last_seq = x.last_seq where id = x.id;
    end if;
  end loop;
end $$;
--> statement-breakpoint
-- What the end of a run starts, in the transaction of that end: the next message of its chat (RUN-1), or, of a staged call,
-- the message that tells its outcome (APR-8), which waits its turn like any other. Null: nothing starts now.
create function run_ended_v1(p_run uuid) returns uuid language plpgsql as $$
declare r runs; a approvals; c tool_calls; v_chat uuid; v_by text; v_what text;
begin
  select * into r from runs where id = p_run;
  if r.status = 'cancelled' then perform run_cancel_parts_v1(p_run); end if;
  if r.lane = 'chat' then
    return case when r.chat_id is not null then chat_start_next_v1(r.workspace_id, r.chat_id) end;
  end if;
  -- F75: the end of a child wakes its parent, which holds no slot while it waits.
  if r.lane = 'child' then
    update runs p set status = 'queued', wake_at = null
      where p.id = r.parent_run_id and p.status in ('queued', 'waiting_approval', 'waiting_input') returning p.id into v_chat;
    return v_chat;
  end if;
  with recursive up as (
    select x.parent_run_id, x.chat_id from runs x where x.id = p_run
    union all select x.parent_run_id, x.chat_id from runs x join up on x.id = up.parent_run_id)
    select chat_id into v_chat from up where chat_id is not null limit 1;
  select * into a from approvals where run_id = p_run order by id desc limit 1;
  -- The run it came from was cancelled with it: the person who did that needs no news of it.
  if v_chat is null or a.id is null or (select p.status = 'cancelled' from runs p where p.id = r.parent_run_id) then return null; end if;
  select * into c from tool_calls where id = a.tool_call_id;
  select u.display_name into v_by from users u where u.id = a.decided_by;
  v_what := case a.status
    when 'executed' then 'approved by ' || v_by || ' and executed. The result follows.'
    when 'failed' then 'approved by ' || v_by || '; carrying it out failed. The result follows.'
    when 'rejected' then 'rejected by ' || v_by || '. The reason follows.'
    when 'expired' then 'expired. Nobody decided in time.'
    when 'invalid' then 'not executed, because the request was no longer valid (' || a.invalid_reason || ').'
    else 'cancelled before it was executed.' end;
  insert into messages (id, workspace_id, chat_id, role, text, author_id, waiting, approval_id)
    values (uuidv7(), r.workspace_id, v_chat, 'system',
            'Outcome of request #' || a.number || ': ' || v_what || E'\n\n' || call_output_v1(c, v_what), r.started_by, true, a.id);
  update chats set active_at = aiw_now() where id = v_chat;
  -- Takes the chat's lock as whoever posts does; while a run is at work there, its end starts this message.
  perform from chats where id = v_chat for update;
  if exists (select from runs x where x.chat_id = v_chat
               and x.status in ('queued', 'running', 'waiting_approval', 'waiting_input', 'needs_reconciliation')) then
    return null;
  end if;
  return chat_start_next_v1(r.workspace_id, v_chat);
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
-- Audit rows as the step tells them, in order, but those about objects of p_without.
create function audit_add_v1(p_run uuid, p_workspace uuid, p_rows jsonb, p_without text[] default '{}') returns void language sql as $$
  insert into audit_events (workspace_id, actor_kind, actor_id, event, object_kind, object_id, run_id, source, data)
    select p_workspace, a ->> 'actorKind', (a ->> 'actorId')::uuid, a ->> 'event', a ->> 'objectKind', a ->> 'objectId', p_run,
           a ->> 'source', coalesce(a -> 'data', '{}')
      from jsonb_array_elements(p_rows) a where not coalesce(a ->> 'objectId' = any (p_without), false)
$$;
--> statement-breakpoint
-- Who counts or frees the slots of a team takes turns on this key.
create function team_slots_key(p_team uuid) returns bigint language sql immutable as
$$ select hashtextextended('aiw.team:' || p_team::text, 0) $$;
--> statement-breakpoint
-- RUN-19: the oldest ready run of the least loaded team with a free slot, locked; null when there is none. With p_below only
-- teams with fewer slots taken than that.
create function run_pick_v1(p_now timestamptz, p_below bigint) returns uuid language plpgsql set plan_cache_mode = 'force_generic_plan' as $$
declare t record; v_busy bigint; v_run uuid;
begin
  for t in
    -- Hops from team to team along the index: teams with nothing to do cost nothing, however many runs the others queue.
    with recursive queued (team_id) as (
      (select x.team_id from runs x where x.status = 'queued' order by x.team_id limit 1)
      union all
      select (select x.team_id from runs x where x.status = 'queued' and x.team_id > q.team_id order by x.team_id limit 1)
        from queued q where q.team_id is not null)
    select q.team_id, m.max_parallel_runs from queued q join teams m on m.id = q.team_id
      cross join lateral (select count(*) as busy from runs b where b.team_id = q.team_id and b.status = 'running' and b.lease_until > p_now) s
      cross join lateral (select coalesce(x.wake_at, x.queued_at) as ready_at from runs x where x.team_id = q.team_id and x.status = 'queued'
                            order by coalesce(x.wake_at, x.queued_at) limit 1) o
      where s.busy < least(m.max_parallel_runs, p_below) and o.ready_at <= p_now
      order by s.busy, o.ready_at
  loop
    -- Somebody else claims for this team right now: waiting here, with another team's key in hand, could wait for ever.
    continue when not pg_try_advisory_xact_lock(team_slots_key(t.team_id));
    select count(*) into v_busy from runs b where b.team_id = t.team_id and b.status = 'running' and b.lease_until > p_now;
    continue when v_busy >= t.max_parallel_runs;
    select x.id into v_run from runs x where x.team_id = t.team_id and x.status = 'queued' and coalesce(x.wake_at, x.queued_at) <= p_now
      order by coalesce(x.wake_at, x.queued_at) limit 1 for update skip locked;
    if v_run is not null then return v_run; end if;
  end loop;
  return null;
end $$;
--> statement-breakpoint
-- RUN-4, RUN-10, RUN-19: which run a message leads to, locked. It is the named one if it is ready and its turn has come;
-- otherwise the message is a hint that there is work, and whose turn it is gets it. A message whose run is not ready (any
-- more) leads to nothing. outcome: found | none (drop the message) | parked (no free slot for the named run and nothing else
-- to do; it is rung when a slot frees). displaced: the named run let another team's go first and needs a message again.
create function run_choose_v1(p_run uuid, p_now timestamptz) returns table (outcome text, run_id uuid, displaced jsonb) language plpgsql set plan_cache_mode = 'force_generic_plan' as $$
declare r runs; v_max integer; v_busy bigint; v_elder uuid;
begin
  select * into r from runs where id = p_run and status = 'queued' and coalesce(wake_at, queued_at) <= p_now for update; -- waits for who decides or cancels: a message that is dropped does not come again
  if not found then return query select 'none', null::uuid, null::jsonb; return; end if;
  perform pg_advisory_xact_lock(team_slots_key(r.team_id));
  select t.max_parallel_runs into v_max from teams t where t.id = r.team_id;
  select count(*) into v_busy from runs b where b.team_id = r.team_id and b.status = 'running' and b.lease_until > p_now;
  outcome := 'found';
  if v_busy < v_max then
    -- Within a team the age decides: no free slot is taken from those who were parked before.
    select x.id into v_elder from runs x where x.team_id = r.team_id and x.status = 'queued' and x.parked_at is not null and x.queued_at < r.queued_at
      order by x.queued_at limit 1 for update skip locked;
    if v_elder is null or (select count(*) from (select from runs x where x.team_id = r.team_id and x.status = 'queued'
           and x.parked_at is not null and x.queued_at < r.queued_at limit v_max - v_busy) e) < v_max - v_busy then
      -- Between teams the load decides: a long queue of one holds up no other.
      if v_busy > 0 then run_id := run_pick_v1(p_now, v_busy); end if;
      if run_id is not null then displaced := jsonb_build_object('runId', r.id, 'teamId', r.team_id); end if;
      run_id := coalesce(run_id, r.id);
      return next; return;
    end if;
    run_id := v_elder;
  end if;
  -- No message is left for it: it is rung when a slot frees.
  update runs set parked_at = coalesce(parked_at, p_now), rung_at = null, rings = 0 where id = r.id;
  run_id := coalesce(run_id, run_pick_v1(p_now, null));
  if run_id is null then outcome := 'parked'; end if;
  return next;
end $$;
--> statement-breakpoint
-- RUN-3, RUN-4: takes the run a message leads to for p_lease_s seconds. Each claim raises the fence.
-- outcome: claimed | none | parked, as of run_choose_v1.
create function run_claim_v1(p_run uuid, p_lease_s integer)
returns table (outcome text, run jsonb) language plpgsql set plan_cache_mode = 'force_generic_plan' as $$
declare r runs; v_now timestamptz := aiw_now(); v_kind text; v_reset boolean; v_queued timestamptz; v_chosen record;
begin
  select * into v_chosen from run_choose_v1(p_run, v_now);
  if v_chosen.outcome <> 'found' then
    return query select v_chosen.outcome, null::jsonb; return;
  end if;
  select * into r from runs where id = v_chosen.run_id;
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
  return query select 'claimed', to_jsonb(r) || jsonb_build_object('kind', v_kind, 'displaced', v_chosen.displaced);
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
returns table (done boolean, status text, last_seq bigint, ring uuid[]) language plpgsql set plan_cache_mode = 'force_generic_plan' as $$
declare
  r runs; v_seq bigint; v_item bigint; v_next text; v_ring uuid[] := '{}'; v_started uuid; v_parked uuid; v_now timestamptz := aiw_now(); v_worked bigint; v_told bigint; e jsonb;
  v_keep boolean := coalesce((p ->> 'keepAttempts')::boolean, false);
  v_final constant text[] := array['completed', 'failed', 'cancelled', 'blocked_by_guardrail'];
  -- Requests that may not take the place of the one they follow: somebody was faster.
  v_late text[] := '{}';
  v_old approvals;
  v_slept boolean;
begin
  perform set_config('aiw.workspaces', p_workspace::text, true);
  perform run_parent_lock_v1(p_run);
  select * into r from runs where id = p_run and fence = p_fence and runs.status = 'running' for update;
  if not found then return query select false, null::text, null::bigint, v_ring; return; end if;
  v_seq := r.last_seq; v_item := r.last_item; v_next := p ->> 'status';

  if p ? 'calls' then
    insert into tool_calls (id, workspace_id, run_id, call_id, step, position, wire_name, tool_id, source_id, args_text, args_shown, args_sha256,
                            risk_class, decision, explanation, model_note, status, result, result_bytes)
      select (c ->> 'id')::uuid, p_workspace, p_run, c ->> 'callId', r.step, (c ->> 'position')::integer, c ->> 'wireName',
             c ->> 'toolId', (c ->> 'sourceId')::uuid, c ->> 'args', c ->> 'argsShown', c ->> 'argsHash', c ->> 'riskClass', c ->> 'decision',
             c -> 'explanation', c ->> 'note', coalesce(c ->> 'status', 'pending'), c ->> 'result', coalesce((c ->> 'resultBytes')::integer, 0)
        from jsonb_array_elements(p -> 'calls') c;
  end if;
  if p ? 'callUpdates' then
    perform call_update_v1(p_run, c) from jsonb_array_elements(p -> 'callUpdates') c;
  end if;
  if p ? 'items' then
    insert into run_items (run_id, item, workspace_id, chat_id, step, kind, call_id, data, model_id)
      select p_run, v_item + i.ord, p_workspace, r.chat_id, r.step, i.x ->> 'kind', i.x ->> 'callId', i.x ->> 'data', (p ->> 'modelId')::uuid
        from jsonb_array_elements(p -> 'items') with ordinality as i (x, ord);
    v_item := v_item + jsonb_array_length(p -> 'items');
  end if;

  if p ? 'requests' then
    -- APR-19: a request of the same call closes the one it follows here, in the transaction that opens it. One that was decided,
    -- cancelled or ran out meanwhile keeps its end, and nothing takes its place.
    for e in select x from jsonb_array_elements(p -> 'requests') x where x ->> 'predecessorId' is not null loop
      select * into v_old from approvals a where a.id = (e ->> 'predecessorId')::uuid for update;
      continue when v_old.tool_call_id <> (e ->> 'toolCallId')::uuid;
      if v_old.status <> 'pending' or v_old.expires_at <= aiw_now() then
        v_late := v_late || (e ->> 'id');
        continue;
      end if;
      update approvals a set status = 'invalid', invalid_reason = 'stale', result = a.stale_reason, ended_at = aiw_now() where a.id = v_old.id;
      v_seq := v_seq + 1;
      insert into run_events (run_id, seq, workspace_id, type, data) values (p_run, v_seq, p_workspace, 'approval.changed',
        json_build_object('callId', v_old.call_id, 'toolCallId', v_old.tool_call_id, 'approvalId', v_old.id, 'status', 'invalid')::text);
      insert into audit_events (workspace_id, actor_kind, event, object_kind, object_id, run_id, source, data)
        values (p_workspace, 'system', 'approval.invalid', 'approval', v_old.id, p_run, 'approval',
                jsonb_build_object('tool', v_old.tool_id, 'reason', 'stale', 'successor', e ->> 'id'));
    end loop;
  end if;
  if p ? 'children' then
    v_ring := v_ring || array(select run_child_v1(p_run, p_workspace, x) from jsonb_array_elements(p -> 'children') x);
  end if;
  if p ? 'questions' then
    insert into questions (id, workspace_id, run_id, tool_call_id, text, anyone)
      select (q ->> 'id')::uuid, p_workspace, p_run, (q ->> 'toolCallId')::uuid, q ->> 'text', (q ->> 'anyone')::boolean
        from jsonb_array_elements(p -> 'questions') q;
  end if;
  if p ? 'executions' then
    perform run_stage_v1(p_run, p_workspace, x) from jsonb_array_elements(p -> 'executions') x;
  end if;
  if p ? 'requests' then
    insert into approvals (id, number, workspace_id, run_id, chat_id, tool_call_id, staged_call_id, call_id, source_id, tool_id, requester_id, title, snapshot,
                           snapshot_hash, args_text, form, form_version, preview, preconditions, definition_hash, policy_version, level,
                           four_eyes, risk_class, explanation, model_note, message, response_label, sensitive, shown, allowed_by_policy, status, expires_at, execute_before, predecessor_id)
      overriding system value
      select (a ->> 'id')::uuid, coalesce((a ->> 'number')::bigint, nextval('approvals_number_seq')), p_workspace,
             coalesce((a ->> 'runId')::uuid, p_run), coalesce(r.chat_id, (select o.chat_id from runs o where o.id = r.parent_run_id)), (a ->> 'toolCallId')::uuid,
             coalesce((a ->> 'stagedCallId')::uuid, (select o.staged_call_id from approvals o
               where o.id = (a ->> 'predecessorId')::uuid and o.tool_call_id = (a ->> 'toolCallId')::uuid)), a ->> 'callId', (a ->> 'sourceId')::uuid,
             a ->> 'toolId', r.started_by, a ->> 'title', a ->> 'snapshot', a ->> 'snapshotHash', a ->> 'args', a ->> 'form',
             (a ->> 'formVersion')::integer, a ->> 'preview', a ->> 'preconditions', a ->> 'definitionHash', (a ->> 'policyVersion')::bigint,
             a ->> 'level', (a ->> 'fourEyes')::boolean, a ->> 'riskClass', a ->> 'explanation', a ->> 'modelNote',
             a ->> 'message', a ->> 'responseLabel', coalesce((a ->> 'sensitive')::boolean, false), a ->> 'shown',
             (a ->> 'allowedByPolicy')::boolean, case when (a ->> 'allowedByPolicy')::boolean then 'approved' else 'pending' end,
             case when (a ->> 'allowedByPolicy')::boolean then null else aiw_now() + make_interval(secs => (a ->> 'ttlS')::integer) end,
             case when (a ->> 'allowedByPolicy')::boolean then aiw_now() + make_interval(secs => (a ->> 'executeWithinS')::integer) end,
             (a ->> 'predecessorId')::uuid
        from jsonb_array_elements(p -> 'requests') a where not a ->> 'id' = any (v_late);
  end if;
  if p ? 'unprepared' then
    -- A click that asked for a preparation which could not be made now: the request stays as it is, and can be asked for again.
    for e in select x from jsonb_array_elements(p -> 'unprepared') x loop
      update approvals a set again_asked_at = null, again_asked_by = null
        where a.id = (e ->> 'id')::uuid and a.run_id = p_run and a.status = 'pending' and a.again_asked_at is not null;
      if found then
        v_seq := v_seq + 1;
        insert into run_events (run_id, seq, workspace_id, type, data)
          values (p_run, v_seq, p_workspace, e #>> '{event,type}', (e #> '{event,data}')::text);
        perform audit_add_v1(p_run, p_workspace, jsonb_build_array(e -> 'audit'));
      end if;
    end loop;
  end if;
  -- What became of a request is told and audited with the change itself: a person who was faster is not talked over.
  if p ? 'settles' then
    for e in select x from jsonb_array_elements(p -> 'settles') x loop
      update approvals a set status = e ->> 'status', invalid_reason = e ->> 'invalidReason', result = e ->> 'result', facts = e -> 'facts',
             executed_hash = e ->> 'executedHash', reconciled = coalesce((e ->> 'reconciled')::boolean, a.reconciled),
             ended_at = case when e ->> 'status' = 'unknown' then null else aiw_now() end
        where a.id = (e ->> 'id')::uuid and a.run_id = p_run and a.status in ('pending', 'approved', 'executing');
      if found then
        v_seq := v_seq + 1;
        insert into run_events (run_id, seq, workspace_id, type, data)
          values (p_run, v_seq, p_workspace, e #>> '{event,type}', (e #> '{event,data}')::text);
        perform audit_add_v1(p_run, p_workspace, jsonb_build_array(e -> 'audit'));
      end if;
    end loop;
  end if;

  if p ? 'events' then
    insert into run_events (run_id, seq, workspace_id, type, data)
      select p_run, v_seq + row_number() over (order by o.ord), p_workspace, o.x ->> 'type',
             -- the moment a request expires is known here, not in the function that asked
             case when o.x ->> 'type' = 'approval.requested' then
               ((o.x -> 'data') || jsonb_build_object('expiresAt', (select to_jsonb(a.expires_at) from approvals a where a.id = (o.x #>> '{data,approvalId}')::uuid)))::text
             else (o.x -> 'data')::text end
        from jsonb_array_elements(p -> 'events') with ordinality as o (x, ord)
        where not coalesce(o.x #>> '{data,approvalId}' = any (v_late), false);
    get diagnostics v_told = row_count;
    v_seq := v_seq + v_told;
  end if;
  if p ? 'audit' then perform audit_add_v1(p_run, p_workspace, p -> 'audit', v_late); end if;
  if r.lane = 'child' then
    update runs set answer = p #>> '{message,text}' where id = p_run and p ? 'message';
  elsif p ? 'message' then
    insert into messages (id, workspace_id, chat_id, role, text, run_id, withheld)
      values ((p #>> '{message,id}')::uuid, p_workspace, r.chat_id, 'assistant', p #>> '{message,text}', p_run,
              coalesce((p #>> '{message,withheld}')::boolean, false));
  end if;
  update run_steps s set ended_at = v_now, outcome = coalesce(p ->> 'outcome', v_next) where s.run_id = p_run and s.fence = p_fence
    returning (extract(epoch from v_now - s.started_at) * 1000)::bigint into v_worked;

  -- A cancel takes effect here, the safe point (RUN-8); a decision that came meanwhile sends the run on (RUN-14).
  if r.cancel_requested_at is not null and v_next in ('queued', 'waiting_approval', 'waiting_input') then v_next := 'cancelled'; end if;
  if v_next in ('waiting_approval', 'waiting_input') and exists (
       select from approvals a join tool_calls c on c.id = a.tool_call_id
         where a.run_id = p_run and c.status = 'waiting'
           and (a.status <> coalesce(p -> 'seen' ->> a.id::text, 'pending') or a.status = 'pending' and a.again_asked_at is not null)
           and not exists (select from approvals s where s.predecessor_id = a.id and s.tool_call_id = a.tool_call_id)) then
    v_next := 'queued';
  end if;
  -- The same for a child that ended meanwhile (F75).
  v_slept := p ? 'wakeAfterMs';
  if (v_next = 'queued' and p ->> 'outcome' = 'children' or v_next in ('waiting_approval', 'waiting_input')) and exists (
       select from runs x join tool_calls c on c.id = x.child_call_id
         where x.parent_run_id = p_run and c.status = 'waiting' and x.status = any (v_final)) then
    v_slept := false;
    v_next := 'queued';
  end if;
  -- The same for a question that was answered while this step looked at others (RUN-16).
  if v_next in ('waiting_approval', 'waiting_input') and exists (
       select from questions q join tool_calls c on c.id = q.tool_call_id
         where q.run_id = p_run and c.status = 'waiting' and q.status = 'answered') then
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
  if v_next = any (v_final) then
    update runs set last_item = v_item where id = p_run and last_item <> v_item;
    v_seq := run_close_v1(p_run, p_workspace, v_seq, 'Not carried out: the run ended before.');
  end if;
  update runs x set status = v_next, last_seq = v_seq, last_item = greatest(x.last_item, v_item),
         attempts = case when v_keep then x.attempts else 0 end,
         wake_at = case when v_next = 'queued' and v_slept then aiw_now() + make_interval(secs => (p ->> 'wakeAfterMs')::float / 1000) end,
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
         cost = case when p ->> 'cost' is null then x.cost else coalesce(x.cost, 0) + (p ->> 'cost')::numeric end,
         work_ms = x.work_ms + coalesce(v_worked, 0)
    where x.id = p_run returning x.last_seq into v_seq;

  if v_next = 'queued' and not v_slept then v_ring := array_append(v_ring, p_run); end if;
  if v_next = any (v_final) then
    update chats set active_at = aiw_now() where id = r.chat_id;
    v_started := run_ended_v1(p_run);
    if v_started is not null then v_ring := array_append(v_ring, v_started); end if;
  end if;
  -- The slot is free now: wake the run of this team that waited longest, whatever its workspace. Shared with other commits,
  -- in turn with claims: one that found no slot has parked its run before this looks, or finds the slot free afterwards.
  perform pg_advisory_xact_lock_shared(team_slots_key(r.team_id));
  perform set_config('aiw.workspaces', '', true);
  select x.id into v_parked from runs x where x.team_id = r.team_id and x.status = 'queued' and x.parked_at is not null and x.rung_at is null
    order by x.queued_at limit 1 for update skip locked;
  if v_parked is not null then
    -- Parked until it is claimed, so that nobody younger of its team is faster; rung, so that the next slot is another's.
    update runs set rung_at = v_now where id = v_parked;
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
  perform run_parent_lock_v1(p_run);
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
  if v_next in ('failed', 'cancelled') then v_ring := run_ended_v1(r.id); end if;
  return query select v_next, r.team_id, v_ring;
end $$;
--> statement-breakpoint
-- RUN-5: the queued runs whose doorbell may be lost: due, not parked, not rung for the grace time times a growing factor.
-- Marks them rung; at most p_limit. Parked runs of teams with a free slot are woken first.
create function runs_ring_due_v1(p_grace_s integer, p_limit integer) returns table (run_id uuid, team_id uuid) language plpgsql as $$
declare v_now timestamptz := aiw_now(); t record; v_left integer := p_limit;
begin
  -- A parked run whose turn it is has no message in flight: it is rung at once, and again after the grace time.
  for t in
    with recursive parked (team_id) as (
      (select x.team_id from runs x where x.status = 'queued' and x.parked_at is not null order by x.team_id limit 1)
      union all
      select (select x.team_id from runs x where x.status = 'queued' and x.parked_at is not null and x.team_id > p.team_id order by x.team_id limit 1)
        from parked p where p.team_id is not null)
    select m.id, m.max_parallel_runs - (select count(*) from runs b where b.team_id = m.id and b.status = 'running' and b.lease_until > v_now) as free
      from parked p join teams m on m.id = p.team_id
  loop
    continue when t.free <= 0 or v_left <= 0;
    return query
      update runs u set rung_at = v_now, rings = u.rings + 1 where u.id in (
        select o.id from (
          select x.id, x.rung_at, x.rings from runs x where x.team_id = t.id and x.status = 'queued' and x.parked_at is not null
            order by x.queued_at limit least(t.free, v_left) for update skip locked) o
          where o.rung_at is null or o.rung_at < v_now - make_interval(secs => p_grace_s * power(2, least(o.rings, 6))))
        returning u.id, u.team_id;
    v_left := v_left - least(t.free, v_left)::integer;
  end loop;
  return query
    update runs u set rung_at = v_now, rings = u.rings + 1
      where u.id in (
        select x.id from runs x
          where x.status = 'queued' and x.parked_at is null and coalesce(x.wake_at, x.queued_at) <= v_now
            and coalesce(x.rung_at, x.wake_at, x.queued_at) < v_now - make_interval(secs => p_grace_s * power(2, least(x.rings, 6)))
          order by coalesce(x.wake_at, x.queued_at) limit greatest(v_left, 0) for update skip locked)
      returning u.id, u.team_id;
end $$;
--> statement-breakpoint
-- RUN-8: cancels what waits at once; what runs stops at its next safe point.
-- outcome: cancelled | requested | not_cancellable | none. `started`: the next message of the chat.
create function run_cancel_v1(p_run uuid, p_user uuid) returns table (outcome text, started uuid, team_id uuid) language plpgsql as $$
declare r runs; v_seq bigint; v_started uuid;
begin
  perform run_parent_lock_v1(p_run);
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
  v_started := run_ended_v1(p_run);
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
  perform audit_add_v1(p_run, p_workspace, jsonb_build_array(p -> 'audit'));
  return true;
end $$;
--> statement-breakpoint
-- The claim, and with it everything the step has to know: one round trip. The first row is the claim (`claim`, its outcome,
-- the run), the rows of run_load_v1 follow.
create function run_take_v1(p_run uuid, p_lease_s integer, p_items integer)
returns table (kind text, key text, data text) language plpgsql as $$
declare c record;
begin
  select * into c from run_claim_v1(p_run, p_lease_s);
  return query select 'claim', c.outcome, c.run::text;
  if c.outcome = 'claimed' then
    return query select * from run_load_v1((c.run ->> 'id')::uuid, (c.run ->> 'workspace_id')::uuid, c.run ->> 'kind', p_items);
  end if;
end $$;
--> statement-breakpoint
-- Everything a step has to know, as plain rows in one round trip (building one JSON of a long history is several times
-- slower). Calls: those of the last turn. What only a turn of the model needs comes with a model step alone: the model, and
-- the newest p_items of the chat, oldest first.
create function run_load_v1(p_run uuid, p_workspace uuid, p_step text, p_items integer)
returns table (kind text, key text, data text) language plpgsql set plan_cache_mode = 'force_generic_plan' as $$
declare r runs; v_model uuid; v_chat uuid;
begin
  perform set_config('aiw.workspaces', p_workspace::text, true);
  select * into r from runs where id = p_run;
  v_chat := coalesce(r.chat_id, (select x.chat_id from runs x where x.id = r.parent_run_id));
  return query select 'agent', v.id::text, v.settings::text from agent_versions v where v.id = r.agent_version_id;
  return query select 'workspace', null::text, json_build_object('id', w.id, 'name', w.name, 'description', w.description, 'teamId', w.team_id,
      'writePolicy', coalesce(s.forced_write_policy, w.write_policy), 'approvalTtlS', w.approval_ttl_s,
      'combined', workspace_combined_v1(w.id), 'maxToolRounds', w.max_tool_rounds,
      'policyVersion', w.policy_version + s.policy_version, 'chatMode', coalesce(c.mode, 'work'), 'chatTitle', c.title,
      'limits', json_build_object('modelCalls', s.max_model_calls, 'runTokens', s.max_run_tokens, 'runWallS', s.max_run_wall_s,
                                  'toolResultBytes', s.max_tool_result_bytes, 'identicalCalls', s.max_identical_calls))::text
    from workspaces w cross join platform_settings s left join chats c on c.id = v_chat where w.id = p_workspace;
  return query select 'member', null::text, json_build_object('userId', u.id, 'displayName', u.display_name, 'role', m.role,
      'global', u.is_global_approver, 'disabled', u.disabled_at is not null)::text
    from memberships m join users u on u.id = m.user_id where m.workspace_id = p_workspace;
  return query select 'globals', null::text, (select json_agg(u.id) from users u where u.is_global_approver and u.disabled_at is null)::text;
  -- A server's tools: those of servers this workspace uses; the definition goes along once somebody classified it (MCP-1).
  return query select 'tool', t.id, json_build_object('id', t.id, 'wireName', t.wire_name, 'sourceKind', t.source_kind, 'definitionHash', t.definition_hash,
      'riskClass', t.risk_class, 'decision', t.decision, 'level', t.level, 'fourEyes', t.four_eyes,
      'active', coalesce(x.active, t.default_active) and t.missing_at is null,
      'stored', case when t.kind = 'mcp' then json_build_object('definition', case when t.risk_class is not null then t.definition end,
                                                                'settings', t.settings, 'instructionsHash', t.instructions_hash) end)::text
    from tools t left join workspace_tools x on x.tool_id = t.id and x.workspace_id = p_workspace
    where t.kind = 'native' or t.source_kind in (select c.tool_source from connected_sources c where c.workspace_id = p_workspace);
  return query select 'policy', p.id::text, json_build_object('id', p.id, 'level', p.level, 'sourceId', p.source_id, 'pattern', p.pattern, 'decision', p.decision,
      'approvalLevel', p.approval_level, 'fourEyes', p.four_eyes, 'label', p.label, 'version', p.version, 'condition', p.condition)::text
    from tool_policies p where p.workspace_id is null or p.workspace_id = p_workspace;
  return query select 'source', s.id::text, json_build_object('id', s.id, 'kind', s.kind, 'name', s.name, 'config', s.config, 'secret', s.secret,
      'secretContext', s.secret_context, 'toolSource', s.tool_source, 'labels', s.labels, 'status', s.status)::text
    from connected_sources s where s.workspace_id = p_workspace order by s.created_at;
  return query select 'call', c.id::text, row_to_json(c)::text from tool_calls c
    where c.run_id = p_run and c.step = (select max(step) from tool_calls where run_id = p_run) order by c.position;
  return query select 'approval', a.id::text, json_build_object('id', a.id, 'toolCallId', a.tool_call_id, 'toolId', a.tool_id, 'sourceId', a.source_id, 'status', a.status,
      'argsText', a.args_text, 'askedAgain', a.again_asked_at is not null, 'staleReason', a.stale_reason, 'expired', a.status = 'pending' and a.expires_at <= aiw_now(), 'reason', a.decision_reason, 'endRun', a.end_run,
      'execFence', a.exec_fence, 'invalidReason', a.invalid_reason, 'result', a.result, 'snapshotHash', a.snapshot_hash,
      'input', case when a.response_label is not null then json_build_object('sensitive', a.sensitive, 'response', a.response) end)::text
    from approvals a where a.run_id = p_run order by a.id;
  return query select 'child', x.id::text, json_build_object('runId', x.id, 'toolCallId', x.child_call_id, 'status', x.status, 'errorText', x.error_text,
      'answer', x.answer)::text from runs x where x.parent_run_id = p_run and x.lane = 'child';
  return query select 'question', q.id::text, json_build_object('id', q.id, 'toolCallId', q.tool_call_id, 'status', q.status, 'answer', q.answer)::text
    from questions q where q.run_id = p_run;
  -- APR-10: the sensitive answers of this chat, sealed: whatever a step says of it is masked from the first of them on.
  return query select 'secret', a.id::text, json_build_object('approvalId', a.id, 'response', a.response)::text from approvals a
    where a.workspace_id = p_workspace and a.sensitive and a.response is not null and (a.run_id = p_run or a.chat_id = v_chat);
  -- APR-6, APR-8: what this run has put forward to be carried out apart, and the request whose outcome started it.
  return query select 'staged', a.id::text, json_build_object('id', a.id, 'number', a.number, 'toolId', a.tool_id, 'sourceId', a.source_id,
      'argsText', a.args_text, 'status', case when a.status = 'pending' and a.expires_at <= aiw_now() then 'expired' else a.status end,
      'reason', a.decision_reason)::text
    from (select b.id from runs x join approvals b on b.run_id = x.id where x.parent_run_id = p_run and x.lane = 'execution'
          union select m.approval_id from messages m where m.run_id = p_run and m.role = 'system') o
    join approvals a on a.id = o.id order by a.id;
  if p_step <> 'model' then return; end if;
  -- The model that answers now, with the team's key for its gateway, otherwise the shared one (GW-2, GW-3).
  v_model := model_of_v1(p_workspace, v_chat);
  return query select 'model', m.id::text, json_build_object('id', m.id, 'name', m.name, 'tools', m.tools, 'streaming', m.streaming,
      'contextWindow', m.context_window, 'priceIn', m.price_in, 'priceCachedIn', m.price_cached_in, 'priceOut', m.price_out,
      'endpointId', e.id, 'url', e.url, 'api', e.api, 'key', k.secret, 'keyTeamId', k.team_id)::text
    from models m join model_endpoints e on e.id = m.endpoint_id
    left join lateral (select x.secret, x.team_id from model_keys x where x.endpoint_id = e.id and (x.team_id is null or x.team_id = r.team_id)
                         order by x.team_id nulls last limit 1) k on true
    where m.id = v_model;
  return query select 'guardrail', g.name, json_build_object('name', g.name, 'match', g.match, 'direction', g.direction, 'userText', g.user_text,
      'enabled', g.enabled)::text from guardrail_rules g order by g.created_at, g.name;
  return query select 'item', q.run_id::text || ':' || q.step || ':' || q.kind || case when q.model_id <> v_model then ':other' else '' end, q.data from (
      select i.run_id, i.item, i.step, i.kind, i.data, i.model_id from run_items i where i.chat_id = r.chat_id and i.run_id <= p_run
        order by i.run_id desc, i.item desc limit p_items) q order by q.run_id, q.item;
  if r.chat_id is null then
    return query select 'item', i.run_id::text || ':' || i.step || ':' || i.kind || case when i.model_id <> v_model then ':other' else '' end, i.data
      from run_items i where i.run_id = p_run order by i.item;
  end if;
end $$;
--> statement-breakpoint
-- Tells a change of a request in its run and sends a waiting run on. The caller holds the run's lock.
create or replace function approval_tell_v1(p_approval uuid, p_by text, p_reason text) returns void language plpgsql as $$
declare a approvals;
begin
  select * into a from approvals where id = p_approval;
  insert into run_events (run_id, seq, workspace_id, type, data)
    select a.run_id, r.last_seq + 1, a.workspace_id, 'approval.changed',
           json_build_object('callId', a.call_id, 'toolCallId', a.tool_call_id, 'approvalId', a.id, 'status', a.status,
                             'by', p_by, 'reason', p_reason)::text
      from runs r where r.id = a.run_id;
  update runs set last_seq = last_seq + 1, status = case when status in ('waiting_approval', 'waiting_input') then 'queued' else status end
    where id = a.run_id;
end $$;
--> statement-breakpoint
-- APR-4, APR-5: the one decide service, whatever the channel. Right, level, four eyes, time and the hash that was shown are
-- checked in the transaction of the change; the UPDATE itself demands them again. Lock order: run, approval.
-- p_against: why the frozen call could not be executed any more, looked at under the same locks; an approval then ends the request.
-- outcome: approved | rejected | voted | same | not_found | approver_missing | four_eyes | decided | expired | stale | cancelled | invalid
-- | overtaken | response_required | response_not_expected.
create function approval_decide_v1(p_approval uuid, p_user uuid, p_channel text, p_vote text, p_reason text, p_seen_hash text,
                                   p_end_run boolean, p_execute_within_s integer, p_against text default null,
                                   p_response text default null)
returns table (outcome text, run_id uuid, workspace_id uuid, team_id uuid, decided_by uuid, decided_at timestamptz, ring boolean)
language plpgsql as $$
declare a approvals; v_run runs; u users; v_role text; v_now timestamptz; v_allowed boolean; v_self boolean; v_status text;
  -- The API key the decision comes by (APR-13), set by who authenticated it.
  v_key uuid := nullif(current_setting('aiw.api_key', true), '')::uuid;
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
      when a.decided_by = p_user and a.response is null and p_vote = case when a.status = 'rejected' then 'rejected' when a.status in ('cancelled', 'expired') then '' else 'approved' end then 'same'
      when a.decided_by is not null and a.status <> 'invalid' then 'decided'
      when a.status in ('expired', 'cancelled', 'invalid') then a.status
      else 'decided' end;
  elsif a.expires_at <= v_now then v_status := 'expired';
  elsif v_run.status not in ('running', 'queued', 'waiting_approval', 'waiting_input') then v_status := 'cancelled';
  elsif a.four_eyes and v_self then v_status := 'four_eyes';
  elsif p_seen_hash is not null and p_seen_hash <> a.snapshot_hash then v_status := 'stale';
  elsif p_vote = 'approved' and a.stale_at is not null then v_status := 'stale';
  -- APR-9: an input is answered with a text, everything else without.
  elsif p_response is not null and (a.response_label is null or p_vote = 'rejected') then v_status := 'response_not_expected';
  elsif p_response is null and a.response_label is not null and p_vote = 'approved' then v_status := 'response_required';
  end if;
  if v_status is not null then
    if v_status in ('approver_missing', 'four_eyes') then
      insert into audit_events (workspace_id, actor_kind, actor_id, event, object_kind, object_id, run_id, source, data)
        values (a.workspace_id, 'human', p_user, 'authorization.denied', 'approval', a.id, a.run_id, 'approval', jsonb_build_object('code', v_status));
    end if;
    return query select v_status, a.run_id, a.workspace_id, v_run.team_id, a.decided_by, a.decided_at, false; return;
  end if;
  if p_vote = 'approved' and p_against is not null then
    update approvals x set status = 'invalid', invalid_reason = p_against, ended_at = v_now where x.id = a.id;
    insert into audit_events (workspace_id, actor_kind, event, object_kind, object_id, run_id, source, data)
      values (a.workspace_id, 'system', case p_against when 'tampered' then 'approval.tampered' else 'approval.invalid' end, 'approval', a.id,
              a.run_id, 'approval', jsonb_build_object('tool', a.tool_id, 'reason', p_against));
    perform approval_tell_v1(a.id, null, null);
    return query select 'overtaken', a.run_id, a.workspace_id, v_run.team_id, null::uuid, null::timestamptz, v_run.status = 'waiting_approval'; return;
  end if;
  insert into approval_votes (approval_id, workspace_id, user_id, vote, reason, seen_hash, channel, self_approval, api_key_id)
    values (a.id, a.workspace_id, p_user, p_vote, p_reason, p_seen_hash, p_channel, v_self and p_vote = 'approved', v_key) on conflict do nothing;
  if p_vote = 'approved' and (select count(*) from approval_votes v where v.approval_id = a.id and v.vote = 'approved') < a.required_votes then
    return query select 'voted', a.run_id, a.workspace_id, v_run.team_id, null::uuid, null::timestamptz, false; return;
  end if;
  update approvals x set status = p_vote, decided_by = p_user, decided_at = v_now, decision_reason = p_reason, decision_channel = p_channel,
         seen_hash = p_seen_hash, response = p_response, end_run = coalesce(p_end_run, false),
         execute_before = case when p_vote = 'approved' then v_now + make_interval(secs => p_execute_within_s) end
    where x.id = a.id and x.status = 'pending' and x.expires_at > v_now and (p_seen_hash is null or x.snapshot_hash = p_seen_hash);
  insert into audit_events (workspace_id, actor_kind, actor_id, event, object_kind, object_id, run_id, source, data)
    values (a.workspace_id, 'human', p_user, case p_vote when 'approved' then 'approval.granted' else 'approval.rejected' end, 'approval', a.id,
            a.run_id, 'approval', jsonb_strip_nulls(jsonb_build_object('tool', a.tool_id, 'hash', a.snapshot_hash, 'seenHash', p_seen_hash,
              'channel', p_channel, 'selfApproval', v_self and p_vote = 'approved', 'reason', p_reason, 'apiKey', v_key,
              'noHashSeen', case when p_seen_hash is null then true end)));
  perform approval_tell_v1(a.id, u.display_name, p_reason);
  return query select p_vote, a.run_id, a.workspace_id, v_run.team_id, p_user, v_now, v_run.status in ('waiting_approval', 'waiting_input');
end $$;
