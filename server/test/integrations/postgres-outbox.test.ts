/** The outbox of shops that keep their data in PostgreSQL, on the one of the tests. Each test has a schema of its own. */
import { randomBytes } from 'node:crypto';
import { Pool } from 'pg';
import { onEnd, testDatabaseUrl } from '#test/database.ts';
import { checkOutbox, core } from './core.ts';

checkOutbox(async () => {
  const schema = `shop_${randomBytes(6).toString('hex')}`;
  const pool = new Pool({
    connectionString: await testDatabaseUrl(),
    max: 20,
    options: `-c search_path=${schema}`,
  });
  onEnd(() => pool.end());
  await pool.query(`create schema ${schema}`);
  for (const statement of core.POSTGRES_OUTBOX_TABLES) await pool.query(statement);
  // A shop that is installed begins at a mark.
  await pool.query('delete from loyalty_sweep');
  return core.postgresOutbox(
    async (statement, values = []) => (await pool.query(statement, [...values])).rows,
  );
});
