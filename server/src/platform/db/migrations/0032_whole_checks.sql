-- When the whole books of a commerce were last compared with its movements. In between, a job compares the books of those people
-- only to whom something has happened since.
--
-- Adds a column without a default to a table with one row per commerce: the lock lasts milliseconds. The previous release keeps
-- running; it leaves the column as it is.
--
-- Oldest program: 0026_audit_indexes

alter table ledger_checks add column whole_at timestamptz;
