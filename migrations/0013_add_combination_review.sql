-- POL-11: platform admins review dangerous combinations of all workspaces, members of theirs or not. Beyond its scope a transaction
-- sees names and labels only while it says that it reviews, for a platform admin, and only of sources with such a label.
create function aiw_reviews_combinations() returns boolean language sql stable as $$
  select coalesce(current_setting('aiw.review', true), '') = 'combinations'
     and exists (select from users u where u.id = aiw_user() and u.is_platform_admin and u.disabled_at is null)
$$;
create policy combinations on sources for select to aiw_api
  using ((sensitivity = 'confidential' or trust = 'untrusted') and (select aiw_reviews_combinations()));
create policy combinations on workspaces for select to aiw_api using ((select aiw_reviews_combinations()));
