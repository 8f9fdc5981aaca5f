import { sql } from '#db/database.ts';
import { defaultOf } from '#program/stored-program.ts';

/**
 * A field of the program in `programs p`, for a condition in SQL: its default where an older release stored none. For
 * fields with a default only; what an upgrade fills in is not seen here.
 */
export function programField(...path: readonly string[]) {
  return sql`coalesce(nullif(p.program #> ${path}::text[], 'null'), ${JSON.stringify(defaultOf(...path))}::jsonb)`;
}
