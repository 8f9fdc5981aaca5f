import { sql } from '../sql.ts';

/**
 * What a statement selects from that asks for rows of each commerce, as in `exists (select from members m where m.commerce_id = p.commerce_id)`:
 * the commerces, as `c`, each with its current program, as `p`. Each machine of a cluster has all commerces, but a program only where the
 * other rows of its commerce are. So each machine answers for its own.
 */
export const commercesWithRows = sql.raw(
  'programs p join commerces c on c.id = p.commerce_id and c.program_version = p.version',
);
