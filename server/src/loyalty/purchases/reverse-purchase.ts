import type { Audited } from '#audit/audited.ts';
import { readCommerce, type Commerce } from '#commerces/commerce.ts';
import { createKeyedCall, KeyReused, runOncePerKey } from '#batching/idempotency.ts';
import type { KeyedRequest } from '#batching/keyed-request.ts';
import { sql, type Db, type Tx } from '#db/database.ts';
import { storeHappenings } from '#happenings/store-happenings.ts';
import { isErased } from '#members/eligibility.ts';
import { findMember, lockMember } from '#members/lock-members.ts';
import type { Member } from '#members/member.ts';
import { wholeOfStored } from '#points/factors-of.ts';
import type { KeptLine } from '#points/line.ts';
import { withLots, type LockedMember, type MovementType } from '#points/locked-member.ts';
import { broughtBy } from '#points/lots.ts';
import { settled } from '#points/pending.ts';
import { shownPoints } from '#points/shown-points.ts';
import { readSplit, type SplitText } from '#points/split-text.ts';
import { storeMovements } from '#points/store-movements.ts';
import type { CardsOfKind } from '#stamps/decide-stamps.ts';
import { findUnused, lockUnused, readCardsOfKinds, type UnusedOf } from '#stamps/read-cards.ts';
import { storeCards, takeFullCards } from '#stamps/store-cards.ts';
import { takeTierBenefits } from '#rewards/take-tier-benefits.ts';
import { storeStandings } from '#tiers/store-standings.ts';
import type { StoredSnapshot } from './decide-purchase.ts';
import { decideReversal, type PurchaseToReverse, type ReversalSnapshot } from './decide-reversal.ts';
import { readClimbs } from './read-climbs.ts';
import { linesKept, linesWithout, type LineOfOrder, type ReturnedLine } from './lines-after-return.ts';
import { readPurchaseLines } from './purchase-lines.ts';
import { UnknownPurchase } from './read-purchase.ts';
import { whatGoesBack, type CameBack, type GoesBack, type PaidPurchase } from './what-goes-back.ts';

/** A return as a shop reports it. */
export interface Reversal extends CameBack {
  /** Which lines came back. Their amounts add up to the amount. */
  readonly lines?: readonly ReturnedLine[] | undefined;
  /** The lines of an order, which say what is left where they are those of the purchase. */
  readonly ofOrder?: readonly LineOfOrder[] | undefined;
  readonly commerceId: number;
  readonly purchaseId: number;
  /** One line for the member, typed by staff. */
  readonly reason?: string | undefined;
  /** The request that reports it, if it has an idempotency key. */
  readonly request?: KeyedRequest | undefined;
  /** The operation of its key, `reversal` by default. The keys of different interfaces never meet. */
  readonly operation?: string;
}

export interface Reversed {
  /** Id of its movement. */
  readonly reversalId: number;
  /** Whole currency units taken back. None, if what is still paid for the purchase counts as much as before. */
  readonly amount: number;
  /** Points taken from what waited and from the balance; fewer than were earned if some expired or are forgiven. */
  readonly points: number;
  /** The balance right after it; null if an earlier release did it, which kept none. */
  readonly balance: number | null;
  readonly replayed: boolean;
}

/**
 * A shop takes back a purchase or a part of it, even if the buyer is no longer a member. Points are computed by the rules
 * of the purchase. Points that were spent since become a debt, unless the program says otherwise. Repeating an
 * idempotency key returns the first return. A tier that only this purchase reached is taken away, together with its
 * benefit unless the code was used.
 * @throws UnknownPurchase, CannotBeReversed, KeyReused, Conflict
 */
export async function reversePurchase(tx: Tx, reversal: Reversal): Promise<Audited<Reversed>> {
  const { commerceId, request, operation = 'reversal' } = reversal;
  const call = createKeyedCall(commerceId, operation, request);
  const [outcome] = await runOncePerKey(tx, [call], async () => {
    const taken = await takeItBack(tx, reversal);
    return [{ outcome: taken, result: taken.answer.reversalId }];
  });
  if (outcome?.kind === 'made') return outcome.outcome;
  if (outcome?.kind !== 'repeat') throw new KeyReused();
  return { answer: await readReversal(tx, commerceId, outcome.result), entry: null };
}

