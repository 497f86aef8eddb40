-- ADM-1, IDN-0: platform admins administer people and teams from the pages.
alter table users add column last_sign_in_at timestamptz;
-- Names are one whatever their case, as those of users are.
create unique index teams_name on teams (lower(name));
grant insert on teams to aiw_api;
grant insert, delete on team_members to aiw_api;
--> statement-breakpoint
-- At least one platform admin can act at any time, whoever disables or demotes whom at the same moment: the second of two
-- changes waits for the first and sees what it left.
create function users_keep_admin_v1() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtext('aiw_platform_admins'));
  if not exists (select from users where is_platform_admin and disabled_at is null) then
    raise exception 'the last active platform admin stays one' using errcode = 'AIW03';
  end if;
  return null;
end $$;
create trigger users_keep_admin after update of is_platform_admin, disabled_at on users for each row
  when (old.is_platform_admin and old.disabled_at is null and not (new.is_platform_admin and new.disabled_at is null))
  execute function users_keep_admin_v1();
