-- APR-19: what is different at the target of an open request, as a code with facts (`Drift` of the contract), beside the sentence in
-- `stale_reason`. Null: nothing is different, or only the sentence is known.
alter table approvals add column stale_facts jsonb;
