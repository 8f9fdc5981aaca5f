-- Runs outside a transaction.
--
-- What a purchase consisted of is stored in the order of time and deleted by age, so an index of ranges finds what is old. The lines of a
-- person are found by their purchases. Each purchase with lines keeps one tree instead of three, and one foreign key is checked instead of two.
--
-- The index is built concurrently, while reads and writes go on: it has a few bytes for each hundred purchases. Building it waits for
-- transactions that are already open, a backup included. If it is interrupted, this file simply runs again. Dropping the key takes a
-- moment's lock on the members.
--
-- The previous release keeps running.
--
-- Oldest program: 0026_audit_indexes

drop index concurrently if exists purchase_lines_of_member;
drop index concurrently if exists purchase_lines_by_age;
create index concurrently purchase_lines_by_age on purchase_lines using brin (stored_at) with (pages_per_range = 32);
alter table purchase_lines drop constraint if exists purchase_lines_commerce_id_member_id_fkey;
