/**
 * What a process holds while it serves the mix of all calls, and at rest before and after: `npm run memory -w bench [-- --members N --minutes N]`
 * prints a table. The mix is sent for 50 seconds of each minute; in the others, what was sold is used.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { withServer } from './database.ts';
import { megabytes, table, whole } from './figures.ts';
import { loadsOf } from './loads.ts';
import { requirePrograms } from './programs.ts';
import { jobsAreDone, usual, withSites, type Site } from './sites.ts';
import { useVouchers } from './use-vouchers.ts';
import { runWrk } from './wrk.ts';

const { values } = parseArgs({
  options: { members: { type: 'string', default: '20000' }, minutes: { type: 'string', default: '60' } },
});
const [members, minutes] = [Number(values.members), Number(values.minutes)];

const MINUTE_MS = 60_000;
const LOAD_SECONDS = 50;
/** A service gives memory back once it is idle, which it is not before its jobs have come to all that was recorded. */
const UNTIL_AT_REST_MS = 40_000;
const UNTIL_JOBS_HAVE_RUN_MS = 5 * MINUTE_MS;

await requirePrograms('wrk');
await withServer((serverUrl) => withSites(serverUrl, [usual(members)], ([site]) => measure(site!)));

async function measure(site: Site): Promise<void> {
  const rows: string[][] = [];
  const note = async (when: string, answers: number | null) => {
    rows.push([when, answers === null ? '' : whole(answers), megabytes(await site.service.memory())]);
    process.stderr.write(`${rows.at(-1)!.join(', ')}\n`);
  };
  await jobsAreDone(site.db);
  await sleep(UNTIL_AT_REST_MS);
  await note('at rest, before', null);
  let answers = 0;
  for (let minute = 1; minute <= minutes; minute++) {
    const until = performance.now() + MINUTE_MS;
    const mix = (await loadsOf(site, minute - 1, minutes)).find(({ name }) => name === 'mix')!;
    const load = { ...mix, port: site.service.port, seconds: LOAD_SECONDS };
    // A machine that is busy with other things may be too slow for some calls, and they get a 503.
    const { requests } = await runWrk({ ...load, mayRefuse: true });
    answers += requests;
    await note(`after minute ${minute}`, answers);
    await useVouchers(site.db);
    await sleep(Math.max(0, until - performance.now()));
  }
  await sleep(UNTIL_AT_REST_MS);
  await note('40 s after the last call', answers);
  await sleep(UNTIL_JOBS_HAVE_RUN_MS);
  await note('5 minutes later', answers);
  process.stdout.write(`${table(['', 'calls so far', 'MB'], rows)}\n`);
}
