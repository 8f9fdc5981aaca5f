-- How far the job that tells of codes about to end has come at a commerce. Codes that end within a week when this file runs are told in its
-- first round.
--
-- Adds two columns without a default and locks a small table for a moment. The previous release keeps running.
--
-- Oldest program: 0026_audit_indexes

alter table commerce_jobs
  -- expiring-codes: all codes up to this end, and at the same end up to this code, are told.
  add column told_until timestamptz(3),
  add column told_code  bigint;
-- A cluster adds one constraint at a time.
alter table commerce_jobs
  add constraint told_to_the_end check ((told_until is null) = (told_code is null) and isfinite(told_until));
alter table commerce_jobs
  add constraint told_code_is_a_code check (told_code between 0 and 99999999999999);
