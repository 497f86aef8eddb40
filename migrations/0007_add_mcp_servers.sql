-- MCP-1: servers that platform admins registered, for all workspaces. The token is sealed; words of the server (instructions,
-- report of the last fetch) are data.
create table mcp_servers (
  id uuid primary key default uuidv7(),
  name text not null check (name ~ '^[a-z][a-z0-9]*(_[a-z0-9]+)*$' and length(name) <= 24),
  url text not null,
  purpose text not null default 'general' check (purpose in ('general', 'memory', 'documents')),
  secret text,
  secret_last4 text,
  instructions text,
  instructions_hash text,
  previous_instructions text,
  last_discovery_at timestamptz,
  last_discovery jsonb,
  created_by uuid not null references users,
  created_at timestamptz not null default aiw_now(),
  removed_at timestamptz
);
create unique index mcp_servers_name on mcp_servers (name) where removed_at is null;
--> statement-breakpoint
-- Tools that a server brought: what an admin declared for them, with which instructions they are pinned (POL-6), what they
-- were before their last change, since when the server no longer offers them.
alter table tools add column settings jsonb not null default '{}', add column findings jsonb not null default '[]',
  add column instructions_hash text, add column previous_definition text, add column missing_at timestamptz;
-- A workspace uses a registered server as a source of its own, once, with its own token where it has one.
alter table sources drop constraint sources_kind_check;
alter table sources add constraint sources_kind_check check (kind in ('git', 'mcp'));
alter table sources add column server_id uuid references mcp_servers;
alter table sources add constraint sources_server_check check ((kind = 'mcp') = (server_id is not null));
create unique index sources_server on sources (workspace_id, server_id) where removed_at is null;
-- Sources as they are used: a server's address, name and token come from its registration, and end with it.
create view connected_sources with (security_invoker = true) as
  select s.id, s.workspace_id, s.kind, s.name, s.status, s.created_at, s.secret as own_secret,
         case when s.kind = 'mcp' then jsonb_build_object('url', m.url, 'server', m.name, 'purpose', m.purpose, 'instructions', m.instructions)
              else s.config end as config,
         coalesce(s.secret, m.secret) as secret,
         case when s.secret is null and m.secret is not null then 'mcp_server:' || m.id else 'source:' || s.id end as secret_context,
         case when s.kind = 'mcp' then 'mcp:' || m.name else s.kind end as tool_source
    from sources s left join mcp_servers m on m.id = s.server_id
   where s.removed_at is null and m.removed_at is null;
--> statement-breakpoint
-- A job of the platform belongs to no workspace: a platform admin asks for it, the step's role finds it like any other.
alter table jobs alter column workspace_id drop not null;
alter table jobs drop constraint jobs_kind_check;
alter table jobs add constraint jobs_kind_check check (kind in ('source_test', 'tool_discovery'));
alter table jobs add constraint jobs_workspace_check check ((kind = 'tool_discovery') = (workspace_id is null));
drop index jobs_open;
create unique index jobs_open on jobs (workspace_id, kind, subject_id) nulls not distinct where status in ('queued', 'running');
create policy platform on jobs to aiw_api
  using (workspace_id is null and exists (select from users u where u.id = aiw_user() and u.is_platform_admin and u.disabled_at is null))
  with check (workspace_id is null and exists (select from users u where u.id = aiw_user() and u.is_platform_admin and u.disabled_at is null));
