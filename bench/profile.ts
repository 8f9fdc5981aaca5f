/**
 * `npm run profile -w bench -- [load …]`: where the processor time of a request goes. Sends each load to the service
 * under V8's profiler, shares its time out by the part of the program that used it, and leaves flame graphs, and the
 * profiles for DevTools or speedscope. Times in the tables are by the clock: while the kernel lets somebody else run
 * in the middle of a write, the write seems long.
 */
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepareCast } from './cast.ts';
import { startService } from './child.ts';
import { withServer } from './database.ts';
import { flameGraph } from './flame-graph.ts';
import { listLoadsOf, loadsOf } from './loads.ts';
import { measureHttp, type Measured } from './measure.ts';
import { processorOf } from './processor.ts';
import {
  between,
  flameOf,
  monotonicMicros,
  ownTimeBy,
  profiling,
  readProfile,
  type Profile,
} from './profiler.ts';
import { inProduction, usual, withSites, type Site } from './sites.ts';

const MEMBERS = 20_000;
const SECONDS = 5;
const wanted = process.argv.slice(2);
const folder = await mkdtemp(join(tmpdir(), 'loyalty-profile-'));

await withServer((serverUrl) => withSites(serverUrl, [usual(MEMBERS)], ([site]) => profileLoads(site!)));
console.log(`\nFlame graphs, and profiles for DevTools or speedscope, are in ${folder}`);

/** One load, and when it ran. */
interface Ran {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly measured: Measured;
}

async function profileLoads(site: Site): Promise<void> {
  const { db, url, secret } = site;
  const cast = await prepareCast(site, 10_000);
  const watched = { db, processorSeconds: await processorOf(db) };
  const service = await startService({ ...inProduction(url, secret), ...profiling(folder) });
  const isWanted = (name: string) => wanted.length === 0 || wanted.some((one) => name.includes(one));
  const ran: Ran[] = [];
  for (const round of [0, 1]) {
    const loads = [...(await loadsOf(site, cast, round, 2)), ...listLoadsOf(site)];
    for (const load of loads.filter(({ name }) => isWanted(name))) {
      const from = monotonicMicros();
      const measured = await measureHttp(watched, service, load, SECONDS);
      // The first round only warms the service up.
      if (round === 1) ran.push({ name: load.name, from, to: monotonicMicros(), measured });
    }
  }
  await service.stop();
  const whole = await readProfile(folder);
  for (const one of ran) await report(one, between(whole, one.from, one.to));
}

async function report({ name, measured }: Ran, profile: Profile): Promise<void> {
  const flame = flameOf(profile);
  const requests = measured.perSecond * SECONDS;
  const heading =
    `${name}: ${Math.round(measured.perSecond)} a second; of a request, Node ${rounded(measured.nodeMicros ?? NaN)} µs ` +
    `and PostgreSQL ${rounded(measured.postgresMicros ?? NaN)} µs of processor time`;
  const perRequest = ([what, micros]: [string, number]) => ({
    what,
    'µs a request': rounded(micros / requests),
  });
  console.log(`\n${heading}`);
  console.table(
    ownTimeBy(flame, ({ part }) => part)
      .slice(0, 20)
      .map(perRequest),
  );
  console.table(
    ownTimeBy(flame, ({ part, name }) => `${name} (${part})`)
      .slice(0, 25)
      .map(perRequest),
  );
  const file = join(folder, name.replaceAll(/\W+/g, '-'));
  await writeFile(`${file}.cpuprofile`, JSON.stringify(profile));
  await writeFile(`${file}.svg`, flameGraph(heading, flame));
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
