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
--> statement-breakpoint
-- Everything a step has to know, as plain rows in one round trip (building one JSON of a long history is several times
-- slower). Items: the newest p_items of the chat, oldest first. Calls: those of the last turn.
create or replace function run_load_v1(p_run uuid, p_workspace uuid, p_items integer)
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
      'approvalLevel', p.approval_level, 'fourEyes', p.four_eyes, 'label', p.label, 'version', p.version, 'condition', p.condition)::text
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
