import { readCommerce, type Commerce } from '#commerces/commerce.ts';
import { transaction, type Database, type Tx } from '#db/database.ts';
import { takeBack } from '#db/take-back.ts';
import { enterMembers, findOrCreateUsers } from '#members/enter-member.ts';
import { canEarn } from '#members/eligibility.ts';
import { lockPeople } from '#members/lock-people.ts';
import { hasRoomFor } from '#points/countable.ts';
import { withLots, type LockedMember } from '#points/locked-member.ts';
import { settled } from '#points/pending.ts';
import { balanceOn } from '#points/lots.ts';
import { creditPoints } from '#tiers/credit-points.ts';
import { tierCounts, type TierCount } from '#tiers/tier-counts.ts';
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
  readonly refused: readonly LineWithReason[];
  /** Optional fields of imported people that were left out because their values are not valid. */
  readonly warnings: readonly LineWithReason[];
  /** People who had joined before and have another balance than their row says. */
  readonly unchanged: {
    readonly members: number;
    /** The first of them. */
    readonly lines: readonly { readonly line: number; readonly balance: number; readonly inFile: number }[];
  };
  /** Imported people whose opening balance was added to points that waited for their address. */
  readonly onTop: {
    readonly members: number;
    /** The sum of the points that waited. */
    readonly points: number;
    /** The first of them. */
    readonly lines: readonly { readonly line: number; readonly waiting: number; readonly inFile: number }[];
  };
  /** Imported people by the tier in which they start. */
  readonly tiers: readonly TierCount[];
  /** The number of codes that they got for tiers. */
  readonly tierCodes: number;
}

/** The result of a dry run, with the opening balances of the people who would be imported. */
export interface TriedMembers extends ImportedMembers {
  readonly points: number;
}

export interface LineWithReason {
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
  const counts = { rows: 0, imported: 0, existing: 0, tierCodes: 0 };
  let points = 0;
  const refused: LineWithReason[] = [];
  const warnings: LineWithReason[] = [];
  const unchanged = { members: 0, lines: [] as ImportedMembers['unchanged']['lines'][number][] };
  const onTop = { members: 0, points: 0, lines: [] as ImportedMembers['onTop']['lines'][number][] };
  const tiers = new Map<string, number>();
  const lineOf = new Map<string, number>();
  let batch: PersonOnLine[] = [];

  const flush = async () => {
    const done = await importBatch(database, commerceId, batch, options);
    counts.imported += done.entered.length;
    counts.existing += done.joinedBefore.length;
    counts.tierCodes += done.tierCodes;
    for (const { person, before, tierId } of done.entered) {
      const { line, openingPoints: inFile, leftOut } = person;
      points += inFile ?? 0;
      warnings.push(...leftOut.map((reason) => ({ line, reason })));
      if (tierId !== null) tiers.set(tierId, (tiers.get(tierId) ?? 0) + 1);
      if (inFile === null || inFile === 0 || !before.hasPurchases) continue;
      onTop.members++;
      onTop.points += before.balance;
      if (onTop.lines.length < MOST_LINES) onTop.lines.push({ line, waiting: before.balance, inFile });
    }
    for (const { person, balance } of done.joinedBefore) {
      const { line, openingPoints: inFile } = person;
      if (inFile === null || inFile === balance) continue;
      unchanged.members++;
      if (unchanged.lines.length < MOST_LINES) unchanged.lines.push({ line, balance, inFile });
    }
    for (const { line } of done.tooMuch) {
      const reason = 'points: with those that wait for the address they are more than can be counted';
      refused.push({ line, reason });
    }
    for (const { line } of done.blocked)
      refused.push({ line, reason: 'email: this person is blocked; unblock them first' });
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
      if (batch.push({ ...person, line: line.line }) === BATCH) await flush();
    }
  }
  await flush();
  const { tierCodes, ...others } = counts;
  const result = {
    ...others,
    refused: refused.sort(byLine),
    warnings: warnings.sort(byLine),
    unchanged,
    onTop,
    tiers: tierCounts(tiers, commerce.rules.tiers),
    tierCodes,
  };
  return options.dryRun === true ? { ...result, points } : result;
}

