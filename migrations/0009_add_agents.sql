-- AGT-1: how the agent of a workspace asks: its settings, as versions that are never changed. The default agent needs no row;
-- a run without a version has the built-in settings.
create table agents (
  id uuid primary key default uuidv7(),
  workspace_id uuid not null references workspaces on delete cascade,
  name text not null check (name <> ''),
  created_at timestamptz not null default aiw_now(),
  unique (workspace_id, name),
  unique (workspace_id, id)
);
create table agent_versions (
  id uuid primary key default uuidv7(),
  workspace_id uuid not null,
  agent_id uuid not null,
  version integer not null check (version > 0),
  settings jsonb not null,
  created_by uuid not null references users,
  created_at timestamptz not null default aiw_now(),
  unique (agent_id, version),
  unique (workspace_id, id),
  foreign key (workspace_id, agent_id) references agents (workspace_id, id) on delete cascade
);
-- F63: fixed when the run starts; what is changed later is for later runs.
alter table runs add column agent_version_id uuid;
alter table runs add foreign key (workspace_id, agent_version_id) references agent_versions (workspace_id, id);
alter table messages add foreign key (workspace_id, approval_id) references approvals (workspace_id, id);
--> statement-breakpoint
do $$
declare t text;
begin
  foreach t in array array['agents', 'agent_versions'] loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format('create policy scope on %I using (aiw_in_scope(workspace_id)) with check (aiw_in_scope(workspace_id))', t);
  end loop;
end $$;
grant select, insert on agents, agent_versions to aiw_api;
grant select on agents, agent_versions to aiw_step;
-- The number of a staged request is told to the model before its row is written.
grant usage on sequence approvals_number_seq to aiw_api, aiw_step;
--> statement-breakpoint
-- The settings a run of this workspace starts with now; null: those built in.
create function agent_current_v1(p_workspace uuid) returns uuid language sql stable as $$
  select v.id from agents a join agent_versions v on v.agent_id = a.id
    where a.workspace_id = p_workspace and a.name = 'default' order by v.version desc limit 1
$$;
--> statement-breakpoint
-- RUN-16: what the agent asks the person it works for. The answer is a member's words, like a message.
create table questions (
  id uuid primary key,
  workspace_id uuid not null,
  run_id uuid not null,
  tool_call_id uuid not null unique,
  text text not null check (text <> ''),
  anyone boolean not null default false,
  status text not null default 'open' check (status in ('open', 'answered', 'cancelled')),
  answer text,
  answered_by uuid references users,
  answered_at timestamptz,
  created_at timestamptz not null default aiw_now(),
  foreign key (workspace_id, run_id) references runs (workspace_id, id) on delete cascade,
  foreign key (workspace_id, tool_call_id) references tool_calls (workspace_id, id) on delete cascade,
  check ((status = 'answered') = (answer is not null and answered_by is not null))
);
create index questions_run on questions (run_id);
alter table questions enable row level security;
alter table questions force row level security;
create policy scope on questions using (aiw_in_scope(workspace_id)) with check (aiw_in_scope(workspace_id));
grant select, insert, update on questions to aiw_api, aiw_step;
--> statement-breakpoint
-- RUN-16, RUN-22: the one answer to a question, by the starter of its run or, where it says so, by any member. Lock order: run,
-- question. outcome: done | not_found | forbidden | answered | cancelled.
create function question_answer_v1(p_run uuid, p_question uuid, p_user uuid, p_text text)
returns table (outcome text, team_id uuid, ring boolean) language plpgsql as $$
declare r runs; q questions;
begin
  select * into r from runs where id = p_run for update;
  select * into q from questions where id = p_question and run_id = p_run for update;
  if r.id is null or q.id is null or not exists (
       select from memberships m join users u on u.id = m.user_id
         where m.workspace_id = r.workspace_id and m.user_id = p_user and u.disabled_at is null) then
    return query select 'not_found', null::uuid, false; return;
  end if;
  if r.started_by <> p_user and not q.anyone then
    insert into audit_events (workspace_id, actor_kind, actor_id, event, object_kind, object_id, run_id, source, data)
      values (r.workspace_id, 'human', p_user, 'authorization.denied', 'question', q.id, p_run, 'api', jsonb_build_object('needed', 'run_starter'));
    return query select 'forbidden', null::uuid, false; return;
  end if;
  if q.status <> 'open' or r.status not in ('running', 'queued', 'waiting_approval', 'waiting_input') then
    return query select case when q.status = 'answered' then 'answered' else 'cancelled' end, null::uuid, false; return;
  end if;
  update questions set status = 'answered', answer = p_text, answered_by = p_user, answered_at = aiw_now() where id = q.id;
  insert into run_events (run_id, seq, workspace_id, type, data)
    values (p_run, r.last_seq + 1, r.workspace_id, 'question.answered',
            json_build_object('toolCallId', q.tool_call_id, 'questionId', q.id)::text);
  insert into audit_events (workspace_id, actor_kind, actor_id, event, object_kind, object_id, run_id, source)
    values (r.workspace_id, 'human', p_user, 'question.answered', 'question', q.id, p_run, 'api');
  update runs set last_seq = last_seq + 1, status = case when status in ('waiting_approval', 'waiting_input') then 'queued' else status end
    where id = p_run;
  return query select 'done', r.team_id, r.status in ('waiting_approval', 'waiting_input');
end $$;
