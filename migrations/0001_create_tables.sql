create table users (
  id uuid primary key default uuidv7(),
  name text not null,
  display_name text not null,
  password_hash text,
  must_change_password boolean not null default false,
  is_platform_admin boolean not null default false,
  is_global_approver boolean not null default false,
  disabled_at timestamptz,
  failed_logins integer not null default 0,
  locked_until timestamptz,
  created_at timestamptz not null default aiw_now()
);
create unique index users_name on users (lower(name));
--> statement-breakpoint
create table sessions (
  id uuid primary key default uuidv7(),
  user_id uuid not null references users on delete cascade,
  token_hash bytea not null unique,
  created_at timestamptz not null default aiw_now(),
  seen_at timestamptz not null default aiw_now(),
  expires_at timestamptz not null
);
create index sessions_user on sessions (user_id);
--> statement-breakpoint
create table teams (
  id uuid primary key default uuidv7(),
  name text not null unique,
  max_parallel_runs integer not null default 4 check (max_parallel_runs > 0),
  created_at timestamptz not null default aiw_now()
);
create table team_members (
  team_id uuid not null references teams on delete cascade,
  user_id uuid not null references users on delete cascade,
  primary key (team_id, user_id)
);
create index team_members_user on team_members (user_id);
--> statement-breakpoint
create table workspaces (
  id uuid primary key default uuidv7(),
  team_id uuid not null references teams,
  name text not null check (name <> ''),
  description text not null default '',
  write_policy text not null default 'risk_based' check (write_policy in ('risk_based', 'confirm_external')),
  approval_ttl_s integer not null default 86400 check (approval_ttl_s between 30 and 604800),
  max_tool_rounds integer not null default 24 check (max_tool_rounds between 1 and 100),
  policy_version bigint not null default 1,
  created_by uuid not null references users,
  created_at timestamptz not null default aiw_now(),
  unique (team_id, name)
);
create table memberships (
  workspace_id uuid not null references workspaces on delete cascade,
  user_id uuid not null references users on delete cascade,
  role text not null check (role in ('member', 'approver', 'admin')),
  created_at timestamptz not null default aiw_now(),
  primary key (workspace_id, user_id)
);
create index memberships_user on memberships (user_id);
--> statement-breakpoint
-- Tools are known platform-wide; a tool without a risk class is unclassified and therefore denied (POL-4).
create table tools (
  id text primary key,
  wire_name text not null unique check (wire_name ~ '^[A-Za-z0-9_]{1,64}$'),
  kind text not null check (kind in ('native', 'mcp')),
  source_kind text not null,
  definition text not null,
  definition_hash text not null,
  suggested_risk_class text not null,
  default_active boolean not null default true,
  risk_class text check (risk_class in ('read', 'write_internal', 'write_external', 'destructive')),
  decision text check (decision in ('allow', 'require_approval', 'deny')),
  level text not null default 'workspace_admin' check (level in ('workspace_admin', 'global_approver')),
  four_eyes boolean not null default false,
  classified_by uuid references users,
  classified_at timestamptz,
  version integer not null default 1
);
-- Rules beside the classification (POL-3, POL-8). workspace_id is null for the platform's own.
create table tool_policies (
  id uuid primary key default uuidv7(),
  workspace_id uuid references workspaces on delete cascade,
  source_id uuid,
  level text not null check (level in ('platform', 'workspace', 'source', 'agent')),
  pattern text not null,
  decision text not null check (decision in ('auto', 'approve', 'deny')),
  approval_level text check (approval_level in ('workspace_admin', 'global_approver')),
  four_eyes boolean,
  label text not null default '',
  version integer not null default 1,
  created_by uuid references users,
  created_at timestamptz not null default aiw_now(),
  check ((level = 'platform') = (workspace_id is null)),
  unique nulls not distinct (workspace_id, source_id, level, pattern)
);
create table platform_settings (
  only_row boolean primary key default true check (only_row),
  policy_version bigint not null default 1,
  forced_write_policy text check (forced_write_policy in ('risk_based', 'confirm_external'))
);
insert into platform_settings default values;
create table workspace_tools (
  workspace_id uuid not null references workspaces on delete cascade,
  tool_id text not null references tools on delete cascade,
  active boolean not null,
  primary key (workspace_id, tool_id)
);
--> statement-breakpoint
create table sources (
  id uuid primary key default uuidv7(),
  workspace_id uuid not null references workspaces on delete cascade,
  kind text not null check (kind in ('git')),
  name text not null check (name <> ''),
  config jsonb not null,
  secret text,
  secret_last4 text,
  status text not null default 'untested' check (status in ('untested', 'tested', 'failed')),
  confirmed_by uuid not null references users,
  confirmed_at timestamptz not null default aiw_now(),
  last_test_at timestamptz,
  last_test jsonb,
  created_by uuid not null references users,
  created_at timestamptz not null default aiw_now(),
  removed_at timestamptz,
  unique (workspace_id, id)
);
create unique index sources_name on sources (workspace_id, lower(name)) where removed_at is null;
--> statement-breakpoint
create table jobs (
  id uuid primary key default uuidv7(),
  workspace_id uuid not null references workspaces on delete cascade,
  kind text not null check (kind in ('source_test')),
  subject_id uuid not null,
  status text not null default 'queued' check (status in ('queued', 'running', 'done', 'failed')),
  attempt integer not null default 0,
  lease_until timestamptz,
  rung_at timestamptz,
  error_code text,
  created_by uuid not null references users,
  created_at timestamptz not null default aiw_now(),
  ended_at timestamptz
);
-- One click, one job: while one is open the same click finds it.
create unique index jobs_open on jobs (workspace_id, kind, subject_id) where status in ('queued', 'running');
create index jobs_due on jobs (created_at) where status in ('queued', 'running');
--> statement-breakpoint
create table chats (
  id uuid primary key default uuidv7(),
  workspace_id uuid not null references workspaces on delete cascade,
  title text not null,
  mode text not null default 'work' check (mode in ('work', 'plan')),
  created_by uuid not null references users,
  created_at timestamptz not null default aiw_now(),
  active_at timestamptz not null default aiw_now(),
  archived_at timestamptz,
  unique (workspace_id, id)
);
create index chats_list on chats (workspace_id, active_at desc);
--> statement-breakpoint
create table runs (
  id uuid primary key default uuidv7(),
  workspace_id uuid not null references workspaces on delete cascade,
  team_id uuid not null references teams,
  chat_id uuid,
  parent_run_id uuid,
  title text not null,
  started_by uuid not null references users,
  status text not null default 'queued',
  shown_status text not null default 'queued',
  end_reason text,
  error_code text,
  error_text text,
  -- fences and leases (RUN-4, RUN-6)
  fence bigint not null default 0,
  lease_until timestamptz,
  step integer not null default 0,
  attempts integer not null default 0,
  wake_at timestamptz,
  queued_at timestamptz not null default aiw_now(),
  rung_at timestamptz,
  rings integer not null default 0,
  parked_at timestamptz,
  cancel_requested_at timestamptz,
  cancelled_by uuid references users,
  -- counters of what was written
  last_seq bigint not null default 0,
  last_item bigint not null default 0,
  -- record (RUN-17)
  model text not null default '',
  pins jsonb not null default '{}',
  policy_version bigint,
  tool_rounds integer not null default 0,
  model_calls integer not null default 0,
  input_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  context_fill real not null default 0,
  work_ms bigint not null default 0,
  created_at timestamptz not null default aiw_now(),
  started_at timestamptz,
  ended_at timestamptz,
  unique (workspace_id, id),
  foreign key (workspace_id, chat_id) references chats (workspace_id, id),
  check (status in ('queued', 'running', 'waiting_approval', 'waiting_input', 'needs_reconciliation', 'completed',
                    'failed', 'cancelled', 'blocked_by_guardrail'))
);
-- RUN-1: one active run per chat.
create unique index runs_one_active on runs (chat_id)
  where status in ('queued', 'running', 'waiting_approval', 'waiting_input', 'needs_reconciliation');
