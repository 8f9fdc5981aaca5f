import { openDatabase, sql, transaction, type Database } from '../server/src/db/database.ts';
import { readHolders } from '../server/src/points/holder-reader.ts';
import { recordPurchases } from '../server/src/purchases/record-purchases.ts';
import { exchangeBenefit } from '../server/src/vouchers/exchange-benefit.ts';
import { codeOf, shopOf, type Loaded } from './load-members.ts';
import type { Script } from './pgbench.ts';
import { watchStatements, type Sent } from './statements.ts';

export const AMOUNT = 120;
const POINTS = AMOUNT / 2;
/** What is exchanged, and what it costs. */
export const BENEFIT = { unlimited: 'benefit-1', limited: 'benefit-2' } as const;
const COST = 100;

/** Members that a script takes turns by chance among: `first + step × n`, for n below `count`. */
export interface Members {
  readonly first: number;
  readonly step: number;
  readonly count: number;
}

/** One purchase by a random member. */
export async function purchaseScript(url: string, loaded: Loaded, members?: Members): Promise<Script> {
  return scriptOf(url, loaded, {
    members: members ?? everybody(loaded),
    act: async (db, { commerceId, member }) => {
      const call = { commerceId, buyer: { code: codeOf(member) }, amount: AMOUNT };
      await transaction(db, (tx) => recordPurchases(tx, [call]));
      return {};
    },
    follow: {
      'lock-members-by-code': [
        ' \\gset',
        `\\set earned :pointsEarned + ${POINTS}`,
        `\\set spent :amountSpent + ${AMOUNT}`,
        '\\set visits :purchases + 1',
      ].join('\n'),
      'read-lots': [' \\gset lot_', `\\set balance :lot_points + ${POINTS}`].join('\n'),
      'read-commerces': ' \\gset',
    },
  });
}

/** The reads of one balance. */
export async function balanceScript(url: string, loaded: Loaded): Promise<Script> {
  return scriptOf(url, loaded, {
    members: everybody(loaded),
    act: async (db, { commerceId, member }) => {
      await readHolders(db, [{ commerceId, code: codeOf(member) }]);
      return {};
    },
    follow: {},
  });
}

/** One exchange, with a key of its own, by a random one of `members`, each of whom has points for many. */
export async function exchangeScript(url: string, loaded: Loaded, members: Members): Promise<Script> {
  return scriptOf(url, loaded, {
    members,
    act: async (db, { commerceId, member }) => {
      const idempotencyKey = String(Math.floor(Math.random() * 1e15));
      const exchange = { commerceId, userId: member, benefitId: BENEFIT.unlimited, idempotencyKey };
      const { voucher } = await exchangeBenefit(db, exchange);
      return { voucher: String(voucher.code), key: idempotencyKey, operation: `exchange/${member}` };
    },
    chosen: ['\\set voucher random(10000000000000, 99999999999999)', '\\set key random(1, 1000000000000000)'],
    expressions: { operation: "'exchange/' || :member" },
    follow: {
      'lock-members-by-user': [
        ' \\gset',
        '\\set earned :pointsEarned',
        '\\set spent :amountSpent',
        '\\set visits :purchases',
      ].join('\n'),
      'read-lots': [' \\gset lot_', `\\set balance :lot_points - ${COST}`].join('\n'),
      'read-commerces': ' \\gset',
    },
  });
}

interface Act {
  readonly members: Members;
  /** Does it once; gives what the script's variables would hold beside those of every member. */
  readonly act: (
    db: Database,
    who: { commerceId: number; member: number },
  ) => Promise<Record<string, string>>;
  /** Lines that choose more by chance. */
  readonly chosen?: readonly string[];
  /** Variables that are no numbers, and so have to be written as SQL. */
  readonly expressions?: Readonly<Record<string, string>>;
  /** What the code makes of a statement's answer, in pgbench's words. */
  readonly follow: Readonly<Record<string, string>>;
}

/**
 * What is done for one member, statement by statement as the code sends it. It is done for two members under watch:
 * what is the same in both is a constant, what differs is what a statement before has read, or follows from it, and
 * the script says so.
 */
async function scriptOf(url: string, loaded: Loaded, what: Act): Promise<Script> {
  const [first, second] = twoOf(loaded, what.members);
  let probes: readonly [Probe, Probe];
  // The first time in a process also reads the program, which is kept ever after. And what is alike in both members
  // by chance would pass for a constant, so that they buy until they differ in everything.
  do {
    await prepareProbes(url, loaded, first, second);
    for (const member of [first, second]) await watch(url, loaded, member, what);
    probes = [await watch(url, loaded, first, what), await watch(url, loaded, second, what)];
  } while (alike(probes));

  const constants = new Map<string, string>();
  const statements = probes[0].sent.map((sent, i) => {
    const other = probes[1].sent[i];
    if (other?.text !== sent.text) throw new Error('the same, done twice, sent different statements');
    const parameters = sent.values.map((value, k) => {
      if (value === null) return 'null';
      if (value !== other.values[k]) {
        const variable = variableOf(value, other.values[k] ?? '', probes);
        const written = what.expressions?.[variable] ?? `:${variable}`;
        return value.startsWith('{') ? `array[${written}]` : written;
      }
      const constant = `${sent.name?.replaceAll('-', '_')}_${k + 1}`;
      constants.set(constant, value);
      return `:${constant}`;
    });
    const text = sent.text.replaceAll(/\$(\d+)/g, (_, number) => parameters[Number(number) - 1]!);
    return text + (what.follow[sent.name ?? ''] ?? ';');
  });
  return {
    text: [...pickMember(loaded, what.members), ...(what.chosen ?? []), ...statements].join('\n'),
    constants,
  };
}

