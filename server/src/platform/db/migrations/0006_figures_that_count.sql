-- Keeps the figures of a member within 2^53 − 1, up to which the program's numbers are exact. The program refuses anything
-- that would take a figure past it. These constraints stand behind that rule. 0008 validates them.
--
-- Reads members and balances once, 0.2 s for a million rows each, while everything else goes on. Then it locks both tables
-- to add the constraints, which takes milliseconds.
--
-- The previous version of the program goes on working. If it would take a figure past the limit, the purchase is now a 500
-- and nothing is recorded. Before, it was a 201, and after it nothing of the member could be read.
--
-- If an earlier version has already taken a figure past the limit, the constraints are left out, because PostgreSQL would
-- check them each time it updates that member, even at a sign-in. `loyalty ledger verify` reports those members and the
-- missing constraints.
do $$
begin
  if exists (select from members
              where greatest(points_earned, amount_spent, purchases) > 9007199254740991
                 or least(points_earned, amount_spent, purchases) < -9007199254740991)
     or exists (select from balances where points not between -9007199254740991 and 9007199254740991)
  then
    raise warning 'figures of members are past 2^53 - 1: run loyalty ledger verify';
    return;
  end if;
  alter table members
    add constraint figures_are_exact
      check (greatest(points_earned, amount_spent, purchases) <= 9007199254740991
             and least(points_earned, amount_spent, purchases) >= -9007199254740991) not valid;
  alter table balances
    add constraint points_are_exact
      check (points between -9007199254740991 and 9007199254740991) not valid;
end $$;
