/** The scenes of the pages for developers, the team and the audit. */
import type { Page } from 'playwright-core';
import { moveClocks } from '../../../src/operations/jobs/move-clocks.ts';
import { sql } from '#db/database.ts';
import { call, service } from '#test/harness.ts';
import type { NewApiKey, NewWebhook } from '../../../../sdk/src/admin.ts';
import { never, type Scene } from './scene.ts';
import type { World } from './world.ts';

const at =
  (...parts: string[]) =>
  ({ shop }: World) =>
    `/${shop.slug}/${parts.join('/')}`;
const ready = (page: Page) =>
  page.locator('.card table, .card .rows, .commands, .clock-control').first().waitFor();

/** Keys with a past, once for all pictures. */
let made: Promise<void> | undefined;
function withPast(_page: Page, { staff: { owner }, shop }: World): Promise<void> {
  made ??= (async () => {
    const create = async (name: string, role: string | null = null) =>
      (await owner.post('keys', { name, role })).body as NewApiKey;
    const till = await create('Till at the harbor');
    const online = await create('Online shop');
    await create('Nightly export', 'manager');
    const old = await create('Old web shop');
    await owner.post(`keys/${old.key_id}/revocation`);
    const get = (path: string, key: string) =>
      call('GET', path, { headers: { authorization: `Bearer ${key}` } });
    await get('/v1/clients/list', till.key);
    await get('/v1/clients/123456789', online.key);
    await get('/v1/benefits/no-such-benefit', online.key);
    await get('/v1/benefits/list', old.key);
    await shop.post('/v1/consumptions/client-code', { client_code: 1 });
    await owner.post(`keys/${online.key_id}/rotation`, { overlap_hours: 24 });
    // The pages are served by another one, which does not know yet what this one has noted.
    await owner.get('keys');
  })();
  return made;
}

/** Webhooks that have sent something, once for all pictures. */
let sent: Promise<void> | undefined;
function withWebhooks(_page: Page, { staff: { owner }, shop }: World): Promise<void> {
  sent ??= (async () => {
    const create = async (name: string, url: string, types: string[] | null = null) =>
      (await owner.post('webhooks', { name, url, types })).body as NewWebhook;
    const first = await create('Newsletter', 'https://mails.shop.example/loyalty', [
      'member.joined',
      'member.erased',
    ]);
    const second = await create('Data warehouse', 'https://warehouse.shop.example:8443/events/loyalty');
    const { db } = await service();
    for (const { webhook_id: id } of [first, second])
      await sql`
        insert into webhook_deliveries (commerce_id, webhook_id, event_id, type, state, attempts, at, next_at, status, answer_ms, answer, body)
        select ${shop.id}, ${id}, -n, 'webhook.test', case when n > 2 then 'delivered' else 'waiting' end, 1, now() - n * interval '7 minutes',
               case when n > 2 then null else now() + interval '5 minutes' end, case when n > 2 then 200 else 503 end, 40 + n,
               'ok', '{"type":"webhook.test","timestamp":"2026-11-26T08:00:00.000Z","data":{}}'
          from generate_series(1, 6) n`.execute(db);
    await sql`
      update webhooks set failures = 2, failing_since = now() - interval '20 minutes', last_success_at = now() - interval '21 minutes'
       where commerce_id = ${shop.id} and id = ${first.webhook_id}`.execute(db);
  })();
  return sent;
}

const openMenu = async (page: Page, row: number) => {
  await ready(page);
  await page.locator('.row-menu > button').nth(row).click();
};

