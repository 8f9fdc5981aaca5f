/**
 * Measures what lines, rules and limits add to the cost of a purchase: `npm run earning -w bench [-- --rounds N --seconds N]` prints a table.
 * In each round every kind of purchase gets its load, one after the other, and its figures are divided by those of a plain purchase in the
 * same round.
 */
import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { checkProgram } from '../server/src/program/check-program.ts';
import { applyProgram } from '../server/src/loyalty/apply/apply-program.ts';
import { startService } from './child.ts';
import { withDatabase, withServer } from './database.ts';
import { figure, table, whole } from './figures.ts';
import { inTurn } from './growth.ts';
import { AMOUNT, loadMembers, PROGRAM } from './load-members.ts';
import * as lua from './lua.ts';
import { watchPostgres } from './machine.ts';
import { costOf, measureHttp, type Measured } from './measure.ts';
import { inOneCommerce, inProduction } from './sites.ts';
import { median } from './statistics.ts';
import { requirePrograms } from './programs.ts';

const MEMBERS = 20_000;
const CALLERS = 32;

const LINES = Array.from({ length: 5 }, (_, i) => ({
  id: `${i + 1}`,
  product: `product-${i + 1}`,
  categories: [i % 2 === 0 ? 'coffee' : 'cake'],
  units: 1,
  amount: AMOUNT / 5,
}));

/** Rules of every kind, of which about half apply to a purchase of these lines. */
const RULES = [
  { when: { categories: ['coffee'] }, give: { multiply: 2 } },
  { when: { categories: ['cake'], hours: { from: '07:00', to: '10:00' } }, give: { multiply: 3 } },
  { when: { categories: ['tobacco'] }, give: { multiply: 0 } },
  { when: { products: ['product-1', 'product-9'] }, give: { multiply: 1.5 } },
  { when: { products: ['product-5'] }, give: { points: 5, per: 'unit' } },
  { when: { weekdays: ['monday', 'tuesday', 'wednesday'] }, give: { multiply: 1.2 } },
  { when: { min_amount: 100 }, give: { points: 10 } },
  { when: { channels: ['web'] }, give: { multiply: 2 } },
  { when: { branches: [7] }, give: { points: 3 } },
  { when: { first_purchase: true }, give: { points: 50 } },
].map((rule, i) => ({ id: `rule-${i + 1}`, title: `Rule ${i + 1}`, ...rule }));

const LIMITED = RULES.map((rule, i) => (i === 6 ? { ...rule, limit: { times: 3, per: 'day' } } : rule));

const PLAIN = 'plain';
const KINDS = [
  { name: PLAIN, rules: [], lines: [] },
  { name: 'five lines', rules: [], lines: LINES },
  { name: 'ten rules', rules: RULES, lines: [] },
  { name: 'ten rules, five lines', rules: RULES, lines: LINES },
  { name: 'ten rules, one with a limit, five lines', rules: LIMITED, lines: LINES },
];

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, seconds: { type: 'string', default: '4' } },
});
const [rounds, seconds] = [Number(values.rounds), Number(values.seconds)];

await requirePrograms('wrk');
await withServer((serverUrl) =>
  withDatabase(serverUrl, 'migrated', async ({ db, url }) => {
    const loaded = await loadMembers(db, inOneCommerce(MEMBERS));
    const service = await startService(inProduction(url, randomBytes(32).toString('base64')));
    const postgres = await watchPostgres(db);
    try {
      const measured = new Map<string, Measured[]>(KINDS.map(({ name }) => [name, []]));
      // The first round warms everything up and does not count.
      for (let round = 0; round <= rounds; round++)
        for (const { name, rules, lines } of inTurn(round, KINDS)) {
          const program = { slug: 'shop-1', name: 'shop-1', ...PROGRAM };
          const checked = checkProgram({ ...program, earning: { ...PROGRAM.earning, rules } });
          if (!checked.ok) throw new Error(JSON.stringify(checked.problems));
          await applyProgram(db, checked.program);
          const more = lines.length === 0 ? '' : `,"lines":${JSON.stringify(lines)}`;
          const script = lua.purchases(loaded, 1, MEMBERS, more);
          const load = { name, connections: CALLERS, script, counted: 'purchases' } as const;
          const one = await measureHttp(postgres, { service, db }, load, seconds);
          if (round > 0) measured.get(name)!.push(one);
          process.stderr.write(`round ${round}, ${name}: ${JSON.stringify(one)}\n`);
        }
      process.stdout.write(`${tableOf(measured)}\n`);
    } finally {
      await service.stop();
    }
  }),
);

function tableOf(measured: ReadonlyMap<string, readonly Measured[]>): string {
  const plain = measured.get(PLAIN)!;
  return table(
    [
      'purchase',
      'Node, µs',
      'PostgreSQL, µs',
      'both, divided by a plain one',
      'log, bytes',
      'purchases a transaction',
    ],
    [...measured].map(([name, those]) => [
      name,
      whole(median(those.map(({ nodeMicros = NaN }) => nodeMicros))),
      whole(median(those.map(({ postgresMicros = NaN }) => postgresMicros))),
      figure(median(those.map((one, round) => costOf(one) / costOf(plain[round]!)))),
      whole(median(those.map(({ walBytes = NaN }) => walBytes))),
      figure(median(those.map(({ batch = NaN }) => batch))),
    ]),
  );
}
