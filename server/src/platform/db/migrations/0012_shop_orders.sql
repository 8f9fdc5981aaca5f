-- Runs outside a transaction.
--
-- A shop can name a purchase by its own order (`external_id`), find it by that name, and list its purchases. The balance
-- after each purchase is stored, because the shop is told it, and told the same when the call is repeated.
--
-- The two new columns have no value or a constant default, so nothing is rewritten: their locks last milliseconds. The
-- indexes are built concurrently, while reads and writes go on: about a second for a million rows each. Building them waits
-- for transactions that are already open, a backup included. If it is interrupted, this file simply runs again.
--
-- The previous release keeps running. It stores no balance, and ignores an `external_id` that a call sends; the ids of rows
-- that it imports count here too, because they stand in the same place.

-- The balance right after a purchase, as the shop was told. Null for purchases of earlier releases, for imported ones, and
-- for all other movements.
alter table movements add column if not exists balance_after bigint;

-- The ids that shops give their purchases are the keys `id/…` of the operation 'import', whether a call or a file brought
-- them. True if it was a call: its fingerprint is then that of a call.
alter table idempotency_keys add column if not exists from_call boolean not null default false;

drop index concurrently if exists idempotency_keys_orders;

-- Finds the shop's own id of a purchase.
create index concurrently idempotency_keys_orders on idempotency_keys (commerce_id, result, key)
  where operation = 'import' and key like 'id/%';

drop index concurrently if exists movements_purchases;

-- Lists a commerce's purchases by date.
create index concurrently movements_purchases on movements (commerce_id, at, id) where type = 'purchase';
