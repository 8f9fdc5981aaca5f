import { randomBytes } from 'node:crypto';
import { NOWHERE } from '../../../server/src/loyalty/points/purchase-facts.ts';
import { applyProgram } from '../../../server/src/loyalty/apply/apply-program.ts';
import { createKey } from '../../../server/src/loyalty/commerces/api-keys.ts';
import { transaction, type Database } from '../../../server/src/platform/db/database.ts';
import { checkProgram } from '../../../server/src/program/check-program.ts';
import { recordPurchases } from '../../../server/src/loyalty/purchases/record-purchases.ts';
import { openSmtpSink, type SmtpSink } from '../../../server/test/smtp-sink.ts';
import { startService } from '../../../bench/child.ts';
import { withDatabase } from '../../../bench/database.ts';
import { inProduction } from '../../../bench/sites.ts';
import type { Member, Shop, Stage } from './attack.ts';
import { bearer, openCaller, type Caller } from './caller.ts';
import { signInByMail } from './mailbox.ts';
import { networkOfPerson, OTHERS, PROXY } from './networks.ts';
import { purchase } from './purchases.ts';

/**
 * Runs `work` with a service of its own, in production form and with all limits on. Two shops have members that are
 * signed in: the attacked one, and one that should notice nothing.
 */
export async function withStage<T>(
  serverUrl: string,
  { short }: { short: boolean },
  work: (stage: Stage) => Promise<T>,
): Promise<T> {
  return withDatabase(serverUrl, 'migrated', async ({ db, url }) => {
    const mails = await openSmtpSink();
    const env = {
      ...inProduction(url, randomBytes(32).toString('base64')),
      SMTP_URL: mails.url,
      TRUST_PROXY: PROXY,
      RATE_LIMITS: 'on',
      LOG_LEVEL: 'fatal',
    };
    const service = await startService(env);
    const caller = openCaller(service.port);
    try {
      const attacked = await openShop(db, 'attacked-shop');
      const others = await openShop(db, 'quiet-shop');
      return await work({
        port: service.port,
        attacked: { ...attacked, members: await enrol(caller, mails, attacked, 4, 'mallory') },
        others: { ...others, members: await enrol(caller, mails, others, 20, 'member') },
        service,
        mails,
        env,
        short,
        openShop: (slug) => openShop(db, slug),
        openKey: async ({ commerceId }, scopes) =>
          (await createKey(db, commerceId, 'system', { scopes })).key,
        openOwnerKey: async ({ commerceId }) =>
          (await createKey(db, commerceId, 'owner', { role: 'owner' })).key,
        fill: (shop, purchases) => fill(db, shop, purchases),
      });
    } finally {
      caller.close();
      await service.stop();
      await mails.close();
    }
  });
}

const AT_ONCE = 1_000;

async function fill(db: Database, { commerceId, slug }: Shop, purchases: number): Promise<void> {
  for (let done = 0; done < purchases; done += AT_ONCE) {
    const calls = Array.from({ length: AT_ONCE }, (_, n) => ({
      commerceId,
      buyer: { email: `${slug}-${n % 50}@filled.example` },
      amount: 5,
      ...NOWHERE,
    }));
    await transaction(db, (tx) => recordPurchases(tx, calls));
  }
}

/** A shop without members. Its `gift` costs nothing and its `coupon` little, and both have much to say. */
async function openShop(db: Database, slug: string): Promise<Shop> {
  const benefit = { type: 'percentage_discount', description: 'Ten per cent off. '.repeat(100), value: 10 };
  const checked = checkProgram({
    slug,
    name: slug,
    currency: 'EUR',
    time_zone: 'Europe/Madrid',
    earning: { money_per_point: 1 },
    benefits: [
      { ...benefit, id: 'gift', title: 'Gift', cost: 0 },
      { ...benefit, id: 'coupon', title: 'Coupon', cost: 1 },
    ],
  });
  if (!checked.ok) throw new Error(JSON.stringify(checked.problems));
  const { commerceId } = await applyProgram(db, checked.program);
  const { key } = await createKey(db, commerceId!, 'till');
  return { commerceId: commerceId!, slug, key, members: [] };
}

function enrol(caller: Caller, mails: SmtpSink, shop: Shop, count: number, name: string): Promise<Member[]> {
  return Promise.all(
    Array.from({ length: count }, (_, n) =>
      enrolMember(caller, mails, shop, {
        email: `${name}-${n}@example.com`,
        from: networkOfPerson(shop.commerceId * 250 + n),
      }),
    ),
  );
}

/** Signs a new member in, and records a first purchase. */
export async function enrolMember(
  caller: Caller,
  mails: SmtpSink,
  shop: Shop,
  { email, from }: { email: string; from: string },
): Promise<Member> {
  // Twenty do so at once, and the machine may be busy with something else.
  const session = await signInByMail(caller, mails, shop, { email, from }, 300);
  if (session === null) throw new Error(`${email} could not sign in`);
  const client = await caller.call(OTHERS, {
    method: 'POST',
    path: '/v1/clients/email',
    headers: bearer(shop.key),
    body: { client_email: email },
  });
  const { code } = JSON.parse(client.text) as { code: number };
  await caller.call(OTHERS, purchase(shop, code, 1_000));
  return { email, from, code, access: session.access, refresh: session.refresh };
}
