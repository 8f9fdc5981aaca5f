import { NOWHERE } from '../server/src/loyalty/points/purchase-facts.ts';
import { openDatabase, sql, transaction, type Database } from '../server/src/platform/db/database.ts';
import { recordPurchases } from '../server/src/loyalty/purchases/record-purchases.ts';
import { exchangeBenefit } from '../server/test/exchange-benefit.ts';
import type { Members } from './cast.ts';
import { BENEFIT, codeOf, COST, shopOf, type Loaded } from './load-members.ts';
import type { Script } from './pgbench.ts';
import { watchStatements, type Sent } from '../server/test/watch-statements.ts';

/** A use case, and the parts of its script that its statements do not show. */
export interface UseCase {
  /** The script picks one of them at random. */
  readonly members: Members;
  /** Runs it once. Returns the values of variables that only this use case has. */
  readonly run: (
    db: Database,
    who: { commerceId: number; member: number },
  ) => Promise<Record<string, string>>;
  /** Lines that pick more random values. */
  readonly before?: readonly string[];
  /** Variables that pgbench cannot hold because they are not numbers, as SQL. */
  readonly expressions?: Readonly<Record<string, string>>;
  /** Values that the code computes from the answer of a statement, in pgbench's language. */
  readonly after: Readonly<Record<string, readonly string[]>>;
}

/**
 * Turns a use case into a script for pgbench, statement by statement as the code sends them. To learn the parameters,
 * it runs the use case for two members. A parameter that is equal in both runs is a constant of the script. The others
 * are variables, recognised by their values.
 */
export async function transcribe(url: string, loaded: Loaded, useCase: UseCase): Promise<Script> {
  const sent: Sent[] = [];
  const db = openDatabase({
    url,
    poolSize: 1,
    preparedStatements: false,
    onConnection: (client) => watchStatements(client, (statement) => void sent.push(statement)),
  });
  const runFor = async (member: number): Promise<Run> => {
    const { commerceId } = shopOf(loaded, member);
    sent.length = 0;
    const more = await useCase.run(db, { commerceId, member });
    const statements = [...sent];
    return { statements, variables: { ...(await variablesOf(db, commerceId, member)), ...more } };
  };
  // Of two commerces, so that the commerce differs too.
  const pair = [useCase.members.first, loaded.shops[1]!.firstMember] as const;
  try {
    let runs: readonly [Run, Run];
    // A value that happens to be equal for both would pass for a constant, so repeat until all of them differ.
    do {
      await moveApart(db, loaded, pair);
      // The first run also reads the program, which is then kept in memory.
      for (const member of pair) await runFor(member);
      runs = [await runFor(pair[0]), await runFor(pair[1])];
    } while (haveEqualVariables(runs));
    return scriptOf(loaded, useCase, runs);
  } finally {
    await db.destroy();
  }
}

/** One run of the use case for one member. */
interface Run {
  readonly statements: readonly Sent[];
  /** The values of the script's variables at its end. */
  readonly variables: Readonly<Record<string, string>>;
}

function scriptOf(loaded: Loaded, useCase: UseCase, runs: readonly [Run, Run]): Script {
  const constants = new Map<string, string>();
  const statements = runs[0].statements.map(({ name, text, values }, i) => {
    const other = runs[1].statements[i];
    if (other?.text !== text) throw new Error('two runs of one use case sent different statements');
    const parameters = values.map((value, k) => {
      if (value === null) return 'null';
      if (value !== other.values[k]) {
        const variable = variableOf(value, other.values[k] ?? '', runs);
        const written = useCase.expressions?.[variable] ?? `:${variable}`;
        return value.startsWith('{') ? `array[${written}]` : written;
      }
      const constant = `${name?.replaceAll('-', '_')}_${k + 1}`;
      constants.set(constant, value);
      return `:${constant}`;
    });
    const filled = text.replaceAll(/\$(\d+)/g, (_, number) => parameters[Number(number) - 1]!);
    return filled + (useCase.after[name ?? '']?.join('\n') ?? ';');
  });
  const lines = [...pickMember(loaded, useCase.members), ...(useCase.before ?? []), ...statements];
  return { text: lines.join('\n'), constants };
}

async function variablesOf(
  db: Database,
  commerceId: number,
  member: number,
): Promise<Record<string, string>> {
  const { rows } = await sql<Record<string, number>>`
    select m.points_earned as earned, m.amount_spent as spent, m.purchases as visits, b.points as balance
      from members m
      join balances b on b.commerce_id = m.commerce_id and b.member_id = m.id
     where m.commerce_id = ${commerceId} and m.id = ${member}`.execute(db);
  const variables = { commerce: commerceId, code: codeOf(member), member, ...rows[0] };
  return Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, String(value)]));
}

function haveEqualVariables([one, other]: readonly [Run, Run]): boolean {
  return Object.entries(one.variables).some(([name, value]) => other.variables[name] === value);
}

/** One buys once and the other twice, and both spend points, so that nobody's balance is what they earned. */
async function moveApart(db: Database, loaded: Loaded, [first, second]: readonly [number, number]) {
  const calls = [first, second, second].map((member) => ({
    commerceId: shopOf(loaded, member).commerceId,
    buyer: { code: codeOf(member) },
    amount: 4 * COST,
    ...NOWHERE,
  }));
  await transaction(db, (tx) => recordPurchases(tx, calls));
  for (const userId of [first, second]) {
    const { commerceId } = shopOf(loaded, userId);
    const request = { key: `probe-${Math.random()}`, path: {}, body: {} };
    await exchangeBenefit(db, { commerceId, userId, benefitId: BENEFIT.unlimited, request });
  }
}

/** The variable with the one value in the first run and the other in the second. */
function variableOf(value: string, otherValue: string, runs: readonly [Run, Run]): string {
  const [one, other] = [elementOf(value), elementOf(otherValue)];
  if (isInstant(one) && isInstant(other)) return 'now';
  const names = Object.keys(runs[0].variables).filter(
    (name) => runs[0].variables[name] === one && runs[1].variables[name] === other,
  );
  if (names.length !== 1) throw new Error(`${one} and then ${other} may be any of: ${names.join(', ')}`);
  return names[0]!;
}

/** The element of an array of one, as it goes over the wire. */
function elementOf(array: string): string {
  return /^\{"([^"]*)"\}$/.exec(array)?.[1] ?? array;
}

function isInstant(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT/.test(text);
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