create index runs_queued on runs (queued_at) where status = 'queued';
create index runs_leased on runs (team_id, lease_until) where status = 'running';
create index runs_parked on runs (team_id, queued_at) where status = 'queued' and parked_at is not null;
create index runs_list on runs (workspace_id, id desc);
create index runs_chat on runs (chat_id, id);
--> statement-breakpoint
create table messages (
  id uuid primary key,
  workspace_id uuid not null,
  chat_id uuid not null,
  role text not null check (role in ('user', 'assistant')),
  text text not null,
  author_id uuid references users,
  run_id uuid,
  waiting boolean not null default false,
  withheld boolean not null default false,
  created_at timestamptz not null default aiw_now(),
  ordinal bigint generated always as identity,
  foreign key (workspace_id, chat_id) references chats (workspace_id, id) on delete cascade,
  foreign key (workspace_id, run_id) references runs (workspace_id, id)
);
create index messages_chat on messages (chat_id, ordinal);
create index messages_waiting on messages (chat_id, ordinal) where waiting;
-- RUN-2: the final answer of a run is written once.
create unique index messages_answer on messages (run_id) where role = 'assistant';
--> statement-breakpoint
-- The history of a run, append-only (DESIGN idea 6). `data` is the item's JSON text as the model gets it.
create table run_items (
  run_id uuid not null,
  item bigint not null,
  workspace_id uuid not null,
  chat_id uuid,
  step integer not null,
  kind text not null check (kind in ('user', 'assistant', 'reasoning', 'function_call', 'function_call_output')),
  call_id text,
  data text not null,
  primary key (run_id, item),
  foreign key (workspace_id, run_id) references runs (workspace_id, id) on delete cascade
);
create index run_items_chat on run_items (chat_id, run_id, item);
-- Every call is answered exactly once (I10).
create unique index run_items_one_output on run_items (run_id, call_id) where kind = 'function_call_output';
create unique index run_items_one_call on run_items (run_id, call_id) where kind = 'function_call';
--> statement-breakpoint
create table run_events (
  run_id uuid not null,
  seq bigint not null,
  workspace_id uuid not null,
  type text not null,
  data text not null,
  at timestamptz not null default aiw_now(),
  primary key (run_id, seq),
  foreign key (workspace_id, run_id) references runs (workspace_id, id) on delete cascade
);
--> statement-breakpoint
create table run_steps (
  run_id uuid not null,
  fence bigint not null,
  workspace_id uuid not null,
  step integer not null,
  attempt integer not null,
  kind text,
  queue_ms integer,
  started_at timestamptz not null default aiw_now(),
  ended_at timestamptz,
  outcome text,
  primary key (run_id, fence),
  foreign key (workspace_id, run_id) references runs (workspace_id, id) on delete cascade
);
--> statement-breakpoint
create table tool_calls (
  id uuid primary key,
  workspace_id uuid not null,
  run_id uuid not null,
  call_id text not null,
  step integer not null,
  position integer not null,
  wire_name text not null,
  tool_id text,
  source_id uuid,
  args_text text not null,
  args_sha256 text not null,
  risk_class text,
  decision text,
  explanation jsonb,
  model_note text,
  -- set when a person asked again after an expiry: the request this one follows (APR-7)
  predecessor_id uuid,
  status text not null default 'pending',
  result text,
  result_bytes integer not null default 0,
  started_at timestamptz,
  ended_at timestamptz,
  unique (run_id, call_id),
  unique (workspace_id, id),
  foreign key (workspace_id, run_id) references runs (workspace_id, id) on delete cascade,
  check (status in ('pending', 'waiting', 'executing', 'executed', 'rejected', 'expired', 'cancelled', 'invalid',
                    'denied', 'failed', 'unknown'))
);
create index tool_calls_run on tool_calls (run_id, step, position);
--> statement-breakpoint
-- `approvals` alone owns the state of an external write. Frozen columns are text: bytes, not jsonb (M4).
create table approvals (
  id uuid primary key default uuidv7(),
  number bigint generated always as identity unique,
  workspace_id uuid not null,
  run_id uuid not null,
  chat_id uuid,
  tool_call_id uuid not null,
  call_id text not null,
  source_id uuid,
  tool_id text not null,
  requester_id uuid not null references users,
  title text not null,
  -- the snapshot (APR-2)
  snapshot text not null,
  snapshot_hash text not null,
  args_text text not null,
  form text not null,
  form_version integer not null,
  preview text not null,
  preconditions text not null,
  definition_hash text not null,
  policy_version bigint not null,
  level text not null check (level in ('workspace_admin', 'global_approver')),
  four_eyes boolean not null,
  risk_class text not null,
  explanation text not null,
  model_note text,
  allowed_by_policy boolean not null default false,
  -- the decision
  status text not null default 'pending',
  invalid_reason text,
  required_votes integer not null default 1,
  expires_at timestamptz,
  stale_at timestamptz,
  decided_by uuid references users,
  decided_at timestamptz,
  decision_reason text,
  decision_channel text,
  seen_hash text,
  end_run boolean not null default false,
  -- the execution
  execute_before timestamptz,
  attempt integer not null default 0,
  exec_fence bigint,
  executing_at timestamptz,
  ended_at timestamptz,
  executed_hash text,
  reconciled boolean not null default false,
  reconciled_by uuid references users,
  reconcile_comment text,
  result text,
  facts jsonb,
  predecessor_id uuid references approvals,
  created_at timestamptz not null default aiw_now(),
  unique (workspace_id, id),
  foreign key (workspace_id, run_id) references runs (workspace_id, id) on delete cascade,
  foreign key (workspace_id, tool_call_id) references tool_calls (workspace_id, id) on delete cascade,
  check (status in ('pending', 'approved', 'executing', 'executed', 'rejected', 'expired', 'cancelled', 'invalid',
                    'failed', 'unknown')),
  check ((status = 'invalid') = (invalid_reason is not null)),
  check (allowed_by_policy or status in ('pending', 'expired', 'cancelled', 'invalid') or decided_by is not null)
);
create unique index approvals_one_open on approvals (tool_call_id) where status in ('pending', 'approved', 'executing', 'unknown');
create unique index approvals_one_successor on approvals (predecessor_id) where predecessor_id is not null;
create index approvals_run on approvals (run_id);
create index approvals_open on approvals (workspace_id, expires_at) where status = 'pending';
create index approvals_due on approvals (expires_at) where status = 'pending';
create index approvals_list on approvals (workspace_id, id desc);
create table approval_votes (
  approval_id uuid not null,
  workspace_id uuid not null,
  user_id uuid not null references users,
  vote text not null check (vote in ('approved', 'rejected')),
  reason text,
  seen_hash text,
  channel text not null,
  self_approval boolean not null,
  at timestamptz not null default aiw_now(),
  primary key (approval_id, user_id),
  foreign key (workspace_id, approval_id) references approvals (workspace_id, id) on delete cascade
);
--> statement-breakpoint
create table audit_events (
  id bigint generated always as identity primary key,
  workspace_id uuid,
  at timestamptz not null default aiw_now(),
  actor_kind text not null check (actor_kind in ('human', 'agent', 'system')),
  actor_id uuid,
  event text not null,
  object_kind text,
  object_id text,
  run_id uuid,
  source text,
  data jsonb not null default '{}'
);
create index audit_events_list on audit_events (workspace_id, id desc);
