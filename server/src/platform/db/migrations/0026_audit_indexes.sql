-- Runs outside a transaction.
--
-- What owners need to search the audit: by time, person, key and action.
--
-- The indexes are built concurrently, while reads and writes go on: about four seconds for a million rows. A till writes a row
-- for each purchase while it holds the member, so nothing may lock the table for so long. Building them waits for transactions
-- that are already open, a backup included. If it is interrupted, this file simply runs again.
--
-- The previous release keeps running.

drop index concurrently if exists audit_by_time;
drop index concurrently if exists audit_of_staff;
drop index concurrently if exists audit_of_key;
drop index concurrently if exists audit_of_command_line;
drop index concurrently if exists audit_of_action;

-- The audit in the order of its times, of everybody and of one actor or action. Sales are so many that looking for them
-- needs no index.
create index concurrently audit_by_time on audit (commerce_id, at desc, id desc);
create index concurrently audit_of_staff on audit (commerce_id, staff_id, at desc, id desc) where staff_id is not null;
create index concurrently audit_of_key on audit (commerce_id, key_id, at desc, id desc) where key_id is not null;
create index concurrently audit_of_command_line on audit (commerce_id, at desc, id desc) where actor = 'command_line';
create index concurrently audit_of_action on audit (commerce_id, action, at desc, id desc)
  where action not in ('purchase.record', 'purchase.reverse', 'voucher.redeem');
