-- Runs outside a transaction.
--
-- An event that is a sealed movement names its place in the tree, which is found by the tile that the movement is in.
--
-- The index is built concurrently, while reads and writes go on: it has a row for each 256 movements. Building it waits for transactions
-- that are already open, a backup included. If it is interrupted, this file simply runs again.
--
-- The previous release keeps running.
--
-- Oldest program: 0026_audit_indexes

drop index concurrently if exists seal_tiles_by_movement;
create index concurrently seal_tiles_by_movement on seal_tiles (commerce_id, after_id) where level = 0;
