-- UPL-1 to UPL-3: files that members uploaded. Each becomes a DuckDB file of its own in object storage; the row says what is in
-- it. Objects lie under uploads/<workspace>/<upload>/. `object_key` is set once there is a table.
alter table sources drop constraint sources_kind_check;
alter table sources add constraint sources_kind_check check (kind in ('git', 'mcp', 'uploads'));
create unique index sources_uploads on sources (workspace_id) where kind = 'uploads' and removed_at is null;
create table uploads (
  id uuid primary key default uuidv7(),
  workspace_id uuid not null references workspaces on delete cascade,
  source_id uuid not null,
  name text not null check (name <> ''),
  table_name text not null check (table_name ~ '^[a-z][a-z0-9_]{0,59}$'),
  format text not null check (format in ('csv', 'parquet')),
  status text not null default 'waiting' check (status in ('waiting', 'importing', 'ready', 'failed')),
  size_bytes bigint not null check (size_bytes > 0),
  object_key text,
  stored_bytes bigint,
  row_count bigint,
  columns jsonb,
  dialect jsonb,
  fault jsonb,
  created_by uuid not null references users,
  created_at timestamptz not null default aiw_now(),
  expires_at timestamptz not null,
  ended_at timestamptz,
  removed_at timestamptz,
  unique (workspace_id, id),
  foreign key (workspace_id, source_id) references sources (workspace_id, id),
  check ((status = 'ready') = (object_key is not null)),
  check ((status = 'failed') = (fault is not null))
);
create index uploads_list on uploads (workspace_id, id desc) where removed_at is null;
create unique index uploads_table on uploads (workspace_id, table_name) where removed_at is null and status <> 'failed';
alter table uploads enable row level security;
alter table uploads force row level security;
create policy scope on uploads using (aiw_in_scope(workspace_id)) with check (aiw_in_scope(workspace_id));
grant select, insert on uploads to aiw_api;
grant update (status, removed_at) on uploads to aiw_api;
grant select, delete on uploads to aiw_step;
grant update (status, object_key, stored_bytes, row_count, columns, dialect, fault, ended_at) on uploads to aiw_step;
--> statement-breakpoint
-- The tables of a workspace come with its source, so that a connector looks nothing up (SRC-1).
create or replace view connected_sources with (security_invoker = true) as
  select s.id, s.workspace_id, s.kind, s.name, s.status, s.created_at, s.secret as own_secret,
         case when s.kind = 'mcp' then jsonb_build_object('url', m.url, 'server', m.name, 'purpose', m.purpose, 'instructions', m.instructions)
              when s.kind = 'uploads' then jsonb_build_object('tables', (
                select coalesce(jsonb_agg(jsonb_build_object('name', u.table_name, 'key', u.object_key, 'rows', u.row_count,
                           'columns', jsonb_array_length(u.columns), 'bytes', u.stored_bytes, 'file', u.name) order by u.id), '[]')
                  from uploads u where u.workspace_id = s.workspace_id and u.source_id = s.id and u.status = 'ready' and u.removed_at is null))
              else s.config end as config,
         coalesce(s.secret, m.secret) as secret,
         case when s.secret is null and m.secret is not null then 'mcp_server:' || m.id else 'source:' || s.id end as secret_context,
         case when s.kind = 'mcp' then 'mcp:' || m.name else s.kind end as tool_source,
         jsonb_build_object('environment', s.environment, 'sensitivity', s.sensitivity, 'trust', s.trust) as labels
    from sources s left join mcp_servers m on m.id = s.server_id
   where s.removed_at is null and m.removed_at is null;
--> statement-breakpoint
-- Jobs of the ingest function. `due_at`: nobody rings it before; an upload whose browser never said that it was done is looked
-- at once its address has expired.
alter table jobs add column due_at timestamptz;
alter table jobs drop constraint jobs_kind_check;
alter table jobs add constraint jobs_kind_check check (kind in
  ('source_test', 'tool_discovery', 'model_test', 'model_import', 'approval_check', 'upload_import', 'upload_removal'));
-- When objects without a row were last looked for.
alter table platform_settings add column uploads_tidied_at timestamptz not null default '-infinity';
grant update (uploads_tidied_at) on platform_settings to aiw_step;
