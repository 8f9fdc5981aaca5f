-- A number of which each machine of a cluster has its own copy. A machine whose number is lower than that of the others was restored from an older
-- copy, so it lacks what was promised since. On one server nobody reads or raises it.
--
-- Creates an empty table and locks nothing. The previous release keeps running.
--
-- Oldest program: 0026_audit_indexes

create table cluster_heartbeat (
  only_row boolean primary key default true check (only_row),
  beat     bigint not null,
  at       timestamptz(3) not null
);
