-- What monitoring shows of work that is no job: when a backup was last taken and heads of the sealed history were last published, since
-- when that fails, and at which shops a published head is not of this history.
--
-- Creates an empty table, and adds columns without a rewrite: `seal_logs` has a row per commerce and is locked for an instant. The previous
-- release keeps running, and leaves both as they are.
--
-- Oldest program: 0026_audit_indexes

create table watched_work (
  name          text primary key check (name in ('backup', 'heads')),
  -- When it last ended well. Null if it never has.
  succeeded_at  timestamptz,
  -- Since when each attempt has failed. Null if the last one was fine.
  failing_since timestamptz
);

-- When a head was found in a folder that is not of this history. Null if the last comparison with that folder was fine.
alter table seal_logs add column rewritten_at timestamptz;
-- The folder.
alter table seal_logs add column rewritten_in text;
alter table seal_logs add constraint rewritten_in_a_folder check ((rewritten_at is null) = (rewritten_in is null));
