/** Checks that each type of movement changes only the figures that it may change. */
import { sql } from '#db/database.ts';
import type { Check, Finding } from './check.ts';

export const kindChecks: readonly Check[] = [
  { invariant: 'a movement changes only what its type may', find: wrongKinds },
];

function wrongKinds(commerceId: number) {
  return sql<Finding>`
    select member_id as "memberId", id as "movementId",
           format('a %s with %s points, %s earned, amount %s, purchases %s', type, points, points_earned,
                  coalesce(amount::text, 'none'), purchases) as says
      from movements
     where commerce_id = ${commerceId} and type not in ('purchase', 'reversal')
       and (amount is null and purchases = 0
            and case type when 'reward' then points >= 0 and points_earned = points
                          when 'adjustment'
                          then points_earned = case when snapshot ? 'erased' then 0 else points end
                          when 'exchange' then points <= 0 and points_earned = 0
                          when 'give_back' then points >= 0 and points_earned = 0
                          when 'expiry' then points < 0 and points_earned = 0
                          else points = 0 and points_earned = 0 end) is not true`;
}
