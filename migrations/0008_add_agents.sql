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
