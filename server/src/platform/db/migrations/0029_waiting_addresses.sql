-- Runs outside a transaction.
--
-- Addresses whose points nobody claims are erased after 24 months. The job looks for them every few minutes, and most of the members are
-- none of them, so they get an index of their own.
--
-- The index is built concurrently, while reads and writes go on: about a second for a million members. Building it waits for transactions
-- that are already open, a backup included. If it is interrupted, this file simply runs again. No column that a purchase writes is in
-- it, so purchases cost what they did.
--
-- The previous release keeps running: it neither reads nor needs the index.
--
-- Oldest program: 0026_audit_indexes

drop index concurrently if exists members_who_wait;
create index concurrently members_who_wait on members (commerce_id, created_at) where state = 'invited' and erased_at is null;