interface Probe {
  readonly sent: readonly Sent[];
  /** What the script's variables would hold. */
  readonly variables: ReadonlyMap<string, string>;
}

async function watch(url: string, loaded: Loaded, member: number, { act }: Act): Promise<Probe> {
  const { commerceId } = shopOf(loaded, member);
  const sent: Sent[] = [];
  const db = openDatabase({
    url,
    poolSize: 1,
    preparedStatements: false,
    onConnection: (client) => watchStatements(client, (statement) => void sent.push(statement)),
  });
  try {
    const more = await act(db, { commerceId, member });
    const statements = [...sent];
    const variables = await variablesAfter(db, commerceId, member);
    return { sent: statements, variables: new Map([...variables, ...Object.entries(more)]) };
  } finally {
    await db.destroy();
  }
}

function alike([one, other]: readonly [Probe, Probe]): boolean {
  return [...one.variables].some(([name, held]) => other.variables.get(name) === held);
}

/** One buys once and the other twice, and both spend points: what they hold is no longer what they earned. */
async function prepareProbes(url: string, loaded: Loaded, first: number, second: number): Promise<void> {
  const db = openDatabase({ url, poolSize: 1, preparedStatements: false });
  const calls = [first, second, second].map((member) => ({
    commerceId: shopOf(loaded, member).commerceId,
    buyer: { code: codeOf(member) },
    amount: AMOUNT + 2 * COST,
  }));
  await transaction(db, (tx) => recordPurchases(tx, calls));
  for (const userId of [first, second]) {
    const { commerceId } = shopOf(loaded, userId);
    const idempotencyKey = `probe-${Math.random()}`;
    await exchangeBenefit(db, { commerceId, userId, benefitId: BENEFIT.unlimited, idempotencyKey });
  }
  await db.destroy();
}

async function variablesAfter(
  db: Database,
  commerceId: number,
  member: number,
): Promise<Map<string, string>> {
  const { rows } = await sql<Record<string, number>>`
    select m.points_earned as earned, m.amount_spent as spent, m.purchases as visits, b.points as balance
      from members m
      join balances b on b.commerce_id = m.commerce_id and b.member_id = m.id
     where m.commerce_id = ${commerceId} and m.id = ${member}`.execute(db);
  const values = { commerce: commerceId, code: codeOf(member), member, ...rows[0] };
  return new Map(Object.entries(values).map(([name, value]) => [name, String(value)]));
}

/** The variable that held one value in one run and the other in the other. */
function variableOf(value: string, otherValue: string, probes: readonly [Probe, Probe]): string {
  const [one, other] = [elementOf(value), elementOf(otherValue)];
  if (isInstant(one) && isInstant(other)) return 'now';
  const names = [...probes[0].variables]
    .filter(([name, held]) => held === one && probes[1].variables.get(name) === other)
    .map(([name]) => name);
  if (names.length !== 1) throw new Error(`${one} and then ${other} may be any of: ${names.join(', ')}`);
  return names[0]!;
}

/** The only element of an array on the wire. */
function elementOf(array: string): string {
  return /^\{"([^"]*)"\}$/.exec(array)?.[1] ?? array;
}

function isInstant(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT/.test(text);
}

function everybody({ members }: Loaded): Members {
  return { first: 1, step: 1, count: members };
}

/** Two of the members, of two commerces where there are as many. */
function twoOf(loaded: Loaded, { first, step, count }: Members): [number, number] {
  const places = Array.from({ length: count }, (_, n) => first + step * n);
  const other = places.find((member) => shopOf(loaded, member) !== shopOf(loaded, first));
  if (other !== undefined) return [first, other];
  // A script for one member: what is read of another of a second commerce tells variables from constants.
  return [first, loaded.shops[1]!.firstMember];
}

function pickMember({ shops }: Loaded, { first, step, count }: Members): string[] {
  const cases = shops
    .toReversed()
    .map(({ firstMember, commerceId }) => `when :member >= ${firstMember} then ${commerceId}`);
  return [
    `\\set member ${first} + ${step} * random(0, ${count - 1})`,
    `\\set code ${codeOf(0)} + :member`,
    `\\set commerce case ${cases.join(' ')} end`,
  ];
}
