-- RUN-10: bounds of a run that platform admins set. Null: the default of the installation, which is also the most.
alter table platform_settings
  add column max_model_calls integer check (max_model_calls > 0),
  add column max_run_tokens bigint check (max_run_tokens > 0),
  add column max_run_wall_s integer check (max_run_wall_s > 0),
  add column max_tool_result_bytes integer check (max_tool_result_bytes >= 1024),
  add column max_identical_calls integer check (max_identical_calls > 1),
  add column limits_version integer not null default 1;
grant update (max_parallel_runs) on teams to aiw_api;
