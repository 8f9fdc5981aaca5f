-- Finds the usable codes of a member without reading those that were used, to list them and to count them at an exchange.
--
-- Writes to vouchers wait while the index is built, about a second for a million rows. A redemption then writes to all
-- indexes of vouchers, because it takes the code out of this one.
create index vouchers_unused on vouchers (commerce_id, member_id, due_at)
  where used_at is null and given_back_at is null;
