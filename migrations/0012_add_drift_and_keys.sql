-- APR-19: a request that waits is looked at again. When that was last asked for and last done, what is different at the target,
-- and who asked to have it prepared anew.
alter table approvals add column check_asked_at timestamptz, add column checked_at timestamptz, add column stale_reason text,
  add column again_asked_at timestamptz, add column again_asked_by uuid references users;
create index approvals_unchecked on approvals ((coalesce(check_asked_at, created_at))) where status = 'pending';
alter table jobs drop constraint jobs_kind_check;
alter table jobs add constraint jobs_kind_check check (kind in ('source_test', 'tool_discovery', 'model_test', 'model_import', 'approval_check'));
-- A look leaves no row: what it saw stands in the request.
grant delete on jobs to aiw_step;
--> statement-breakpoint
-- APR-19: opens the looks that are due, those longest not looked at first; at most p_limit. Returns the jobs to ring.
create function approvals_check_due_v1(p_every_s integer, p_limit integer) returns table (job_id uuid) language plpgsql as $$
declare v_due uuid[]; v_id uuid; a approvals;
begin
  -- Read whole before a workspace is set: what is visible changes with it.
  select array_agg(d.id) into v_due from (
    select o.id from approvals o
      where o.status = 'pending' and coalesce(o.check_asked_at, o.created_at) < (select aiw_now()) - make_interval(secs => p_every_s)
      order by coalesce(o.check_asked_at, o.created_at) limit p_limit) d;
  foreach v_id in array coalesce(v_due, '{}') loop
    perform set_config('aiw.workspaces', '', true);
    select * into a from approvals o where o.id = v_id;
    perform set_config('aiw.workspaces', a.workspace_id::text, true);
    select * into a from approvals o where o.id = v_id for update skip locked;
    continue when not found or a.status <> 'pending' or a.expires_at <= aiw_now();
    update approvals o set check_asked_at = aiw_now() where o.id = v_id;
    insert into jobs (workspace_id, kind, subject_id, created_by, rung_at)
      values (a.workspace_id, 'approval_check', v_id, a.requester_id, aiw_now())
      on conflict (workspace_id, kind, subject_id) where status in ('queued', 'running') do nothing returning id into job_id;
    if found then return next; end if;
  end loop;
  perform set_config('aiw.workspaces', '', true);
end $$;
--> statement-breakpoint
-- APR-19: what a look at the target of an open request saw: p_fault says what is different there, null that nothing is. The flag
-- is told in the run and audited when it changes. False: it stands as it was. Lock order: run, request.
create function approval_checked_v1(p_approval uuid, p_fault text) returns boolean language plpgsql as $$
declare a approvals;
begin
  select * into a from approvals where id = p_approval;
  if not found then return false; end if;
  perform from runs where id = a.run_id for update;
  select * into a from approvals where id = p_approval for update;
  if a.status <> 'pending' or a.expires_at <= aiw_now() then return false; end if;
  update approvals set checked_at = aiw_now(), stale_reason = p_fault,
         stale_at = case when p_fault is not null then coalesce(stale_at, aiw_now()) end
    where id = p_approval;
  if (a.stale_at is null) = (p_fault is null) then return false; end if;
  insert into run_events (run_id, seq, workspace_id, type, data)
    select a.run_id, r.last_seq + 1, a.workspace_id, 'approval.changed',
           json_build_object('callId', a.call_id, 'toolCallId', a.tool_call_id, 'approvalId', a.id, 'status', a.status,
                             'stale', p_fault is not null)::text
      from runs r where r.id = a.run_id;
  update runs set last_seq = last_seq + 1 where id = a.run_id;
  insert into audit_events (workspace_id, actor_kind, event, object_kind, object_id, run_id, source, data)
    values (a.workspace_id, 'system', case when p_fault is null then 'approval.current_again' else 'approval.stale' end, 'approval', a.id,
            a.run_id, 'approval', jsonb_strip_nulls(jsonb_build_object('tool', a.tool_id, 'reason', p_fault)));
  return true;
end $$;
--> statement-breakpoint
-- IDN-5: keys of services. Only the hash of a key is kept; a key is bound to a workspace and to the person whose rights bound it.
create table api_keys (
  id uuid primary key default uuidv7(),
  workspace_id uuid not null references workspaces on delete cascade,
  user_id uuid not null references users,
  name text not null check (name <> ''),
  scopes text[] not null check (cardinality(scopes) > 0),
  token_hash bytea not null unique,
  last4 text not null,
  created_at timestamptz not null default aiw_now(),
  expires_at timestamptz not null,
  last_used_at timestamptz,
  revoked_at timestamptz,
  revoked_by uuid references users,
  unique (workspace_id, id)
);
create index api_keys_list on api_keys (workspace_id, id desc);
alter table api_keys enable row level security;
alter table api_keys force row level security;
create policy scope on api_keys using (aiw_in_scope(workspace_id)) with check (aiw_in_scope(workspace_id));
-- Whoever has the key finds its row: that is how the workspace becomes known.
create policy bearer on api_keys for select to aiw_api using (encode(token_hash, 'hex') = nullif(current_setting('aiw.key_hash', true), ''));
grant select, insert, update (last_used_at, revoked_at, revoked_by) on api_keys to aiw_api;
-- Which key a vote came by (APR-13); null: a person on a page.
alter table approval_votes add column api_key_id uuid;
alter table approval_votes add foreign key (workspace_id, api_key_id) references api_keys (workspace_id, id);
--> statement-breakpoint
-- POL-11: what a workspace's admins say of a source; rules may use it.
alter table sources add column environment text check (environment in ('production', 'staging', 'test', 'development')),
  add column sensitivity text check (sensitivity in ('public', 'internal', 'confidential')),
  add column trust text check (trust in ('trusted', 'untrusted'));
create or replace view connected_sources with (security_invoker = true) as
  select s.id, s.workspace_id, s.kind, s.name, s.status, s.created_at, s.secret as own_secret,
         case when s.kind = 'mcp' then jsonb_build_object('url', m.url, 'server', m.name, 'purpose', m.purpose, 'instructions', m.instructions)
              else s.config end as config,
         coalesce(s.secret, m.secret) as secret,
         case when s.secret is null and m.secret is not null then 'mcp_server:' || m.id else 'source:' || s.id end as secret_context,
         case when s.kind = 'mcp' then 'mcp:' || m.name else s.kind end as tool_source,
         jsonb_build_object('environment', s.environment, 'sensitivity', s.sensitivity, 'trust', s.trust) as labels
    from sources s left join mcp_servers m on m.id = s.server_id
   where s.removed_at is null and m.removed_at is null;
-- A platform admin may lift the block of a dangerous combination, with a reason.
alter table workspaces add column combination_lifted_at timestamptz, add column combination_lifted_by uuid references users,
  add column combination_lifted_reason text;
-- POL-11: whether confidential sources and untrusted content come together here, and nobody lifted the block of outward tools.
create function workspace_combined_v1(p_workspace uuid) returns boolean language sql stable as $$
  select coalesce((select w.combination_lifted_at is null from workspaces w where w.id = p_workspace), true)
     and exists (select from connected_sources c where c.workspace_id = p_workspace and c.labels ->> 'sensitivity' = 'confidential')
     and exists (select from connected_sources c where c.workspace_id = p_workspace and c.labels ->> 'trust' = 'untrusted')
$$;
