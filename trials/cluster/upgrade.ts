/**
 * A database that is distributed gets the migrations of a newer release: `node trials/cluster/upgrade.ts BIN [--from NAME --start]`. It has the
 * migrations up to the one of that name when it is filled and distributed; `loyalty migrate` applies the others and distributes their
 * tables, or with `--start` a service does that has just started. Then it takes purchases, and the doctor finds nothing.
 */
import { readdir } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { fillShops, openShop } from '../../bench/load-members.ts';
import { openDatabase, type Database } from '../../server/src/platform/db/database.ts';
import { endService, makeWorld, startAgain } from '../faults/world.ts';
import { startCluster } from './cluster.ts';
import { askDoctor, runCommand } from './command.ts';
import { printOutcome, startLoads } from './loads.ts';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    from: { type: 'string', default: '0063_leaner_purchase_lines' },
    members: { type: 'string', default: '10000' },
    start: { type: 'boolean', default: false },
  },
});
const [bin] = positionals;
if (bin === undefined)
  throw new Error('node trials/cluster/upgrade.ts BIN [--from NAME --members N --start]');
const SIZE = {
  commerces: 1,
  members: Number(values.members),
  movements: 3 * Number(values.members),
};
const MIGRATIONS = new URL('../../server/src/platform/db/migrations/', import.meta.url);

const names = (await readdir(MIGRATIONS)).map((file) => file.replace(/\.sql$/, '')).toSorted();
const older = names.slice(0, names.indexOf(values.from) + 1);
if (older.length === 0) throw new Error(`there is no migration ${values.from}`);

const cluster = await startCluster(bin);
let failed = 0;
try {
  const world = await makeWorld(cluster.coordinator.adminUrl, {
    members: 20,
    create: (name) => cluster.createDatabase(name),
    prepare: fill,
    older: {
      migrations: older,
      async upgrade(_db, url) {
        if (values.start) {
          const service = await startAgain({
            DATABASE_URL: url.href,
            CLUSTER: 'citus',
          });
          await endService(service, 'SIGTERM');
          return;
        }
        const since = performance.now();
        const { code, stdout, stderr } = await runCommand({ url }, ['migrate']);
        const seconds = ((performance.now() - since) / 1_000).toFixed(1);
        if (code !== 0) throw new Error(`loyalty migrate ended with ${code}: ${stderr}`);
        console.log(`loyalty migrate: ${seconds} s\n${stdout}`);
      },
    },
  });
  try {
    const service = await world.startService({ CLUSTER: 'citus' });
    const found = await askDoctor(world, 'cluster', 'migrations', 'schema');
    const sealed = await runCommand(world, ['jobs', 'run', 'seal']);
    const since = performance.now();
    const loads = startLoads(world, service);
    await loads.more(100);
    failed += printOutcome(
      await loads.conclude('a distributed database was migrated', since, { statuses: [201] }, [
        sealed.code === 0 ? null : `the seals ended with ${sealed.code}: ${sealed.stderr}`,
        ...found.map((says) => `the doctor says: ${says}`),
      ]),
      service,
    );
  } finally {
    await world.remove();
  }
} finally {
  await cluster.remove();
}
console.log(failed === 0 ? 'every promise was kept' : `${failed} promises were not kept`);
process.exitCode = failed === 0 ? 0 : 1;

/** Fills a shop, as on one server: marks of a cluster are newer than some migrations. */
async function fill({ address }: Database): Promise<void> {
  const db = openDatabase({
    url: address.url,
    poolSize: 2,
    preparedStatements: false,
    statementTimeoutMs: 0,
  });
  try {
    const commerceId = await openShop(db, 'filled');
    await fillShops(db, SIZE, [{ commerceId, firstMember: 1, members: SIZE.members, key: '' }]);
  } finally {
    await db.destroy();
  }
}
