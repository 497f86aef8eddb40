-- GW-2: gateways and their models, kept by platform admins. url null: the gateway of the environment. An address never
-- changes, because keys are given for it. Words of a gateway (last_import, last_test) are data.
create table model_endpoints (
  id uuid primary key default uuidv7(),
  name text not null check (name <> ''),
  url text,
  api text not null check (api in ('responses', 'chat_completions')),
  last_import_at timestamptz,
  last_import jsonb,
  created_by uuid references users,
  created_at timestamptz not null default aiw_now(),
  removed_at timestamptz
);
create unique index model_endpoints_name on model_endpoints (lower(name)) where removed_at is null;
create unique index model_endpoints_environment on model_endpoints ((url is null)) where url is null and removed_at is null;
create table models (
  id uuid primary key default uuidv7(),
  endpoint_id uuid not null references model_endpoints,
  name text not null check (name <> ''),
  display_name text not null check (display_name <> ''),
  class text not null check (class in ('fast', 'standard', 'thorough')),
  tools boolean not null default true,
  streaming boolean not null default true,
  context_window integer check (context_window >= 1000),
  -- money for one million tokens
  price_in numeric(16, 6) check (price_in >= 0),
  price_cached_in numeric(16, 6) check (price_cached_in >= 0),
  price_out numeric(16, 6) check (price_out >= 0),
  active boolean not null default true,
  -- the model that configuration names: it goes along with AIW_MODEL
  configured boolean not null default false,
  version integer not null default 1,
  last_test_at timestamptz,
  last_test jsonb,
  created_by uuid references users,
  created_at timestamptz not null default aiw_now(),
  removed_at timestamptz
);
create unique index models_name on models (endpoint_id, name) where removed_at is null;
create unique index models_configured on models (configured) where configured;
create table model_defaults (
  class text primary key check (class in ('fast', 'standard', 'thorough')),
  model_id uuid not null references models
);
-- What can answer now.
create view active_models with (security_invoker = true) as
  select m.* from models m join model_endpoints e on e.id = m.endpoint_id
   where m.active and m.removed_at is null and e.removed_at is null;
--> statement-breakpoint
with gateway as (insert into model_endpoints (name, api) values ('Gateway', 'responses') returning id),
     model as (insert into models (endpoint_id, name, display_name, class, configured)
                 select id, 'gpt-6-luna', 'gpt-6-luna', 'standard', true from gateway returning id)
insert into model_defaults (class, model_id) select c, id from model cross join unnest(array['fast', 'standard', 'thorough']) c;
--> statement-breakpoint
-- GW-3: one key of the platform (team_id null) and one of each team for a gateway, sealed for exactly this pair.
create table model_keys (
  id uuid primary key default uuidv7(),
  endpoint_id uuid not null references model_endpoints,
  team_id uuid references teams on delete cascade,
  secret text not null,
  secret_last4 text not null,
  changed_by uuid not null references users,
  changed_at timestamptz not null default aiw_now(),
  unique nulls not distinct (endpoint_id, team_id)
);
alter table model_keys enable row level security;
create policy platform on model_keys to aiw_api
  using (exists (select from users u where u.id = aiw_user() and u.is_platform_admin and u.disabled_at is null))
  with check (exists (select from users u where u.id = aiw_user() and u.is_platform_admin and u.disabled_at is null));
-- A step sees the key of the team whose workspace it is bound to; without a workspace only what all share.
create policy team on model_keys for select to aiw_step
  using (team_id is null or exists (select from workspaces w where w.team_id = model_keys.team_id));
--> statement-breakpoint
-- GW-4: lines of the guardrail map that admins added, or changed of those that come with the product.
create table guardrail_rules (
  name text primary key check (name ~ '^[a-z][a-z0-9_]{0,39}$'),
  match jsonb not null,
  direction text check (direction in ('request', 'response')),
  user_text text,
  enabled boolean not null,
  created_at timestamptz not null default aiw_now(),
  changed_by uuid not null references users,
  changed_at timestamptz not null default aiw_now()
);
--> statement-breakpoint
-- CHT-1, GW-2: what a workspace and a chat chose: a model, or a class. Neither: what the level above says.
alter table workspaces add column model_id uuid references models,
  add column model_class text check (model_class in ('fast', 'standard', 'thorough')),
  add constraint workspaces_one_model check (model_id is null or model_class is null);
alter table chats add column model_id uuid references models,
  add column model_class text check (model_class in ('fast', 'standard', 'thorough')),
  add constraint chats_one_model check (model_id is null or model_class is null);
-- RUN-17: what a run cost. Null: no prices were known. An item keeps whose it is: reasoning is one model's own.
alter table runs add column cost numeric(20, 9);
alter table run_items add column model_id uuid references models;
--> statement-breakpoint
-- GW-2: the model that answers in a chat: its own choice, its workspace's, the platform's standard. What is switched off is
-- passed over. Null: nothing is left.
create function model_of_v1(p_workspace uuid, p_chat uuid) returns uuid language sql stable as $$
  select m.id from (
      select 1 as rank, c.model_id, c.model_class from chats c where c.id = p_chat and c.workspace_id = p_workspace
      union all select 2, w.model_id, w.model_class from workspaces w where w.id = p_workspace
      union all select 3, null, 'standard') o
    left join model_defaults d on d.class = o.model_class
    join active_models m on m.id = coalesce(o.model_id, d.model_id)
    order by o.rank limit 1
$$;
--> statement-breakpoint
alter table jobs drop constraint jobs_kind_check;
alter table jobs add constraint jobs_kind_check check (kind in ('source_test', 'tool_discovery', 'model_test', 'model_import'));
alter table jobs drop constraint jobs_workspace_check;
alter table jobs add constraint jobs_workspace_check check ((kind in ('tool_discovery', 'model_test', 'model_import')) = (workspace_id is null));
grant select, insert, update on model_endpoints, models, guardrail_rules, model_defaults to aiw_api;
grant delete on guardrail_rules, model_defaults, model_keys to aiw_api;
grant select (id, endpoint_id, team_id, secret_last4, changed_by, changed_at), insert, update on model_keys to aiw_api;
grant select on active_models to aiw_api, aiw_step;
grant select on model_endpoints, models, model_defaults, model_keys, guardrail_rules to aiw_step;
grant update (last_import_at, last_import) on model_endpoints to aiw_step;
grant update (last_test_at, last_test) on models to aiw_step;
