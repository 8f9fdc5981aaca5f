/** The programs in `examples/programs`: each comes to the figures that its comment computes by hand. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parse } from 'yaml';
import { setClock } from '#commerces/clock.ts';
import { assertBooksAgree } from '#test/books.ts';
import { service } from '#test/harness.ts';
import { makeShop, type ProgramFields } from '#test/make.ts';

const { db } = await service();
const FOLDER = new URL('../../examples/programs/', import.meta.url);

/** A purchase at a local time in Madrid in March 2027, and what it earns. 2 March is a Tuesday. */
interface Sale {
  readonly at: string;
  readonly lines?: readonly Sold[];
  readonly amount?: number;
  readonly branch?: number;
  readonly channel?: string;
  readonly earns: number;
  /** What of it waits. */
  readonly waits?: number;
  /** What it stamps, as the header says it. */
  readonly stamps?: string;
}
type Sold = readonly [
  amount: number,
  product: string,
  more?: { units?: number; discounted?: boolean; in?: string },
];

const breakfast: readonly Sold[] = [
  [7, 'latte', { in: 'coffee' }],
  [4, 'croissant', { in: 'pastry' }],
];
const coat: Sold = [120, 'coat', { in: 'coats' }];

const SALES: Readonly<Record<string, readonly Sale[]>> = {
  cafe: [
    { at: '02T08:00', lines: breakfast, earns: 18 },
    { at: '02T10:00', lines: breakfast, earns: 11 },
    { at: '06T08:00', lines: breakfast, earns: 11 },
  ],
  bakery: [
    {
      at: '02T08:00',
      lines: [
        [9, 'sourdough', { units: 2 }],
        [12, 'cake'],
      ],
      earns: 16,
    },
    { at: '02T08:00', lines: [[12, 'cake']], earns: 6 },
  ],
  grocer: [
    {
      at: '02T08:00',
      lines: [
        [10, 'pears', { in: 'fruit' }],
        [20, 'cigars', { in: 'tobacco' }],
        [50, 'card', { in: 'gift-cards' }],
        [3, 'bread', { in: 'bakery' }],
      ],
      earns: 18,
    },
    { at: '02T08:00', amount: 83, earns: 0 },
  ],
  pharmacy: [
    {
      at: '02T08:00',
      lines: [
        [40, 'pills', { in: 'prescription' }],
        [20, 'cream', { in: 'care' }],
      ],
      earns: 44,
    },
    { at: '02T08:00', lines: [[20, 'cream', { in: 'care' }]], earns: 20 },
    {
      at: '02T08:00',
      lines: [
        [20, 'cream', { in: 'care', discounted: true }],
        [40, 'soap', { in: 'care' }],
      ],
      earns: 80,
    },
  ],
  cinema: [
    { at: '02T20:00', amount: 16, earns: 48 },
    { at: '05T23:00', amount: 16, earns: 26 },
    { at: '06T01:00', amount: 16, earns: 26 },
    { at: '06T23:00', amount: 16, earns: 16 },
  ],
  fashion: [
    { at: '02T08:00', lines: [coat, [50, 'card', { in: 'gift-cards' }]], channel: 'app', earns: 385 },
    { at: '02T09:00', lines: [coat], earns: 180 },
    { at: '31T09:00', lines: [coat], earns: 180 },
    { at: '32T09:00', lines: [coat], earns: 120 },
  ],
  chain: [
    { at: '02T08:00', amount: 30, branch: 3, earns: 55 },
    { at: '03T08:00', amount: 30, branch: 3, earns: 30 },
    { at: '03T08:00', amount: 30, branch: 1, earns: 30 },
    { at: '08T08:00', amount: 30, branch: 3, earns: 55 },
  ],
  restaurant: [
    { at: '02T13:00', amount: 15, earns: 15, stamps: '"lunch";given=1;have=1;need=3' },
    { at: '02T14:00', amount: 15, earns: 15 },
    { at: '03T13:00', amount: 15, earns: 15, stamps: '"lunch";given=1;have=2;need=3' },
    { at: '04T13:00', amount: 9, earns: 9 },
    { at: '04T15:30', amount: 15, earns: 15, stamps: '"lunch";given=1;have=0;need=3;full=1' },
    { at: '06T13:00', amount: 30, earns: 30 },
  ],
  'ice-cream': [
    {
      at: '02T16:00',
      lines: [
        [12, 'vanilla', { in: 'scoops', units: 4 }],
        [2, 'coffee'],
      ],
      earns: 14,
      stamps: '"scoops";given=4;have=4;need=10',
    },
    {
      at: '03T16:00',
      lines: [[21, 'vanilla', { in: 'scoops', units: 7 }]],
      earns: 21,
      stamps: '"scoops";given=7;have=1;need=10;full=1',
    },
    {
      at: '04T16:00',
      lines: [[120, 'vanilla', { in: 'scoops', units: 40 }]],
      earns: 120,
      stamps: '"scoops";given=29;have=0;need=10;full=3;lost=11',
    },
  ],
  bookshop: [
    { at: '02T10:00', amount: 16, earns: 1 },
    { at: '03T10:00', amount: 7, earns: 1 },
    { at: '04T10:00', amount: 7, earns: 1 },
  ],
  'online-shop': [
    {
      at: '02T10:00',
      lines: [
        [80, 'shoes'],
        [50, 'card', { in: 'gift-cards' }],
      ],
      earns: 80,
      waits: 80,
    },
    { at: '03T10:00', amount: 25, earns: 25, waits: 25 },
  ],
  petrol: [
    { at: '02T08:00', amount: 60, earns: 60 },
    { at: '02T20:00', amount: 70, earns: 40 },
    { at: '03T08:00', amount: 70, channel: 'app', earns: 80 },
  ],
};

