-- SEC-2: row-level security, forced, from the first day. aiw_api sees the rows of the workspaces set for its
-- transaction; aiw_step may look for work without a workspace and is then bound to the one it claimed.
do $$
declare t text;
begin
  foreach t in array array['memberships', 'sources', 'workspace_tools', 'jobs', 'chats', 'runs', 'messages', 'run_items',
                           'run_events', 'run_steps', 'tool_calls', 'approvals', 'approval_votes'] loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format('create policy scope on %I using (aiw_in_scope(workspace_id)) with check (aiw_in_scope(workspace_id))', t);
  end loop;
end $$;
--> statement-breakpoint
alter table workspaces enable row level security;
alter table workspaces force row level security;
create policy scope on workspaces using (aiw_in_scope(id)) with check (aiw_in_scope(id));
alter table tool_policies enable row level security;
alter table tool_policies force row level security;
create policy scope on tool_policies using (workspace_id is null or aiw_in_scope(workspace_id)) with check (workspace_id is null or aiw_in_scope(workspace_id));
alter table audit_events enable row level security;
alter table audit_events force row level security;
create policy scope on audit_events for select using (aiw_in_scope(workspace_id));
create policy write on audit_events for insert with check (workspace_id is null or aiw_in_scope(workspace_id));
--> statement-breakpoint
-- A person always sees their own memberships: from these the scope of a request is made.
create policy own on memberships for select to aiw_api using (user_id = aiw_user());
-- Global approvers decide their level everywhere, without membership (APR-5).
create policy global_level on approvals for select to aiw_api using
  (level = 'global_approver' and exists (select from users u where u.id = aiw_user() and u.is_global_approver and u.disabled_at is null));
-- Looking for work: only these three tables, only while no workspace is set.
create policy find_work on runs to aiw_step using (aiw_unscoped()) with check (aiw_unscoped());
create policy find_work on approvals for select to aiw_step using (aiw_unscoped());
create policy find_work on jobs to aiw_step using (aiw_unscoped()) with check (aiw_unscoped());
--> statement-breakpoint
grant usage on schema public to aiw_api, aiw_step, aiw_retention;
grant select, insert, update on users, sessions, workspaces, memberships, tools, tool_policies, workspace_tools, sources, jobs,
  chats, runs, messages, approvals, approval_votes, run_items, run_events, tool_calls to aiw_api;
grant delete on sessions, memberships, workspace_tools, tool_policies to aiw_api;
grant select on teams, team_members, run_steps, platform_settings to aiw_api;
grant update on platform_settings to aiw_api;
grant select, insert on audit_events to aiw_api, aiw_step;
grant select on teams, team_members, workspaces, memberships, tools, tool_policies, workspace_tools, platform_settings, sources,
  chats to aiw_step;
grant select (id, name, display_name, disabled_at, is_global_approver) on users to aiw_step;
grant update (active_at) on chats to aiw_step;
grant update (status, last_test_at, last_test) on sources to aiw_step;
grant update (max_parallel_runs) on teams to aiw_step; -- needed to lock the row; the value is never changed by a step
grant select, insert, update on runs, messages, run_items, run_events, run_steps, tool_calls, approvals, jobs to aiw_step;
grant select on approval_votes to aiw_step;