/** The effect that a return would have now. Nobody waits for it, so it may be different a moment later. */
export interface ReversalPreview {
  readonly amount: number;
  /** Points that would be taken from what waits and from the balance. */
  readonly points: number;
  /** The balance right after it. */
  readonly balance: number;
  /** The names of the tiers that would be lost with it. */
  readonly lostTiers: readonly string[];
}

/** Decides a return by the same rules, and stores nothing. @throws UnknownPurchase, CannotBeReversed */
export async function previewReversal(
  db: Db,
  { commerceId, purchaseId, ...cameBack }: Pick<Reversal, 'commerceId' | 'purchaseId' | keyof CameBack>,
): Promise<ReversalPreview> {
  const id = await findBuyer(db, commerceId, purchaseId);
  const found = id === undefined ? undefined : await findMember(db, { commerceId, id });
  const commerce = await readCommerce(db, commerceId);
  if (found === undefined || commerce === undefined) throw new UnknownPurchase();
  const [held] = await withLots(db, [found]);
  const member = settled(held!, commerce);
  const purchase = await readPurchaseToReverse(db, member, commerce, purchaseId);

  const part = whatGoesBack(purchase, cameBack, commerce);
  const cardsOf = await readCardsOfPurchase(db, member, purchase, findUnused(db));
  const { member: after, lost } = decideReversal(member, commerce, purchase, part, { cardsOf });
  const movement = after.movements.at(-1)!;
  const { waited = 0 } = movement.snapshot as ReversalSnapshot;
  const { ladder } = commerce.rules.tiers;
  return {
    amount: 0 - movement.amount!,
    points: waited - movement.points,
    balance: movement.balanceAfter!,
    lostTiers: lost.flatMap(({ tierId }) => ladder.find((tier) => tier.id === tierId)?.name ?? []),
  };
}

/**
 * A purchase that nobody has confirmed in time is taken back as a whole, without anybody of the shop. What waits of it is lost, and so is a
 * tier that only this purchase reached.
 * @throws UnknownPurchase, CannotBeReversed
 */
export async function cancelPurchase(
  tx: Tx,
  purchase: Pick<Reversal, 'commerceId' | 'purchaseId'>,
): Promise<void> {
  const { member, movement } = await takeBackPart(tx, purchase, true);
  const { waited = 0 } = movement.snapshot as ReversalSnapshot;
  const { commerceId, id: memberId } = member;
  await storeHappenings(tx, [{ type: 'points.cancelled', commerceId, memberId, facts: { points: waited } }]);
}

async function takeItBack(tx: Tx, reversal: Reversal): Promise<Audited<Reversed>> {
  const { member, movement, movementId, left, cents } = await takeBackPart(tx, reversal);
  const { waited = 0 } = movement.snapshot as ReversalSnapshot;
  const amount = 0 - movement.amount!;
  const points = 0 - movement.points;
  const balance = movement.balanceAfter!;
  return {
    answer: { reversalId: movementId, amount, points: points + waited, balance, replayed: false },
    entry: {
      action: 'purchase.reverse',
      memberId: member.id,
      movementId,
      before: { amount: left, points: balance + points },
      after: { amount: left - amount, points: balance, ...(cents !== 0 && { cents }) },
      personal: { reason: reversal.reason ?? null },
    },
  };
}