test('every example is compared', () => {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('.yaml'));
  assert.deepEqual(files.map((name) => name.slice(0, -5)).toSorted(), Object.keys(SALES).toSorted());
});

for (const [name, sales] of Object.entries(SALES))
  test(`the figures of ${name}.yaml`, async () => {
    const text = readFileSync(new URL(`${name}.yaml`, FOLDER), 'utf8');
    const { slug: _, ...program } = parse(text) as ProgramFields;
    const shop = await makeShop({ ...program, sandbox: true, clock: '2027-03-02T06:00:00Z' });
    const member = await shop.member();
    for (const { at, lines, amount, branch, channel, earns, waits, stamps } of sales) {
      await setClock(db, shop.id, new Date(instantOf(at)));
      const sold = lines?.map(([paid, product, more], i) => ({
        id: String(i),
        product,
        categories: more?.in === undefined ? [] : [more.in],
        units: more?.units ?? 1,
        discounted: more?.discounted ?? false,
        amount: paid,
      }));
      const answer = await shop.post('/v1/consumptions/client-code', {
        client_code: member.code,
        amount: amount ?? sold!.reduce((sum, line) => sum + line.amount, 0),
        id_suc: branch ?? null,
        channel: channel ?? null,
        lines: sold ?? null,
      });
      assert.equal(answer.status, 201, answer.text);
      assert.equal(Number(answer.headers.get('x-points-earned')), earns, `${name} at ${at}`);
      assert.equal(Number(answer.headers.get('x-points-waiting')), waits ?? 0, `${name} at ${at}`);
      assert.equal(answer.headers.get('x-stamps'), stamps ?? null, `${name} at ${at}`);
    }
    await assertBooksAgree(db, shop.id);
  });

/** Days count on past the end of the month. */
function instantOf(at: string): string {
  return Temporal.PlainDateTime.from(`2027-03-01T${at.slice(3)}`)
    .add({ days: Number(at.slice(0, 2)) - 1 })
    .toZonedDateTime('Europe/Madrid')
    .toInstant()
    .toString();
}
