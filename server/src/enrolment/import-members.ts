import { readCommerce, type Commerce } from '#commerces/commerce.ts';
import { transaction, type Database } from '#db/database.ts';
import { enterMembers, findOrCreateUsers } from '#members/enter-member.ts';
import { invitePeople } from '#members/invite-people.ts';
import { lockMembers } from '#members/lock-members.ts';
import { withLots, type LockedMember } from '#points/locked-member.ts';
import { creditPoints } from '#tiers/credit-points.ts';
import { placeOnLadder, type OnLadder } from './place-on-ladder.ts';
import { readMemberRow, type MemberFields, type NewPerson } from './read-member-row.ts';
import { welcomeMembers } from './welcome-members.ts';

/** A row of a file, or why its line cannot be read as one. Lines count from 1. */
export type MemberLine = { readonly line: number } & (
  | { readonly fields: MemberFields }
  | { readonly reason: string }
);

export interface ImportOptions {
  /** Whether imported members get the welcome reward. */
  readonly welcome?: boolean;
  /** Called after each batch with the number of rows read so far. */
  readonly onProgress?: (rows: number) => void;
}

export interface ImportedMembers {
  readonly rows: number;
  readonly imported: number;
  /** Rows of people who have joined this commerce before, by an earlier import or by themselves. */
  readonly existing: number;
  readonly refused: readonly RefusedLine[];
}

export interface RefusedLine {
  readonly line: number;
  readonly reason: string;
}

/**
 * People whom a shop knows already become members, with the points that they bring along. Who has joined before
 * is left as they are, so importing the same file again changes nothing; points that waited for an address become
 * the member's own. Rows that cannot be taken are reported, and the others are taken, 500 in a transaction.
 */
export async function importMembers(
  database: Database,
  commerceId: number,
  lines: AsyncIterable<MemberLine>,
  options: ImportOptions = {},
): Promise<ImportedMembers> {
  const commerce = await readCommerce(database, commerceId);
  if (commerce === undefined) throw new Error(`there is no commerce ${commerceId}`);
  const counts = { rows: 0, imported: 0, existing: 0 };
  const refused: RefusedLine[] = [];
  const lineOf = new Map<string, number>();
  let batch: NewPerson[] = [];

  const flush = async () => {
    const imported = await importBatch(database, commerceId, batch, options.welcome ?? false);
    counts.imported += imported;
    counts.existing += batch.length - imported;
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
  return { ...counts, refused };
}

// A batch holds the commerce's counter of enrolments to its end: other people's sign-ins wait for it.
const BATCH = 500;

/** Gives how many of the people were new. */
function importBatch(
  database: Database,
  commerceId: number,
  people: readonly NewPerson[],
  welcome: boolean,
): Promise<number> {
  if (people.length === 0) return Promise.resolve(0);
  return transaction(database, async (tx) => {
    const userIds = await findOrCreateUsers(
      tx,
      people.map((person) => person.email),
    );
    const places = people.map(({ email }) => ({ commerceId, email }));
    await invitePeople(tx, places);
    const found = new Map((await lockMembers(tx, places)).map((member) => [member.email, member]));
    const commerce = await readCommerce(tx, commerceId);
    if (commerce === undefined) throw new Error(`commerce ${commerceId} is gone`);

    const newcomers = people.flatMap((person) => {
      const invited = found.get(person.email);
      return invited?.state === 'invited' ? [{ ...person, invited, userId: userIds.get(person.email)! }] : [];
    });
    const entered = await enterMembers(tx, commerceId, newcomers, commerce.now);
    const locked = await withLots(tx, entered);
    const opened = locked.map((member, i) => withOpening(member, newcomers[i]!.openingPoints, commerce));
    const reward = welcome ? commerce.rules.rewards.welcome : null;
    await welcomeMembers(tx, commerce, reward, entered, opened);
    return entered.length;
  });
}

/** The member's tier, and the points brought along: they count as earned. */
function withOpening(entered: LockedMember, points: number, commerce: Commerce): OnLadder {
  const placed = placeOnLadder(entered, commerce);
  if (points === 0) return placed;
  const opening = { type: 'adjustment', event: null, note: 'Opening balance' } as const;
  const { member, reached } = creditPoints(placed.member, commerce, points, opening);
  return { member, reached: [...placed.reached, ...reached] };
}
