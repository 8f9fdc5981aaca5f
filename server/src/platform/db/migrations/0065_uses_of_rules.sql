-- Runs outside a transaction.
--
-- Finds the purchases of a member that used a rule with a limit, so that a limit for ever does not read all purchases of the member.
--
-- The index is built concurrently, while reads and writes go on: about a second for a million rows. Building it waits for transactions that
-- are already open, a backup included. If it is interrupted, this file simply runs again. Purchases of programs without such rules have
-- no row in it.
--
-- The previous release keeps running.
--
-- Oldest program: 0026_audit_indexes

drop index concurrently if exists movements_uses;

create index concurrently movements_uses on movements (commerce_id, member_id, at) where type = 'purchase' and snapshot ? 'used';
