import type { Database } from '#db/database.ts';
import { migrate } from '#db/migrate.ts';
import { distributeNewTables } from './distribute.ts';

/**
 * Updates the schema to this version of the program, and on a cluster distributes the tables that are new. Returns the names of the
 * migrations that were applied, and of those tables.
 */
export async function updateSchema(
  database: Database,
): Promise<{ readonly applied: string[]; readonly distributed: string[] }> {
  const applied = await migrate(database);
  const distributed = database.address.cluster == null ? [] : await distributeNewTables(database);
  return { applied, distributed };
}
