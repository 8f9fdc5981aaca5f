import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDatabase, sql, transaction } from '#db/database.ts';
import { migrate } from '#db/migrate.ts';
import { storeSettingsOfRole } from '#db/pooler.ts';
import { distribute, planDistribution } from '#distribute/distribute.ts';
import { databaseUrl, emptyDatabaseOnNodes, nameOf } from '#test/database.ts';
import { isOnNodes } from '#test/on-cluster.ts';
import { examineCluster } from './examine-cluster.ts';

const skip = isOnNodes ? false : 'needs several servers: CITUS_BIN starts them';

test(
  'machines that learn of a role when the tables are distributed do not get its limits of calls',
  { skip },
  async (t) => {
    const place = await nameOf(await emptyDatabaseOnNodes(t));
    const role = `role_of_${place}`;
    const admin = openDatabase({ url: databaseUrl(place), poolSize: 1, preparedStatements: false });
    await transaction(admin, async (tx) => {
      await sql`set local citus.enable_create_role_propagation = off`.execute(tx);
      await sql`create role ${sql.id(role)} login`.execute(tx);
      await sql`grant create on schema public to ${sql.id(role)}`.execute(tx);
    });
    await admin.destroy();
    const url = Object.assign(new URL(databaseUrl(place)), { username: role, password: '' }).href;
    const plans = { preparedStatements: true, cluster: 'citus', sendsSettings: false } as const;
    await storeSettingsOfRole(url, plans);

    const db = openDatabase({
      url,
      poolSize: 2,
      preparedStatements: true,
      cluster: 'citus',
      statementTimeoutMs: 0,
    });
    t.after(() => db.destroy());
    await migrate(db);
    await distribute(db, await planDistribution(db, 4));
    const { rows } = await sql<{ limit: string }>`
    select result as limit from run_command_on_workers('show statement_timeout')`.execute(db);
    assert.deepEqual(
      rows.map(({ limit }) => limit),
      ['0', '0'],
    );

    const before = await examineCluster(db);
    assert.match(
      before.findings.map(({ says, fix }) => `${says}\n${fix}`).join('\n'),
      new RegExp(
        `^[\\d.:]+ and [\\d.:]+ do not keep the settings of the role "${role}", .*\nStart the service again`,
      ),
    );
    await storeSettingsOfRole(url, plans);
    assert.deepEqual((await examineCluster(db)).findings, []);
  },
);