export const DEVELOPER_SCENES: readonly Scene[] = [
  { name: 'keys', role: 'owner', path: at('developers'), before: withPast, reach: ready },
  {
    name: 'keys-menu',
    role: 'owner',
    path: at('developers'),
    before: withPast,
    reach: (page) => openMenu(page, 1),
  },
  {
    name: 'keys-create',
    role: 'owner',
    path: at('developers'),
    before: withPast,
    async reach(page) {
      await ready(page);
      await page.locator('.page-head .button').click();
      await page.locator('dialog .button.main').click();
      await page.locator('dialog .wrong').first().waitFor();
    },
  },
  {
    name: 'keys-replace',
    role: 'owner',
    path: at('developers'),
    before: withPast,
    async reach(page) {
      await openMenu(page, 1);
      await page.locator('[role=menuitem]:visible').first().click();
      await page.locator('dialog .effects').waitFor();
    },
  },
  {
    name: 'keys-shown-once',
    role: 'owner',
    path: at('developers'),
    before: async (page, world) => {
      await withPast(page, world);
      await page.route('**/admin/v1/keys', async (route) => {
        if (route.request().method() !== 'POST') return route.continue();
        const [first] = (await world.staff.owner.get('keys')).body as object[];
        const key = 'lk_test_3fG8hVb0cZ7sQkTn2yXwLr5uPe9dJa1mBo4iCt6vRgE0lYs8Kq';
        return route.fulfill({ status: 201, json: { ...first, name: 'Online shop', role: null, key } });
      });
    },
    async reach(page) {
      await ready(page);
      await page.locator('.page-head .button').click();
      await page.locator('dialog input').fill('Online shop');
      await page.keyboard.press('Enter');
      await page.locator('dialog .command-lines').first().waitFor();
    },
  },
  {
    name: 'keys-waiting',
    role: 'owner',
    path: at('developers'),
    before: never('keys'),
    reach: (page) => page.locator('.bone').first().waitFor(),
  },
  { name: 'webhooks', role: 'owner', path: at('developers', 'webhooks'), before: withWebhooks, reach: ready },
  {
    name: 'webhooks-none',
    role: 'owner',
    path: ({ empty }) => `/${empty.slug}/developers/webhooks`,
    reach: (page) => page.locator('.state').waitFor(),
  },
  {
    name: 'webhooks-create',
    role: 'owner',
    path: at('developers', 'webhooks'),
    before: withWebhooks,
    async reach(page) {
      await ready(page);
      await page.locator('.page-head .button').click();
      await page.locator('dialog summary').click();
    },
  },
  {
    name: 'webhook',
    role: 'owner',
    path: at('developers', 'webhooks'),
    before: withWebhooks,
    async reach(page) {
      await ready(page);
      await page.locator('.webhooks a').first().click();
      await page.locator('.deliveries').waitFor();
    },
  },
  {
    name: 'webhook-delivery',
    role: 'owner',
    path: at('developers', 'webhooks'),
    before: withWebhooks,
    async reach(page) {
      await ready(page);
      await page.locator('.webhooks a').first().click();
      await page.locator('.deliveries button').first().click();
      await page.locator('dialog .command-lines').first().waitFor();
    },
  },
  {
    name: 'problem-calls',
    role: 'owner',
    path: at('developers', 'problems'),
    before: withPast,
    reach: ready,
  },
  {
    name: 'problem-calls-none',
    role: 'owner',
    path: ({ empty }) => `/${empty.slug}/developers/problems`,
    reach: (page) => page.locator('.state').waitFor(),
  },
  {
    name: 'commands',
    role: 'owner',
    path: at('developers', 'commands'),
    async reach(page) {
      await ready(page);
      await page.locator('.commands summary').first().click();
    },
  },
  {
    name: 'clock',
    role: 'owner',
    path: at('developers', 'clock'),
    before: async (_page, { staff: { owner } }) => {
      await owner.post('clock/moves', { count: 1, unit: 'hours' });
      await moveClocks((await service()).db, { warn: () => {} });
    },
    reach: ready,
  },
  {
    name: 'clock-of-real-shop',
    role: 'owner',
    path: ({ empty }) => `/${empty.slug}/developers/clock`,
    reach: (page) => page.locator('.state').waitFor(),
  },
  {
    name: 'clock-dialog',
    role: 'owner',
    path: at('team'),
    async reach(page) {
      await ready(page);
      await page.locator('button.sandbox').click();
      await page.locator('dialog .clock-control').waitFor();
    },
  },
  { name: 'team', role: 'owner', path: at('team'), reach: ready },
  {
    name: 'team-invite',
    role: 'owner',
    path: at('team'),
    async reach(page) {
      await ready(page);
      await page.locator('.page-head .button').click();
      await page.locator('dialog input').first().fill('marta@example.com');
    },
  },
  {
    name: 'team-devices',
    role: 'owner',
    path: at('team'),
    async reach(page) {
      await openMenu(page, 1);
      await page.locator('[role=menuitem]:visible').nth(1).click();
      await page.locator('dialog .devices').waitFor();
    },
  },
  {
    name: 'team-remove',
    role: 'owner',
    path: at('team'),
    async reach(page) {
      await openMenu(page, 1);
      await page.locator('[role=menuitem]:visible').last().click();
      await page.locator('dialog .effects').waitFor();
    },
  },
  { name: 'audit', role: 'owner', path: at('team', 'audit'), before: withPast, reach: ready },
  {
    name: 'audit-nothing-found',
    role: 'owner',
    path: ({ shop }) => `/${shop.slug}/team/audit?action=commerce.close&from=2026-01-01`,
    reach: (page) => page.locator('.state').waitFor(),
  },
];