grant select, insert, update on mcp_servers to aiw_api;
grant select, update (instructions, instructions_hash, previous_instructions, last_discovery_at, last_discovery) on mcp_servers to aiw_step;
grant select on connected_sources to aiw_api, aiw_step;
--> statement-breakpoint
-- MCP-1, POL-4, POL-6: stores what a server offers. Runs with the owner's rights, because the step's role may not touch tools:
-- through here a server's word makes a tool known or takes its classification away, and never gives one.
-- p_tools: [{id, wireName, definition, hash, suggestedRiskClass, findings}]. change: added | reset | returned | missing.
create function tools_discovered_v1(p_server uuid, p_instructions_hash text, p_tools jsonb)
returns table (tool text, change text, before text, after text)
language plpgsql security definer set search_path = public, pg_temp as $$
declare v_kind text; v_reset boolean := false; f jsonb; t tools;
begin
  perform pg_advisory_xact_lock(hashtextextended('aiw.tools', 0));
  select 'mcp:' || m.name into v_kind from mcp_servers m where m.id = p_server and m.removed_at is null for update;
  if not found then return; end if;
  for f in select x from jsonb_array_elements(p_tools) x loop
    select * into t from tools where id = f ->> 'id' for update;
    tool := f ->> 'id'; before := t.definition_hash; after := f ->> 'hash';
    if t.id is null then
      insert into tools (id, wire_name, kind, source_kind, definition, definition_hash, suggested_risk_class, findings, instructions_hash)
        values (f ->> 'id', f ->> 'wireName', 'mcp', v_kind, f ->> 'definition', f ->> 'hash', f ->> 'suggestedRiskClass', f -> 'findings', p_instructions_hash);
      change := 'added';
    elsif t.source_kind <> v_kind then continue;
    elsif t.definition_hash <> f ->> 'hash' or t.instructions_hash is distinct from p_instructions_hash then
      update tools set definition = f ->> 'definition', definition_hash = f ->> 'hash', suggested_risk_class = f ->> 'suggestedRiskClass',
             findings = f -> 'findings', instructions_hash = p_instructions_hash, missing_at = null, risk_class = null, decision = null,
             classified_by = null, classified_at = null, version = version + 1,
             previous_definition = case when t.definition_hash <> f ->> 'hash' then t.definition else t.previous_definition end
        where id = t.id;
      change := 'reset'; v_reset := true;
    elsif t.missing_at is not null then
      update tools set missing_at = null, version = version + 1 where id = t.id;
      change := 'returned';
    else continue;
    end if;
    return next;
  end loop;
  for t in select * from tools x where x.source_kind = v_kind and x.missing_at is null
             and not exists (select from jsonb_array_elements(p_tools) y where y ->> 'id' = x.id) order by x.id for update loop
    update tools set missing_at = aiw_now(), version = version + 1 where id = t.id;
    tool := t.id; change := 'missing'; before := t.definition_hash; after := null;
    return next;
  end loop;
  if v_reset then update platform_settings set policy_version = policy_version + 1; end if;
end $$;
revoke execute on function tools_discovered_v1(uuid, text, jsonb) from public;
grant execute on function tools_discovered_v1(uuid, text, jsonb) to aiw_step;
--> statement-breakpoint
-- POL-6: open requests for tools that are no longer what they were become invalid (superseded), each told in its run and audited.
-- One in execution is settled by its own step. Called without a workspace, returns the runs that go on. Lock order: run, request.
create function tools_supersede_v1(p_tools text[]) returns table (run_id uuid, team_id uuid) language plpgsql as $$
declare v_ids uuid[]; v_id uuid; a approvals; r runs;
begin
  -- Read whole before a workspace is set: what is visible changes with it.
  select array_agg(o.id order by o.run_id, o.id) into v_ids from approvals o
    where o.tool_id = any (p_tools) and o.status in ('pending', 'approved');
  foreach v_id in array coalesce(v_ids, '{}') loop
    perform set_config('aiw.workspaces', '', true);
    select * into a from approvals o where o.id = v_id;
    perform set_config('aiw.workspaces', a.workspace_id::text, true);
    select * into r from runs x where x.id = a.run_id for update;
    update approvals o set status = 'invalid', invalid_reason = 'superseded', ended_at = aiw_now()
      where o.id = v_id and o.status in ('pending', 'approved');
    continue when not found;
    insert into audit_events (workspace_id, actor_kind, event, object_kind, object_id, run_id, source, data)
      values (a.workspace_id, 'system', 'approval.invalid', 'approval', a.id, a.run_id, 'job', jsonb_build_object('reason', 'superseded', 'tool', a.tool_id));
    perform approval_tell_v1(a.id, null, null);
    if r.status = 'waiting_approval' then run_id := r.id; team_id := r.team_id; return next; end if;
  end loop;
  perform set_config('aiw.workspaces', '', true);
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
      'secretContext', s.secret_context, 'toolSource', s.tool_source, 'status', s.status)::text
    from connected_sources s where s.workspace_id = p_workspace order by s.created_at;
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
