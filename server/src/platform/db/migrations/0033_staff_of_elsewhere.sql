-- Runs outside a transaction.
--
-- What a person of the staff did is part of a commerce's archive, and the session in which they did it is not. So an imported row of the
-- audit names the person alone. Rows that are written here still name both.
--
-- Replaces a check of the audit by a wider one. Each statement but the second holds its lock for milliseconds. The second reads the audit
-- once, less than a second for a million rows, while reads and writes go on. The previous release keeps running: it writes only rows that both allow.
--
-- Oldest program: 0026_audit_indexes

alter table audit
  drop constraint if exists actors_are_named,
  add constraint actors_are_named check (
    (actor = 'staff') = (staff_id is not null) and (actor = 'key') = (key_id is not null)
    and (session_id is null or actor = 'staff')) not valid;
alter table audit validate constraint actors_are_named;
alter table audit drop constraint if exists an_actor_is_named;
