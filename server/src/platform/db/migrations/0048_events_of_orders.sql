-- Runs outside a transaction.
--
-- The page of an order shows what the shop said of it and which of its codes carts held: the happenings that name its id.
--
-- The index is built concurrently, while reads and writes go on: it has a row for each state of an order and each hold of a cart.
-- Building it waits for transactions that are already open, a backup included. If it is interrupted, this file simply runs again.
--
-- The previous release keeps running.
--
-- Oldest program: 0026_audit_indexes

drop index concurrently if exists happenings_by_external_id;
create index concurrently happenings_by_external_id on happenings (commerce_id, (facts ->> 'external_id'), id)
  where facts ->> 'external_id' is not null;
