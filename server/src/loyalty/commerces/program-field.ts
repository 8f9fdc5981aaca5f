import { sql } from '#db/database.ts';
import { defaultOf } from '#program/stored-program.ts';

/**
 * Returns SQL for a field of the program in `programs p`, with the field's default if an older release did not store
 * it. Use it only for fields that have a default: it does not apply the changes that an upgrade makes to stored
 * programs.
 */
export function programField(...path: readonly string[]) {
  return sql`coalesce(nullif(p.program #> ${path}::text[], 'null'), ${JSON.stringify(defaultOf(...path))}::jsonb)`;
}