/** Locks, decides and stores. */
async function takeBackPart(
  tx: Tx,
  { commerceId, purchaseId, amount, cents, reason, lines, ofOrder }: Reversal,
  isCancelled = false,
) {
  const id = await findBuyer(tx, commerceId, purchaseId);
  const found = id === undefined ? undefined : await lockMember(tx, { commerceId, id });
  const commerce = await readCommerce(tx, commerceId);
  if (found === undefined || commerce === undefined) throw new UnknownPurchase();
  const [held] = await withLots(tx, [found]);
  const member = settled(held!, commerce);
  const purchase = await readPurchaseToReverse(tx, member, commerce, purchaseId);

  const part = whatGoesBack(purchase, { amount, cents }, commerce);
  const linesLeft = await readLinesLeft(tx, commerceId, purchase, part, { lines, ofOrder });
  // Nobody is left to read a note about an erased person. The audit has the reason.
  const typedNote = isErased(found) ? undefined : (reason ?? undefined);
  const cardsOf = isErased(found)
    ? undefined
    : await readCardsOfPurchase(tx, member, purchase, lockUnused(tx));
  const {
    member: after,
    lost,
    stamps,
  } = decideReversal(
    member,
    commerce,
    purchase,
    { ...part, ...(linesLeft !== null && { lines: linesLeft }) },
    { typedNote, isCancelled, cardsOf },
  );
  const movementId = (await storeMovements(tx, [after]))[0]!.at(-1)!;
  await storeStandings(tx, [found], [after], () => commerce);
  await takeTierBenefits(tx, after, lost, commerce.now);
  await storeCards(tx, [{ ...cardsRef(found, purchaseId, commerce), ...stamps, entries: stamps.changed }]);
  await takeFullCards(tx, found, stamps.taken, commerce.now);
  const left = purchase.amount - purchase.reversedAmount;
  return { member: found, movement: after.movements.at(-1)!, movementId, left, cents: part.cents };
}

/** Reads the cards that a purchase stamped. A purchase that stamped none needs no statement. */
export async function readCardsOfPurchase(
  db: Db,
  member: LockedMember,
  { snapshot: { stamps = [] } }: PurchaseToReverse,
  unusedOf: UnusedOf,
): Promise<((kind: string) => CardsOfKind) | undefined> {
  if (stamps.length === 0) return undefined;
  const kinds = stamps.map(({ id }) => id);
  return readCardsOfKinds(db, member, kinds, unusedOf);
}

/** What a change of cards is stored with. */
export function cardsRef({ commerceId, id }: Member, purchaseId: number, { now }: Commerce) {
  return { commerceId, memberId: id, purchaseId, at: now };
}

/** Returns what is left of the lines if the shop says so; null if it goes back in proportion. @throws CannotBeReversed */
async function readLinesLeft(
  db: Db,
  commerceId: number,
  purchase: PurchaseToReverse,
  { amount }: GoesBack,
  { lines, ofOrder }: Pick<Reversal, 'lines' | 'ofOrder'>,
): Promise<readonly KeptLine[] | null> {
  if (lines === undefined && (ofOrder === undefined || purchase.lines === null)) return null;
  const { whole, left } = {
    whole: wholeOfStored(purchase.amount, purchase.snapshot).lines,
    left: purchase.lines,
  };
  const known = { said: await readPurchaseLines(db, commerceId, purchase.id), whole, left };
  if (lines !== undefined) return linesWithout(known, lines);
  return linesKept(known, ofOrder ?? [], purchase.amount - purchase.reversedAmount - amount);
}

/** Returns who made a purchase; undefined if there is none with this id. */
export async function findBuyer(db: Db, commerceId: number, purchaseId: number): Promise<number | undefined> {
  const { rows } = await sql<{ memberId: number }>`-- find-buyer
    select member_id as "memberId"
      from movements
     where commerce_id = ${commerceId} and id = ${purchaseId} and type = 'purchase'`.execute(db);
  return rows[0]?.memberId;
}

interface PurchaseRow {
  readonly id: number;
  readonly at: Date;
  readonly amount: number;
  readonly split: SplitText;
  readonly snapshot: StoredSnapshot;
  readonly reversedAmount: number;
  readonly reversedCents: number;
  readonly hasGrown: boolean;
  readonly wasReleased: boolean;
  readonly wasCancelled: boolean;
  /** The lines after its last return or correction; null if it had none, or no lines. */
  readonly keptLines: readonly KeptLine[] | null;
  /** The splits of its corrections, and of points that became available. */
  readonly grown: readonly SplitText[];
  readonly anyExpired: boolean;
}

