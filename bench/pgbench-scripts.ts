/** The scripts that pgbench runs: the transactions of a purchase, a balance and an exchange, one at a time. */
import { NOWHERE } from '../server/src/loyalty/points/purchase-facts.ts';
import { readClients } from '../server/src/member/accounts/client-reader.ts';
import { transaction } from '../server/src/platform/db/database.ts';
import { recordPurchases } from '../server/src/loyalty/purchases/record-purchases.ts';
import { exchangeBenefit } from '../server/test/exchange-benefit.ts';
import { buyersOf, CAST, type Members } from './cast.ts';
import { AMOUNT, BENEFIT, codeOf, COST, POINTS, type Loaded } from './load-members.ts';
import type { Script } from './pgbench.ts';
import { transcribe } from './transcribe.ts';

/** The scripts by the names of their loads. */
export async function pgbenchScripts(
  url: string,
  loaded: Loaded,
): Promise<Record<`pgbench ${string}`, Script>> {
  const everybody = { first: 1, step: 1, count: loaded.members };
  return {
    'pgbench purchase': await purchaseScript(url, loaded, everybody),
    'pgbench hot member': await purchaseScript(url, loaded, { first: CAST.hot, step: 1, count: 1 }),
    'pgbench balance': await balanceScript(url, loaded, everybody),
    'pgbench exchange': await exchangeScript(url, loaded, buyersOf(loaded.members)),
  };
}

/** One purchase by a random member. */
async function purchaseScript(url: string, loaded: Loaded, members: Members): Promise<Script> {
  return transcribe(url, loaded, {
    members,
    run: async (db, { commerceId, member }) => {
      const call = { commerceId, buyer: { code: codeOf(member) }, amount: AMOUNT, ...NOWHERE };
      await transaction(db, (tx) => recordPurchases(tx, [call]));
      return {};
    },
    after: {
      'lock-members-by-code': [
        ' \\gset',
        `\\set earned :pointsEarned + ${POINTS}`,
        `\\set spent :amountSpent + ${AMOUNT}`,
        '\\set visits :purchases + 1',
      ],
      'read-lots': [' \\gset lot_', `\\set balance :lot_points + ${POINTS}`],
      'read-commerces': [' \\gset'],
    },
  });
}

/** The balance of a random member. */
async function balanceScript(url: string, loaded: Loaded, members: Members): Promise<Script> {
  return transcribe(url, loaded, {
    members,
    run: async (db, { commerceId, member }) => {
      await readClients(db, [{ commerceId, code: codeOf(member) }]);
      return {};
    },
    after: {},
  });
}

/** One exchange with a new key by a random member, each of whom has points for many. */
async function exchangeScript(url: string, loaded: Loaded, members: Members): Promise<Script> {
  return transcribe(url, loaded, {
    members,
    run: async (db, { commerceId, member }) => {
      const request = { key: String(Math.floor(Math.random() * 1e15)), path: {}, body: {} };
      const exchange = { commerceId, userId: member, benefitId: BENEFIT.unlimited, request };
      const { voucher } = await exchangeBenefit(db, exchange);
      return { voucher: String(voucher.code), key: request.key, operation: `exchange/${member}` };
    },
    before: ['\\set voucher random(10000000000000, 99999999999999)', '\\set key random(1, 1000000000000000)'],
    expressions: { operation: "'exchange/' || :member" },
    after: {
      'lock-members-by-user': [
        ' \\gset',
        '\\set earned :pointsEarned',
        '\\set spent :amountSpent',
        '\\set visits :purchases',
      ],
      'read-lots': [' \\gset lot_', `\\set balance :lot_points - ${COST}`],
      'read-commerces': [' \\gset'],
    },
  });
}
