import { readCommerce, type Commerce } from '#commerces/commerce.ts';
import { transaction, type Database } from '#db/database.ts';
import { takeBack } from '#db/take-back.ts';
import { enterMembers, findOrCreateUsers } from '#members/enter-member.ts';
import { invitePeople } from '#members/invite-people.ts';
import { lockMembers } from '#members/lock-members.ts';
import { hasRoomFor } from '#points/countable.ts';
import { withLots, type LockedMember } from '#points/locked-member.ts';
import { creditPoints } from '#tiers/credit-points.ts';
import { placeOnLadder, type OnLadder } from './place-on-ladder.ts';
import { readMemberRow, type MemberFields, type NewPerson } from './read-member-row.ts';
import { welcomeMembers } from './welcome-members.ts';

/** A row of a file, or the reason why the line cannot be read as a row. Lines count from 1. */
export type MemberLine = { readonly line: number } & (
  | { readonly fields: MemberFields }
  | { readonly reason: string }
);

export interface ImportOptions {
  /** True if imported members get the welcome reward. */
  readonly welcome?: boolean;
  /** True to do everything and then take it back. */
  readonly dryRun?: boolean;
  /** Called after each batch with the number of rows read so far. */
  readonly onProgress?: (rows: number) => void;
}

export interface ImportedMembers {
  readonly rows: number;
  readonly imported: number;
  /** The number of rows of people who had joined this commerce before, by an earlier import or on their own. */
  readonly existing: number;
  readonly refused: readonly RefusedLine[];
}

/** The result of a dry run, with the opening balances of the people who would be imported. */
export interface TriedMembers extends ImportedMembers {
  readonly points: number;
}

export interface RefusedLine {
  readonly line: number;
  readonly reason: string;
}

/**
 * People whom a shop already knows become members and keep the points they had. People who have joined before are not
 * changed, so importing the same file again changes nothing. Points that were waiting for an e-mail address become
 * the member's own. Invalid rows are reported and the others are imported, 500 in a transaction. A dry run does the same
 * and takes each transaction back.
 */
export async function importMembers(
  database: Database,
  commerceId: number,
  lines: AsyncIterable<MemberLine>,
  options: ImportOptions = {},
): Promise<ImportedMembers | TriedMembers> {
  const commerce = await readCommerce(database, commerceId);
  if (commerce === undefined) throw new Error(`there is no commerce ${commerceId}`);
  const counts = { rows: 0, imported: 0, existing: 0 };
  let points = 0;
  const refused: RefusedLine[] = [];
  const lineOf = new Map<string, number>();
  let batch: NewPerson[] = [];

  const flush = async () => {
    const done = await importBatch(database, commerceId, batch, options);
    counts.imported += done.imported;
    counts.existing += batch.length - done.imported - done.tooMuch.length;
    points += done.points;
    for (const email of done.tooMuch) {
      const reason = 'points: with those that wait for the address they are more than can be counted';
      refused.push({ line: lineOf.get(email)!, reason });
    }
    batch = [];
    options.onProgress?.(counts.rows);
  };

  for await (const line of lines) {
    counts.rows++;
    const person = 'fields' in line ? readMemberRow(line.fields, commerce.today) : line;
    const firstLine = 'email' in person ? lineOf.get(person.email) : undefined;
    if ('reason' in person) refused.push({ line: line.line, reason: person.reason });
    else if (firstLine !== undefined) {
      refused.push({ line: line.line, reason: `email: line ${firstLine} has the same address` });
    } else {
      lineOf.set(person.email, line.line);
      if (batch.push(person) === BATCH) await flush();
    }
  }
  await flush();
  const result = { ...counts, refused: refused.sort((a, b) => a.line - b.line) };
  return options.dryRun === true ? { ...result, points } : result;
}

// A batch locks the commerce's enrolment counter until it commits, and other people's sign-ins wait for that lock.
const BATCH = 500;

/** Imports one batch. Returns how many people became members with how many points, and the addresses of those with too many. */
async function importBatch(
  database: Database,
  commerceId: number,
  people: readonly NewPerson[],
  { welcome = false, dryRun = false }: ImportOptions,
): Promise<{ imported: number; points: number; tooMuch: string[] }> {
  if (people.length === 0) return { imported: 0, points: 0, tooMuch: [] };
  return (dryRun ? takeBack : transaction)(database, async (tx) => {
    const userIds = await findOrCreateUsers(
      tx,
      people.map((person) => person.email),
    );
    const places = people.map(({ email }) => ({ commerceId, email }));
    await invitePeople(tx, places);
    const found = await withLots(tx, await lockMembers(tx, places));
    const commerce = await readCommerce(tx, commerceId);
    if (commerce === undefined) throw new Error(`commerce ${commerceId} does not exist`);

    const waiting = new Map(found.map((member) => [member.email, member]));
    const invited = people.flatMap((person) => {
      const member = waiting.get(person.email);
      return member?.state === 'invited'
        ? [{ ...person, invited: member, userId: userIds.get(person.email)! }]
        : [];
    });
    const newcomers = invited.filter((one) => hasRoomFor(one.invited, one.openingPoints, commerce.today));
    const entered = await enterMembers(tx, commerceId, newcomers, commerce.now);
    const opened = newcomers.map(({ invited, openingPoints }, i) =>
      withOpening({ ...invited, ...entered[i]! }, openingPoints, commerce),
    );
    const reward = welcome ? commerce.rules.rewards.welcome : null;
    await welcomeMembers(tx, commerce, reward, entered, opened);
    const tooMuch = invited.filter((one) => !newcomers.includes(one)).map(({ email }) => email);
    const points = newcomers.reduce((sum, { openingPoints }) => sum + openingPoints, 0);
    return { imported: entered.length, points, tooMuch };
  });
}

/** Sets the member's tier and adds the opening points, which count as earned. */
function withOpening(entered: LockedMember, points: number, commerce: Commerce): OnLadder {
  const placed = placeOnLadder(entered, commerce);
  if (points === 0) return placed;
  const opening = { type: 'adjustment', event: null, note: 'Opening balance' } as const;
  const { member, reached } = creditPoints(placed.member, commerce, points, opening);
  return { member, reached: [...placed.reached, ...reached] };
}
