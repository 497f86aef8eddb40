-- SEC-2: three roles that are neither superuser nor owner. They get their login passwords from the operator
-- (`aiw migrate`), never from a migration.
do $$
declare r text;
begin
  foreach r in array array['aiw_api', 'aiw_step', 'aiw_retention'] loop
    if not exists (select from pg_roles where rolname = r) then
      begin
        execute format('create role %I login nosuperuser nobypassrls nocreatedb nocreaterole noinherit', r);
      exception when duplicate_object or unique_violation then null; -- another database of this cluster made it just now
      end;
    end if;
  end loop;
end $$;
--> statement-breakpoint
-- The one clock that decides (house rule 13). The test template alone may replace it by a shifted one.
create function aiw_now() returns timestamptz language sql volatile as $$ select clock_timestamp() $$;
--> statement-breakpoint
-- True for rows of the workspaces set for this transaction. A pooled connection starts with '' after its first
-- transaction, so '' counts as "none".
create function aiw_in_scope(p uuid) returns boolean language sql stable as
$$ select p = any (string_to_array(nullif(current_setting('aiw.workspaces', true), ''), ',')::uuid[]) $$;
--> statement-breakpoint
create function aiw_unscoped() returns boolean language sql stable as
$$ select nullif(current_setting('aiw.workspaces', true), '') is null $$;
--> statement-breakpoint
create function aiw_user() returns uuid language sql stable as
$$ select nullif(current_setting('aiw.user_id', true), '')::uuid $$;
