-- No constraint reaches over commerces any more, and the commerce's time is asked for by the offset of its clock. With these, each tenant
-- table could live on the machine of its commerce; on one server nothing changes.
--
-- The names of `seal_logs.origin` and `wallet_shops.google_class` were unique over all commerces. Both are made at random, and each table has
-- one row per commerce, so with the commerce the primary key says the same. An archive whose history is here already is refused by a check.
-- The row of a session is deleted by nobody, so the foreign key of `audit.session_id` refused nothing that happens.
--
-- `audit`, `staff_sessions`, `seal_logs` and `wallet_shops` are locked for an instant. The previous release keeps running: it calls the old
-- `program_now`, which stays, and names none of the constraints. The triggers for release 0.1 stay, too: its processes serve on while a
-- database is upgraded from it, and release 0.2 leaves `members.tier_rank` to them.
--
-- Oldest program: 0026_audit_indexes

alter table seal_logs drop constraint seal_logs_origin_key;
alter table wallet_shops drop constraint wallet_shops_google_class_key;
alter table audit drop constraint audit_session_id_fkey;

-- The time of a commerce whose clock is so far ahead: that of the statement, so it is one instant for all its rows. A use case that must not
-- be earlier than the changes that its locks waited for asks in a statement after the one that locks.
create function program_now(clock_offset interval) returns timestamptz(3) language sql stable parallel safe as
  $$ select date_trunc('milliseconds', statement_timestamp() + clock_offset)::timestamptz(3) $$;
