-- On a cluster, a transaction leaves a mark on the machine whose rows it writes, so that its outcome can be told if the answer to the commit is
-- lost: the coordinator's own record says `aborted` of a transaction that was committed on that machine before the coordinator ended. On one
-- server nobody writes marks.
--
-- Creates an empty table and locks nothing. The previous release keeps running.
--
-- Oldest program: 0026_audit_indexes

create table commit_marks (
  commerce_id bigint not null references commerces,
  id          uuid not null,
  at          timestamptz(3) not null default clock_timestamp(),
  primary key (commerce_id, id)
);
