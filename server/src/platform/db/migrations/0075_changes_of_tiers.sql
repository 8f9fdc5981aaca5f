-- Runs outside a transaction.
--
-- An order that was paid earlier earns by the tier of that moment. The index finds when a member's tier changed.
--
-- It is built concurrently, while reads and writes go on, and has a row for each change of a tier. If it is interrupted, this file simply
-- runs again. The previous release keeps running.
--
-- Oldest program: 0026_audit_indexes

drop index concurrently if exists happenings_of_tiers;
create index concurrently happenings_of_tiers on happenings (commerce_id, member_id, at, id)
  where type in ('tier.reached', 'tier.lost');
