-- What monitoring shows of the jobs and of the books. A process reads these rows every few seconds for its metrics, so there is
-- one row for each job and one for each commerce, and nothing is counted.
--
-- The columns are added without a rewrite: `jobs` has a row per job and is locked for an instant. The new table locks `commerces`
-- for an instant, too, for its foreign key.
--
-- The previous release keeps running. Rounds that it runs leave the new columns as they are, so for them the duration of a job is
-- that of the last round of a new process.
--
-- Oldest program: 0026_audit_indexes

-- How long the last round took that ended, failed or not.
alter table jobs add column ran_seconds double precision;
-- Since when every round has failed, at one commerce at least or as a whole. Null if the last round was fine.
alter table jobs add column failing_since timestamptz;

-- What comparing the books with the movements found, when it was last done: one row per commerce.
create table ledger_checks (
  commerce_id   bigint primary key references commerces,
  checked_at    timestamptz not null,
  -- The last movement that was compared. Null if there was none.
  last_movement bigint,
  differences   integer not null check (differences >= 0)
);