// A batch locks the commerce's enrolment counter until it commits, and other people's sign-ins wait for that lock.
const BATCH = 500;

// Enough to find the cause. If all the members of a file differ, their number says it.
const MOST_LINES = 100;

function byLine(a: LineWithReason, b: LineWithReason): number {
  return a.line - b.line;
}

type PersonOnLine = NewPerson & { readonly line: number };

interface ImportedBatch {
  readonly entered: readonly {
    readonly person: PersonOnLine;
    /** The points and purchases that waited for the address. */
    readonly before: { readonly balance: number; readonly hasPurchases: boolean };
    readonly tierId: string | null;
  }[];
  readonly joinedBefore: readonly { readonly person: PersonOnLine; readonly balance: number }[];
  /** People whom staff blocked while their points waited. */
  readonly blocked: readonly PersonOnLine[];
  /** People whose points would be too many to be counted. */
  readonly tooMuch: readonly PersonOnLine[];
  readonly tierCodes: number;
}

/** Imports one batch. */
async function importBatch(
  database: Database,
  commerceId: number,
  people: readonly PersonOnLine[],
  { welcome = false, dryRun = false }: ImportOptions,
): Promise<ImportedBatch> {
  if (people.length === 0) return { entered: [], joinedBefore: [], blocked: [], tooMuch: [], tierCodes: 0 };
  return (dryRun ? takeBack : transaction)(database, async (tx: Tx) => {
    const userIds = await findOrCreateUsers(
      tx,
      people.map((person) => person.email),
    );
    const locked = await lockPeople(
      tx,
      commerceId,
      people.map((person) => person.email),
    );
    const stored = await withLots(tx, [...locked.values()]);
    const commerce = await readCommerce(tx, commerceId);
    if (commerce === undefined) throw new Error(`commerce ${commerceId} does not exist`);
    const found = stored.map((member) => settled(member, commerce));

    const byEmail = new Map(found.map((member) => [member.email, member]));
    const known = people.map((person) => ({ person, member: byEmail.get(person.email)! }));
    const invited = known
      .filter(({ member }) => canEarn(member) && member.state === 'invited')
      .map(({ person, member }) => ({
        ...person,
        person,
        invited: member,
        userId: userIds.get(person.email)!,
      }));
    const newcomers = invited.filter((one) =>
      hasRoomFor(one.invited, one.openingPoints ?? 0, commerce.today),
    );
    const entered = await enterMembers(tx, commerceId, newcomers, commerce.now);
    const opened = newcomers.map(({ invited, openingPoints }, i) =>
      withOpening({ ...invited, ...entered[i]! }, openingPoints ?? 0, commerce),
    );
    const reward = welcome ? commerce.rules.rewards.welcome : null;
    const { given, tierCodes } = await welcomeMembers(tx, commerce, reward, entered, opened);
    return {
      entered: newcomers.map(({ person, invited }, i) => ({
        person,
        before: { balance: balanceOn(invited.lots, commerce.today), hasPurchases: invited.purchases > 0 },
        tierId: given[i]!.member.standing.tierId,
      })),
      joinedBefore: known
        .filter(({ member }) => member.state !== 'invited')
        .map(({ person, member }) => ({ person, balance: balanceOn(member.lots, commerce.today) })),
      blocked: known
        .filter(({ member }) => member.state === 'invited' && !canEarn(member))
        .map(({ person }) => person),
      tooMuch: invited.filter((one) => !newcomers.includes(one)).map(({ person }) => person),
      tierCodes,
    };
  });
}

/** Sets the member's tier and adds the opening points, which count as earned. */
function withOpening(entered: LockedMember, points: number, commerce: Commerce): OnLadder {
  const placed = placeOnLadder(entered, commerce);
  if (points === 0) return placed;
  const opening = { type: 'adjustment', event: null, note: { of: 'opening' } } as const;
  const { member, reached } = creditPoints(placed.member, commerce, points, opening);
  return { member, reached: [...placed.reached, ...reached] };
}
