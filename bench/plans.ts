/** `npm run plans -w bench -- [members movements]`: how PostgreSQL runs each statement of the hot paths. */
import { NOWHERE } from '../server/src/loyalty/points/purchase-facts.ts';
import { readClientPages, readClients } from '../server/src/member/accounts/client-reader.ts';
import { readShelves } from '../server/src/loyalty/benefits/shelf-reader.ts';
import type { KeyedRequest } from '../server/src/platform/batching/keyed-request.ts';
import { findKey } from '../server/src/loyalty/commerces/api-keys.ts';
import { findOpenCommerces } from '../server/src/loyalty/commerces/commerce.ts';
import { transaction, type Database } from '../server/src/platform/db/database.ts';
import { exportMembers } from '../server/src/insight/exports/export-members.ts';
import { exportMovements } from '../server/src/insight/exports/export-movements.ts';
import { enrolMember } from '../server/src/loyalty/enrolment/enrol-member.ts';
import {
  readHistories,
  type ActivityPage,
  type HistoryPart,
} from '../server/src/insight/history/read-history.ts';
import { listMembers } from '../server/src/loyalty/members/list-members.ts';
import { findMember } from '../server/src/loyalty/members/lock-members.ts';
import { listPurchases } from '../server/src/loyalty/purchases/list-purchases.ts';
import { recordPurchases, type PurchaseCall } from '../server/src/loyalty/purchases/record-purchases.ts';
import { findPeople } from '../server/src/loyalty/search/find-people.ts';
import { searchMembers } from '../server/src/loyalty/search/search-members.ts';
import { SORTS } from '../server/src/loyalty/search/step-in-order.ts';
import { exchangeBenefit } from '../server/test/exchange-benefit.ts';
import { withExplainedDatabase, type Plan } from '../server/test/explain-statements.ts';
import { redeemVoucher } from '../server/src/loyalty/vouchers/redeem-voucher.ts';
import { readVouchersOf } from '../server/src/loyalty/vouchers/voucher.ts';
import { withDatabase, withServer } from './database.ts';
import { codeOf, loadMembers, type Loaded } from './load-members.ts';

/** Runs every hot path once on a loaded database and explains its statements. */
export async function explainHotPaths(url: string, loaded: Loaded): Promise<Plan[]> {
  const plans: Plan[] = [];
  await withExplainedDatabase(
    url,
    (plan) => plans.push(plan),
    (db) => takeHotPaths(db, loaded),
  );
  return plans;
}

/** A table with one line for each plan. */
export function tableOfPlans(plans: readonly Plan[]): string {
  const line = (statement: string, rows: unknown, buffers: unknown, ms: string, reads: string) =>
    `${statement.padEnd(24)} ${String(rows).padStart(6)} ${String(buffers).padStart(8)} ${ms.padStart(7)}  ${reads}`;
  return [
    line('statement', 'rows', 'buffers', 'ms', 'reads'),
    ...plans.map(({ statement, rows, buffers, milliseconds, reads }) =>
      line(statement, rows, buffers, milliseconds.toFixed(3), reads.join(', ')),
    ),
  ].join('\n');
}

/** Does what shops and members do all day. */
async function takeHotPaths(db: Database, { shops, members }: Loaded): Promise<void> {
  const { commerceId, firstMember, key } = shops[0]!;
  const record = (calls: readonly PurchaseCall[]) => transaction(db, (tx) => recordPurchases(tx, calls));
  const purchaseOf = (member: number) => ({
    commerceId,
    buyer: { code: codeOf(member) },
    amount: 120,
    ...NOWHERE,
  });

  await findKey(db, key);
  await findOpenCommerces(db, [commerceId]);
  await readShelves(db, [commerceId]);
  await record([purchaseOf(firstMember)]);
  await record(
    Array.from({ length: 64 }, (_, i) => ({
      ...purchaseOf(firstMember + i),
      request: withKey(`batch-${i}`),
    })),
  );
  for (let i = 0; i < 2; i++) await record([{ ...purchaseOf(firstMember), request: withKey('twice') }]);
  await record([
    { commerceId, buyer: { email: `member${firstMember}@example.com` }, amount: 120, ...NOWHERE },
  ]);
  await record([{ commerceId, buyer: { email: 'stranger@example.com' }, amount: 120, ...NOWHERE }]);

  await exportMembers(db, commerceId).next();
  await exportMovements(db, commerceId).next();
  const order = { externalId: 'order-1', body: {} };
  for (let i = 0; i < 2; i++) await record([{ ...purchaseOf(firstMember), order }]);
  const code = codeOf(firstMember);
  const longAgo = { from: new Date('2000-01-01T00:00:00Z'), to: new Date('2100-01-01T00:00:00Z') };
  for (const filter of [{}, longAgo, { code }, { code, ...longAgo }, { externalId: order.externalId }]) {
    const { next } = await listPurchases(db, commerceId, filter, null);
    if (next !== null) await listPurchases(db, commerceId, filter, next);
  }

  const codes = Array.from({ length: 64 }, (_, i) => ({ commerceId, code: codeOf(firstMember + i) }));
  await readClients(db, codes.slice(0, 1));
  await readClients(db, codes);
  await findMember(db, { commerceId, code: codeOf(firstMember) });
  await findMember(db, { commerceId, email: `member${firstMember}@example.com` });
  await findMember(db, { commerceId, userId: firstMember });
  await findPeople(db, commerceId, 'member123', 8);
  await findPeople(db, commerceId, `member${firstMember}@`, 8);
  for (const sort of SORTS)
    await searchMembers(db, commerceId, { sort }, { limit: 50, after: null, withTotal: false });
  const page = { commerceId, limit: 20, offset: Math.floor(members / 10) };
  await readClientPages(db, [page]);
  await readClientPages(
    db,
    Array.from({ length: 8 }, () => page),
  );
  await listMembers(db, commerceId, page);

  const history: HistoryPart = {
    commerceId,
    whose: 'user',
    id: firstMember,
    position: null,
    withFactors: false,
  };
  const [{ items }] = (await readHistories(db, [history])) as [ActivityPage];
  const position = { direction: 'newer', at: items.at(-1)!.at, id: items.at(-1)!.id } as const;
  for (const part of [history, { ...history, withFactors: true, position }])
    await readHistories(
      db,
      Array.from({ length: 8 }, (_, i) => ({ ...part, id: firstMember + i })),
    );
  await transaction(db, (tx) => enrolMember(tx, commerceId, 'stranger@example.com'));

  const exchange = { commerceId, userId: firstMember, benefitId: 'benefit-1', request: withKey('once') };
  await exchangeBenefit(db, exchange);
  const { voucher } = await exchangeBenefit(db, exchange);
  await redeemVoucher(db, { commerceId, code: voucher.code, request: withKey('once') });
  await readVouchersOf(db, commerceId, firstMember);
}

function withKey(key: string): KeyedRequest {
  return { key, path: {}, body: {} };
}

if (import.meta.main) {
  const [members = 20_000, movements = 100_000] = process.argv.slice(2).map(Number);
  await withServer((serverUrl) =>
    withDatabase(serverUrl, 'migrated', async ({ db, url }) => {
      const loaded = await loadMembers(db, { members, movements, commerces: 50 });
      console.log(tableOfPlans(await explainHotPaths(url, loaded)));
    }),
  );
}
