/**
 * Whether anything grows with the number of members, up to ten million: `npm run many-members -w bench [-- --members N,N,N --rounds N --seconds N --publish]`
 * prints tables, and writes them into docs/scaling.md. The sites of all sizes are on one PostgreSQL, each with 50 commerces and three purchases a member. Ten
 * million members need about 30 GB of disk.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { verifyLedger } from '../server/src/insight/books/verify-ledger.ts';
import { findPeople } from '../server/src/loyalty/search/find-people.ts';
import { openPlace } from '../server/src/operations/backup/place.ts';
import { takeBackup } from '../server/src/operations/backup/take-backup.ts';
import { jobNames, jobs } from '../server/src/operations/jobs/run-jobs.ts';
import type { Job } from '../server/src/operations/jobs/job.ts';
import { historiesOf } from './cast.ts';
import { withServer } from './database.ts';
import { withManyMembers } from './figures-in-pages.ts';
import { figure, megabytes, table, whole } from './figures.ts';
import { measureGrowth, type Growth } from './growth.ts';
import type { LoadSize } from './load-members.ts';
import { watchPostgres } from './machine.ts';
import { jobsAreDone, withSites, type Site } from './sites.ts';
import { logSlope, median } from './statistics.ts';
import { requirePrograms } from './programs.ts';

const { values } = parseArgs({
  options: {
    members: { type: 'string', default: '100000,1000000,10000000' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '6' },
    publish: { type: 'boolean', default: false },
  },
});
const sizes = values.members.split(',').map(Number);
const [rounds, seconds] = [Number(values.rounds), Number(values.seconds)];

/** Texts that people type at a till: a first name, two words of a name, the beginning of an address. */
const TYPED = ['maria', 'ana gar', 'member12'];

/** What is published. */
const tables: string[] = [];

await requirePrograms('wrk');
await withServer((serverUrl) =>
  withSites(serverUrl, sizes.map(sizeOf), async (sites) => {
    print(
      ['members', 'loading, seconds', 'MB on disk'],
      sites.map(({ loaded }) => [whole(loaded.members), whole(loaded.seconds), megabytes(loaded.bytes)]),
    );
    for (const site of sites) await jobsAreDone(site.db);
    await printGrowth(sites);
    await printSearch(sites);
    await printJobs(sites);
    await printWhole(sites);
  }),
);
if (values.publish) {
  const page = new URL('../docs/scaling.md', import.meta.url);
  await writeFile(page, withManyMembers(await readFile(page, 'utf8'), tables));
}

function sizeOf(members: number): LoadSize {
  return { members, movements: 3 * members, commerces: 50, more: historiesOf(members, 0), named: true };
}

async function printGrowth(sites: readonly Site[]): Promise<void> {
  const postgres = await watchPostgres(sites[0]!.db);
  const measured: Growth[] = [];
  // The first round warms everything up.
  for (let round = 0; round <= rounds; round++) {
    const growth = await measureGrowth(postgres, sites, round, round === 0 ? 2 : seconds);
    if (round > 0) measured.push(growth);
  }
  const names = Object.keys(measured[0]!);
  const costOf = (name: string, members: number) => median(measured.map((growth) => growth[name]![members]!));
  print(
    ['µs of processor time a call', ...sizes.map(whole), 'slope'],
    names.map((name) => {
      const costs = Object.fromEntries(sizes.map((members) => [members, costOf(name, members)]));
      return [name, ...sizes.map((members) => whole(costs[members]!)), figure(logSlope(costs))];
    }),
  );
}

/** Searches of the largest commerce, half of them within this many milliseconds. */
async function printSearch(sites: readonly Site[]): Promise<void> {
  const rows = new Map<string, string[]>();
  for (const { db, loaded } of sites)
    for (const text of TYPED) {
      const times: number[] = [];
      for (let i = 0; i < 20; i++)
        times.push(await timed(() => findPeople(db, loaded.shops[0]!.commerceId, text, 20)));
      rows.set(text, [...(rows.get(text) ?? []), figure(median(times))]);
    }
  print(
    ['ms of a search', ...sizes.map(whole)],
    [...rows].map(([text, times]) => [`“${text}”`, ...times]),
  );
}

/** What a job takes to find the commerces with something to do, where all is done. */
async function printJobs(sites: readonly Site[]): Promise<void> {
  const rows: string[][] = [];
  for (const name of jobNames) {
    const job: Job = jobs[name];
    const times: string[] = [];
    for (const { db } of sites) times.push(figure(await timed(() => job.due(db))));
    rows.push([name, ...times]);
  }
  print(['ms until a job knows what is due', ...sizes.map(whole)], rows);
}

async function printWhole(sites: readonly Site[]): Promise<void> {
  const rows: string[][] = [];
  for (const { db, loaded } of sites) {
    const folder = await mkdtemp(join(tmpdir(), 'loyalty-many-'));
    try {
      const place = await openPlace(folder);
      let bytes = 0;
      const backupMs = await timed(async () => {
        const taken = await takeBackup(db.address, {
          place,
          recipients: [],
          keep: null,
          program: 'bench',
          onProgress: () => {},
        });
        ({ bytes } = taken);
      });
      let differences = 0;
      const verifyMs = await timed(async () => {
        ({
          differences: { length: differences },
        } = await verifyLedger(db, { parallel: 2 }));
      });
      if (differences > 0) throw new Error(`${differences} differences in the books`);
      rows.push([whole(loaded.members), whole(backupMs / 1000), megabytes(bytes), whole(verifyMs / 1000)]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
  print(['members', 'backup, seconds', 'backup, MB', 'ledger verify, seconds'], rows);
}

function print(head: readonly string[], rows: readonly (readonly string[])[]): void {
  const text = table(head, rows);
  tables.push(text);
  process.stdout.write(`${text}\n\n`);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}
