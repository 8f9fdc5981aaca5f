-- Each version of a program keeps who published it, what they wrote about it, and what it changed.
--
-- Adds columns without defaults: the lock on `programs` lasts milliseconds. The foreign keys and the check then read the
-- table, which has one row for each version of each program, and keep changes of `staff` and `api_keys` waiting meanwhile:
-- milliseconds for thousands of versions.
--
-- Versions that are older have none of these, and neither have those that the previous release adds while it still runs.
-- What such a version changed is found by comparing it with the one before.

alter table programs
  add column actor    text check (actor in ('staff', 'key', 'command_line')),
  add column staff_id bigint,
  add column key_id   bigint,
  -- What the author wrote about the version.
  add column note     text check (length(note) between 1 and 500),
  -- One line for each change, and one for each kind of move of members with their number.
  add column changes  jsonb check (jsonb_typeof(changes) = 'array'),
  add foreign key (commerce_id, staff_id) references staff,
  add foreign key (commerce_id, key_id) references api_keys (commerce_id, id),
  add constraint an_author_is_named check (
    (actor is not distinct from 'staff') = (staff_id is not null)
    and (actor is not distinct from 'key') = (key_id is not null));