/** Reads the purchase after the member is locked, so the second of two concurrent returns sees the first. */
export async function readPurchaseToReverse(
  db: Db,
  member: LockedMember,
  commerce: Commerce,
  purchaseId: number,
): Promise<PurchaseToReverse & PaidPurchase> {
  const { commerceId } = member;
  const { rows } = await sql<PurchaseRow>`-- read-purchase-to-reverse
    select p.id, p.at, p.amount, p.split, p.snapshot,
           r.amount as "reversedAmount", r.cents as "reversedCents", r.has_grown as "hasGrown", r.grown, r.kept_lines as "keptLines",
           r.was_released as "wasReleased", r.was_cancelled as "wasCancelled",
           exists (select from movements e
                    where e.commerce_id = p.commerce_id and e.member_id = p.member_id
                      and e.id > p.id and e.type in ('expiry', 'redate')) as "anyExpired"
      from movements p
     cross join lateral (
           select coalesce(-sum(b.amount), 0)::bigint as amount,
                  coalesce(sum((b.snapshot ->> 'cents')::bigint), 0)::bigint as cents,
                  coalesce(bool_or(b.type = 'correction'), false) as has_grown,
                  coalesce(bool_or(b.type = 'available'), false) as was_released,
                  coalesce(bool_or(b.snapshot ? 'cancelled'), false) as was_cancelled,
                  (array_agg(b.snapshot -> 'lines' order by b.id desc) filter (where b.type <> 'available'))[1] as kept_lines,
                  coalesce(jsonb_agg(b.split order by b.id) filter (where b.type in ('correction', 'available')), '[]') as grown
             from movements b
            where b.commerce_id = p.commerce_id and b.reverses_id = p.id) r
     where p.commerce_id = ${commerceId} and p.id = ${purchaseId}`.execute(db);
  const row = rows[0]!;
  const anyExpired = row.anyExpired || member.lots.some((lot) => lot.expiresOn < commerce.today);
  // What has become available is not in the ledger yet.
  const unwritten = member.movements.map(({ type, split, reversesId }) => ({
    type,
    split,
    ofThisPurchase: reversesId === purchaseId,
    forgiven: [],
  }));
  const own = unwritten.filter(({ ofThisPurchase }) => ofThisPurchase);
  const later = anyExpired ? [...(await readLater(db, member, purchaseId)), ...unwritten] : [];
  const climbs = await readClimbs(db, member.id, commerce, row);
  const grown = [...row.grown.map(readSplit), ...own.map(({ split }) => split)].flatMap(broughtBy);
  const wasReleased = row.wasReleased || own.length > 0;
  const lines = row.keptLines ?? wholeOfStored(row.amount, row.snapshot).lines;
  return { ...row, split: readSplit(row.split), grown, wasReleased, lines, later, ...climbs };
}

interface LaterRow {
  readonly type: MovementType;
  readonly split: SplitText;
  readonly reversesId: number | null;
  readonly forgiven: SplitText | null;
}

async function readLater(db: Db, { commerceId, id }: LockedMember, purchaseId: number) {
  // Two selects, because two partial indexes cover different types.
  const { rows } = await sql<LaterRow>`-- read-later-movements
    select type, split, reverses_id as "reversesId", snapshot -> 'forgiven' as forgiven
      from (select * from movements
             where commerce_id = ${commerceId} and member_id = ${id} and id > ${purchaseId}
               and type not in ('expiry', 'redate')
             union all
            select * from movements
             where commerce_id = ${commerceId} and member_id = ${id} and id > ${purchaseId}
               and type in ('expiry', 'redate')) m
     order by m.id`.execute(db);
  return rows.map(({ type, split, reversesId, forgiven }) => ({
    type,
    split: readSplit(split),
    ofThisPurchase: reversesId === purchaseId,
    forgiven: readSplit(type === 'reversal' ? (forgiven ?? []) : []),
  }));
}

async function readReversal(db: Db, commerceId: number, id: number): Promise<Reversed> {
  const { rows } = await sql<Omit<Reversed, 'replayed'>>`-- read-reversal
    select id as "reversalId", -amount as amount, -(${shownPoints('r')}) as points, balance_after as balance
      from movements r
     where commerce_id = ${commerceId} and id = ${id} and type = 'reversal'`.execute(db);
  const row = rows[0];
  if (row === undefined) throw new Error('the movement of an idempotency key is gone');
  return { ...row, replayed: true };
}
