-- POL-7: a rule that asks may say under which condition. Unconditional rules and any number of conditional ones may stand
-- beside each other for the same pattern: `auto` beside "approve when param.amount > 50".
alter table tool_policies add column condition text;
alter table tool_policies add column updated_by uuid references users;
alter table tool_policies add column updated_at timestamptz;
alter table tool_policies add constraint tool_policies_condition
  check (condition is null or (decision = 'approve' and condition <> '' and length(condition) <= 2000));
alter table tool_policies add constraint tool_policies_source_level check ((level = 'source') = (source_id is not null));
alter table tool_policies add foreign key (workspace_id, source_id) references sources (workspace_id, id) on delete cascade;
-- A lower level only tightens (POL-3): `auto` there would say nothing, and read as if it relaxed something.
alter table tool_policies add constraint tool_policies_only_tighten check (level in ('platform', 'agent') or decision <> 'auto');
alter table tool_policies drop constraint tool_policies_workspace_id_source_id_level_pattern_key;
create unique index tool_policies_once on tool_policies (workspace_id, source_id, level, pattern, md5(condition)) nulls not distinct;
--> statement-breakpoint
-- POL-13: the stop switch, of the platform and of each workspace.
alter table platform_settings add column writes_stopped_at timestamptz, add column writes_stopped_by uuid references users;
alter table workspaces add column writes_stopped_at timestamptz, add column writes_stopped_by uuid references users;
-- Set by a claim that found writes stopped: the request stays approved, its run waits until the switch is lifted.
alter table approvals add column held_at timestamptz;
create index approvals_held on approvals (workspace_id) where status = 'approved' and held_at is not null;
--> statement-breakpoint
-- Sends on the runs that waited for the stop switch, once nothing stops their workspace any more (POL-13). Returns the runs
-- to ring. A run that has not come to rest yet is left to the next call.
create function runs_release_held_v1(p_limit integer) returns table (run_id uuid, team_id uuid) language plpgsql as $$
declare v_workspaces uuid[]; v_workspace uuid; a record; v_team uuid; v_left integer := p_limit;
begin
  if exists (select from platform_settings where writes_stopped_at is not null) then return; end if;
  select array_agg(distinct h.workspace_id) into v_workspaces from approvals h where h.status = 'approved' and h.held_at is not null;
  foreach v_workspace in array coalesce(v_workspaces, '{}') loop
    perform set_config('aiw.workspaces', v_workspace::text, true);
    continue when exists (select from workspaces w where w.id = v_workspace and w.writes_stopped_at is not null);
    for a in select h.id, h.run_id from approvals h
               where h.workspace_id = v_workspace and h.status = 'approved' and h.held_at is not null order by h.held_at limit v_left loop
      update runs r set status = 'queued' where r.id = a.run_id and r.status = 'waiting_approval' returning r.team_id into v_team;
      continue when not found;
      update approvals h set held_at = null where h.id = a.id;
      v_left := v_left - 1;
      run_id := a.run_id; team_id := v_team;
      return next;
    end loop;
    exit when v_left <= 0;
  end loop;
end $$;
