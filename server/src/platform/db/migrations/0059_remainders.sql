-- What the price of a point cut off a member's purchases can wait for the next purchase.
--
-- Adds two columns without a default to `members`, which is locked for milliseconds: no row is read. 0060 checks the rows that exist.
--
-- The previous release keeps running. It carries nothing over, and leaves what waits as it is. Do not go back to it while a program
-- carries: it cannot return such a purchase or explain it.
--
-- Oldest program: 0026_audit_indexes

alter table members
  -- In thousandths of the currency unit. Below zero after the return of a purchase whose money had helped a later one to a point.
  add column remainder bigint,
  -- The first version of the program since which it is carried. One of before that counts no more.
  add column remainder_since integer,
  add constraint a_remainder_has_a_beginning check ((remainder is null) = (remainder_since is null)) not valid;
