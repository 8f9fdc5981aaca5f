/** The work that grows with what an owner sends is done where it keeps nobody else waiting. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { RouteOptions } from 'fastify';
import type { Aside } from '#aside/aside.ts';
import { readCommerce } from '#commerces/commerce.ts';
import { BODY_BYTES } from '#http/schema.ts';
import { Overloaded } from '#problems/problem.ts';
import { SECRET, service } from '#test/harness.ts';
import { benefit, makeShop } from '#test/make.ts';
import { makeStaffKey } from '#test/staff.ts';
import { buildApp } from '../../src/app.ts';

const { db } = await service();
const asked: string[] = [];
const refuse = (task: string) => () => {
  asked.push(task);
  return Promise.reject(new Overloaded('busy'));
};
/** Anyone who asks it for anything is refused, so an answer other than 503 was not made by it. */
const busy: Aside = {
  checkProgram: refuse('checkProgram'),
  checkMailFields: refuse('checkMailFields'),
  readProgram: refuse('readProgram'),
  writeProgram: refuse('writeProgram'),
  writeAnew: refuse('writeAnew'),
  close() {},
};
const app = await buildApp({ db, log: false, secret: SECRET, aside: busy });
after(() => app.close());

/** How each route is called. A new route with a large body has to say it here. */
const bodies: Readonly<Record<string, (program: object) => object>> = {
  'POST /admin/v1/program/check': (program) => ({ program, base_version: 1 }),
  'POST /admin/v1/program/try': (program) => ({ program, amount: 10 }),
  'POST /admin/v1/program/publish': (program) => ({ program, base_version: 1 }),
  'POST /admin/v1/program/what-if': (program) => ({ program }),
  'POST /admin/v1/program/file/write': (program) => ({ program }),
  'POST /admin/v1/program/file/read': (program) => ({ text: JSON.stringify(program) }),
  'POST /admin/v1/messages/preview': (program) => ({ program, kind: 'welcome' }),
  'POST /admin/v1/messages/test': (program) => ({ program, kind: 'welcome' }),
  'POST /admin/v1/pictures': () => ({ data: 'A'.repeat(200_000) }),
};

function takesMore({ method, url, config, bodyLimit }: RouteOptions): boolean {
  if (method === 'HEAD' || !url.startsWith('/admin/v1/')) return false;
  return config?.credential === 'staff' && bodyLimit !== undefined && bodyLimit > BODY_BYTES;
}

test('every route of the back office that takes a large body does its work aside, before it takes its turn', async () => {
  const shop = await makeShop();
  const { key } = await makeStaffKey(shop, 'owner');
  const headers = { authorization: `Bearer ${key}` };
  const description = 'Ten per cent off. '.repeat(30);
  const program = {
    ...(await readCommerce(db, shop.id))!.program,
    benefits: Array.from({ length: 300 }, (_, n) => benefit(`b${n}`, { description })),
  };
  const found = app.routeTable
    .filter(takesMore)
    .map(({ method, url }) => `${String(method)} ${url}`)
    .toSorted();
  assert.deepEqual(found, Object.keys(bodies).toSorted());
  for (const name of found) {
    asked.length = 0;
    const [method, url] = name.split(' ') as ['POST', string];
    const answer = await app.inject({ method, url, headers, payload: bodies[name]!(program) });
    assert.deepEqual([answer.statusCode, answer.headers['x-error-code']], [503, 'overloaded'], name);
    assert.equal(asked.length, 1, name);
  }
});
