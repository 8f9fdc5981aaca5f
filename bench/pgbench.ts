import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { openDatabase, SESSION_OPTIONS, sql, transaction, type Database } from '../server/src/db/database.ts';
import { recordPurchases } from '../server/src/purchases/record-purchases.ts';
import { codeOf, shopOf, type Loaded } from './load-members.ts';
import { watchStatements, type Sent } from './statements.ts';

/** The service's own transaction for pgbench: a script, and the constants that it names. */
export interface Script {
  readonly text: string;
  readonly constants: ReadonlyMap<string, string>;
}

export const AMOUNT = 120;
const POINTS = AMOUNT / 2;

/**
 * The transaction of one purchase by a random member, statement by statement as the code sends it. Two members buy
 * under watch: what is the same in both is a constant, what differs is what a statement before has read, or follows
 * from it, and the script says so.
 */
export async function purchaseScript(url: string, loaded: Loaded): Promise<Script> {
  const [first, second] = [loaded.shops[0]!.firstMember, loaded.shops[1]!.firstMember];
  // The first purchase of a process also reads the program, which is kept ever after; and the two differ in their
  // number of purchases.
  for (const member of [first, second, second]) await watchPurchase(url, loaded, member);
  const probes = [await watchPurchase(url, loaded, first), await watchPurchase(url, loaded, second)] as const;

  const constants = new Map<string, string>();
  const statements = probes[0].sent.map((sent, i) => {
    const other = probes[1].sent[i];
    if (other?.text !== sent.text) throw new Error('two purchases alike sent different statements');
    const parameters = sent.values.map((value, k) => {
      if (value === null) return 'null';
      if (value !== other.values[k]) return `array[:${variableOf(value, other.values[k] ?? '', probes)}]`;
      const constant = `${sent.name?.replaceAll('-', '_')}_${k + 1}`;
      constants.set(constant, value);
      return `:${constant}`;
    });
    const text = sent.text.replaceAll(/\$(\d+)/g, (_, number) => parameters[Number(number) - 1]!);
    return text + (followUp[sent.name ?? ''] ?? ';');
  });
  return { text: [...pickMember(loaded), ...statements].join('\n'), constants };
}

/** Runs a script with prepared statements and the service's own session options. Gives transactions a second, without the time to connect. */
export async function runPgbench(
  script: Script,
  options: { readonly url: string; readonly clients: number; readonly seconds: number },
): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'pgbench-'));
  const file = join(folder, 'purchase.sql');
  await writeFile(file, script.text);
  try {
    const args = [
      '--no-vacuum',
      '--protocol=prepared',
      `--client=${options.clients}`,
      `--time=${options.seconds}`,
      `--file=${file}`,
      ...[...script.constants].map(([name, value]) => `--define=${name}=${value}`),
      options.url,
    ];
    const env = { ...process.env, PGOPTIONS: SESSION_OPTIONS };
    const { stdout } = await promisify(execFile)('pgbench', args, { env });
    // Its connections have ended and PostgreSQL is to have noticed, or their processor time is not counted.
    await setTimeout(100);
    const failed = /number of failed transactions: (\d+)/.exec(stdout)?.[1];
    if (failed !== undefined && failed !== '0') throw new Error(`${failed} transactions of pgbench failed`);
    return Number(/tps = ([\d.]+)/.exec(stdout)?.[1]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Probe {
  readonly sent: readonly Sent[];
  /** What the script's variables would hold. */
  readonly variables: ReadonlyMap<string, string>;
}

async function watchPurchase(url: string, loaded: Loaded, member: number): Promise<Probe> {
  const { commerceId } = shopOf(loaded, member);
  const sent: Sent[] = [];
  const db = openDatabase({
    url,
    poolSize: 1,
    preparedStatements: false,
    onConnection: (client) => watchStatements(client, (statement) => void sent.push(statement)),
  });
  try {
    const call = { commerceId, buyer: { code: codeOf(member) }, amount: AMOUNT };
    await transaction(db, (db) => recordPurchases(db, [call]));
    return { sent: [...sent], variables: await variablesAfter(db, commerceId, member) };
  } finally {
    await db.destroy();
  }
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

/** The variable that held one value in one purchase and the other in the other. */
function variableOf(value: string, otherValue: string, probes: readonly [Probe, Probe]): string {
  const [one, other] = [elementOf(value), elementOf(otherValue)];
  if (isInstant(one) && isInstant(other)) return 'now';
  for (const [name, held] of probes[0].variables) {
    if (held === one && probes[1].variables.get(name) === other) return name;
  }
  throw new Error(`the script knows no variable that was ${one} and then ${other}`);
}

/** The only element of an array on the wire. */
function elementOf(array: string): string {
  return /^\{"([^"]*)"\}$/.exec(array)?.[1] ?? array;
}

function isInstant(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT/.test(text);
}

function pickMember({ shops, members }: Loaded): string[] {
  const cases = shops
    .toReversed()
    .map(({ firstMember, commerceId }) => `when :member >= ${firstMember} then ${commerceId}`);
  return [
    `\\set member random(1, ${members})`,
    `\\set code ${codeOf(0)} + :member`,
    `\\set commerce case ${cases.join(' ')} end`,
  ];
}

/** What the code makes of a statement's answer, in pgbench's words. */
const followUp: Readonly<Record<string, string>> = {
  'lock-members-by-code': [
    ' \\gset',
    `\\set earned :pointsEarned + ${POINTS}`,
    `\\set spent :amountSpent + ${AMOUNT}`,
    '\\set visits :purchases + 1',
  ].join('\n'),
  'read-lots': [' \\gset lot_', `\\set balance :lot_points + ${POINTS}`].join('\n'),
  'read-commerces': ' \\gset',
};
