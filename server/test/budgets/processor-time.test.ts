/**
 * Sends the largest input that each route allows, full of what is slow to read, and a small one. The processor time of the
 * large one is bounded by that of the small one. The inputs are made from the route table, so a new route is covered.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RouteOptions } from 'fastify';
import { BODY_BYTES, PATH_PARAMETER_CHARACTERS } from '#http/schema.ts';
import { service } from '#test/harness.ts';
import { benefit, makeShop } from '#test/make.ts';
import { isSchema, type Schema } from './schemas.ts';

const { app } = await service();
const shop = await makeShop({ benefits: [benefit('coffee', { cost: 0 })] });
const member = await shop.member();
const { token } = await shop.browser(member);
const credentials: Readonly<Record<string, Record<string, string>>> = {
  key: { authorization: `Bearer ${shop.key}` },
  user: { authorization: `Bearer ${token}`, 'x-commerce-id': String(shop.id) },
  header: { 'x-commerce-id': String(shop.id) },
};

/** Texts that have been slow to read somewhere, of a given length. */
const SLOW: readonly ((length: number) => string)[] = [
  (length) => `a@${han(length - 6)}.com`,
  (length) => '@'.repeat(length),
  (length) => 'a.'.repeat(length / 2),
  (length) => ' '.repeat(length - 1) + 'a',
  (length) => '1'.repeat(length),
];

/** An allowance for the collector of garbage and for the noise of other processes, in microseconds. */
const NOISE = 5_000;

/** A body of this size takes time to arrive and to parse, whatever is in it: about 0.2 ms. */
const TIMES_A_SMALL_ONE = 15;

const routes = app.routeTable.filter(
  ({ method, url, config }) =>
    method !== 'HEAD' && config?.credential !== undefined && /^\/(v\d|club)/.test(url),
);

test('no route does more work for the largest input than its size explains', async (t) => {
  const told: string[] = [];
  for (const route of routes) {
    const small = await measure(route, [inputOf(route, (schema) => sensible(schema, 'a'))]);
    const large = await measure(route, [
      ...SLOW.map((text) => inputOf(route, (schema, room) => sensible(schema, text(room)))),
      ...(hasBody(route)
        ? [stuffed(route, manyFields), stuffed(route, manyDigits), stuffed(route, deepLists)]
        : []),
    ]);
    const most = small * TIMES_A_SMALL_ONE + NOISE;
    told.push(`${String(route.method)} ${route.url}: ${Math.round(small)} µs, ${Math.round(large)} µs`);
    assert.ok(large < most, `${told.at(-1)}, at most ${Math.round(most)} µs`);
  }
  t.diagnostic(`\n${told.join('\n')}`);
});

interface Input {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly payload?: string;
}

/** Fills every string of a route. `room` is how many characters of it can be sent. */
function inputOf(route: RouteOptions, fill: (schema: Schema, room: number) => unknown): Input {
  const { params, querystring, headers, body } = (route.schema ?? {}) as Record<string, Schema | undefined>;
  const fieldsOf = (part: Schema | undefined, room: number) =>
    Object.entries(part?.properties ?? {}).map(([name, schema]): [string, unknown] => [
      name,
      fill(schema, roomOf(schema, room)),
    ]);
  const inPath = Object.fromEntries(fieldsOf(params, PATH_PARAMETER_CHARACTERS / 9));
  const path = route.url.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(inPath[name])));
  const query = new URLSearchParams(fieldsOf(querystring, 900).map(([name, value]) => [name, String(value)]));
  const inHeaders = fieldsOf(headers, 4_000).filter(([name]) => name !== 'x-commerce-id');
  const fields = Object.keys(body?.properties ?? {}).length;
  const inBody = body && Object.fromEntries(fieldsOf(body, (BODY_BYTES - 500) / 3 / Math.max(1, fields)));
  return {
    url: query.size > 0 ? `${path}?${query}` : path,
    headers: {
      ...credentials[route.config?.credential ?? 'none'],
      ...Object.fromEntries(
        inHeaders.map(([name, value]) => [name, Buffer.from(String(value)).toString('latin1')]),
      ),
      ...(inBody && { 'content-type': 'application/json' }),
    },
    ...(inBody && { payload: JSON.stringify(inBody) }),
  };
}

function roomOf({ maxLength, 'x-max-length': hidden }: Schema, room: number): number {
  // One character more than the maximum is read to the end as well.
  return Math.floor(Math.max(8, Math.min(room, (maxLength ?? hidden ?? Infinity) + 1)));
}

function sensible(schema: Schema, text: string): unknown {
  const types = [schema.type].flat();
  if (types.includes('integer')) return schema.minimum ?? 5;
  return types.includes('string') ? text : schema.anyOf?.find(isSchema) && text;
}

function hasBody(route: RouteOptions): boolean {
  return (route.schema as Record<string, unknown> | undefined)?.['body'] !== undefined;
}

/** The small input with a body of the largest size. */
function stuffed(route: RouteOptions, make: (bytes: number) => string): Input {
  const input = inputOf(route, (schema) => sensible(schema, 'a'));
  return { ...input, payload: make(BODY_BYTES) };
}

function manyFields(bytes: number): string {
  return `{${Array.from({ length: bytes / 9 - 2 }, (_, i) => `"${i + 1_000}":1`).join(',')}}`;
}

function manyDigits(bytes: number): string {
  return `{"amount":[${Array.from({ length: bytes / 41 - 2 }, () => `0.${'1'.repeat(37)}`).join(',')}]}`;
}

function deepLists(bytes: number): string {
  return '['.repeat(bytes / 2) + ']'.repeat(bytes / 2);
}

function han(length: number): string {
  return Array.from({ length: Math.max(0, length) }, (_, i) =>
    String.fromCodePoint(0x4e00 + ((i * 7_919) % 20_000)),
  ).join('');
}

const AT_ONCE = 4;

/** Returns the processor time of the slowest of these inputs in microseconds: of three measurements the shortest. */
async function measure(route: RouteOptions, inputs: readonly Input[]): Promise<number> {
  const method = String(route.method) as 'GET';
  let slowest = 0;
  for (const input of inputs) {
    let shortest = Infinity;
    for (let round = 0; round < 3; round += 1) {
      const before = process.cpuUsage();
      const answers = await Promise.all(
        Array.from({ length: AT_ONCE }, () => app.inject({ method, ...input })),
      );
      const { user, system } = process.cpuUsage(before);
      for (const { statusCode } of answers)
        assert.ok(statusCode < 500, `${method} ${input.url}: ${statusCode}`);
      shortest = Math.min(shortest, (user + system) / AT_ONCE);
    }
    slowest = Math.max(slowest, shortest);
  }
  return slowest;
}
