import { sql } from '#db/database.ts';
import { defaultOf } from '#program/stored-program.ts';

/**
 * Returns SQL for a field of the program in `programs p`, as JSON. If an older release stored none, it is the default.
 * Use it only for fields that have a default. Upgrades do not apply here.
 */
export function programField(...path: readonly string[]) {
  return sql`coalesce(nullif(p.program #> ${path}::text[], 'null'), ${JSON.stringify(defaultOf(...path))}::jsonb)`;
}
