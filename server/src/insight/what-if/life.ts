/**
 * One member's points and tier as they develop, movement by movement. Everything is decided by the functions that decide
 * calls. A life remembers what later movements refer to: purchases that will be reversed, and the points that benefits cost.
 */
import type { Commerce } from '#commerces/commerce.ts';
import { canSetDay, decideAdjustment } from '#corrections/decide-adjustment.ts';
import { addDays, localDay } from '#calendar/calendar.ts';
import { placeOnLadder } from '#enrolment/place-on-ladder.ts';
import { coverStanding, uncoverStanding } from '#members/cover-standing.ts';
import { isActive } from '#members/eligibility.ts';
import type { Member } from '#members/member.ts';
import { withoutPoints } from '#points/end-points.ts';
import { wholeOfStored } from '#points/factors-of.ts';
import type { LaterMovement } from '#points/expired-of.ts';
import { withoutExpired } from '#points/expired-days.ts';
import type { LockedMember, MovementType, NewMovement } from '#points/locked-member.ts';
import { broughtBy, withSplit, type Split } from '#points/lots.ts';
import { neededAt } from '#points/past-purchases.ts';
import { withAvailable, type PendingPoints } from '#points/pending.ts';
import type { PurchaseFacts } from '#points/purchase-facts.ts';
import { readSplit, type SplitText } from '#points/split-text.ts';
import { Problem } from '#problems/problem.ts';
import type { Rules } from '#program/rules.ts';
import { countedAtOf } from '#purchases/counted-at.ts';
import { decideGrowth } from '#purchases/decide-growth.ts';
import { decidePurchase, type Late, type StoredSnapshot } from '#purchases/decide-purchase.ts';
import { decideReversal, type PurchaseToReverse, type ReversalSnapshot } from '#purchases/decide-reversal.ts';
import type { GoesBack } from '#purchases/what-goes-back.ts';
import { climbsOf, NO_CLIMBS, type ClimbRow, type ReturnRow } from '#purchases/read-climbs.ts';
import { creditPoints } from '#tiers/credit-points.ts';
import type { HeldTier } from '#tiers/held-at.ts';
import { noTier, standingAt } from '#tiers/standing.ts';
import { stepBetween } from '#tiers/step-between.ts';
import { tierById } from '#tiers/ladder.ts';
import { decideGiveBack } from '#vouchers/give-back-voucher.ts';
import { payForBenefit } from '#vouchers/pay-for-benefit.ts';
import {
  cardsOfKind,
  changeCards,
  forgetCards,
  forkCards,
  noCards,
  openCards,
  type Cards,
} from './cards-of-life.ts';
import { CountedPurchases } from './counted-purchases.ts';
import type { Person, Recorded } from './read-history.ts';

export interface Life {
  member: LockedMember;
  /** False until the person joins or something happens to them. */
  hasBegun: boolean;
  /** The moments of the person's membership that are still to come, earliest first. */
  moments: readonly Moment[];
  readonly memory: Memory;
}

/** Something that changes a membership. Only an erasure moves points. */
interface Moment {
  readonly at: Date;
  readonly happen: (member: LockedMember, commerce: Commerce) => LockedMember;
  readonly forgetsCards?: boolean;
}

interface Memory {
  /** Purchases that are reversed later, or may be cancelled, by id. */
  readonly purchases: Map<number, Remembered>;
  readonly returns: ReturnRow[];
  /** Growth of these purchases that reached tiers. */
  readonly growths: ClimbRow[];
  /** All movements since the first of these purchases. */
  readonly later: {
    readonly id: number;
    readonly movement: Omit<LaterMovement, 'ofThisPurchase'>;
    readonly reversesId: number | null;
  }[];
  /** The points that benefits cost, by code. */
  readonly taken: Map<number, Split>;
  /** Purchases that count for limits, by id. */
  readonly counted: CountedPurchases;
  readonly cards: Cards;
  /** When the tier changed, and what was held before. */
  readonly steps: { readonly at: Date; readonly before: HeldTier }[];
}

type Remembered = Pick<
  PurchaseToReverse,
  | 'id'
  | 'at'
  | 'amount'
  | 'split'
  | 'grown'
  | 'snapshot'
  | 'reversedAmount'
  | 'wasReleased'
  | 'wasCancelled'
  | 'lines'
>;

/** Why a movement of the ledger has none under these rules. */
export type Refused = 'impossible' | 'nothing to do';

/** Begins the life of a person, before everything that the ledger has about them. */
export function beginLife({ member, erasedAt }: Person): Life {
  const pinned = member.standing.beneath === null ? null : member.standing;
  const moments: Moment[] = [];
  const add = (at: Date | null, happen: Moment['happen'], more: Partial<Moment> = {}) => {
    if (at !== null) moments.push({ at, happen, ...more });
  };
  add(member.enrolledAt, (one, commerce) => {
    const entered = { ...one, state: 'member' as const, enrolledAt: member.enrolledAt, code: member.code };
    return isActive(entered) ? placeOnLadder(entered, commerce).member : entered;
  });
  add(member.blockedAt, (one) => ({ ...one, blockedAt: member.blockedAt }));
  add(member.leftAt, (one) => ({ ...one, state: 'left', leftAt: member.leftAt }));
  add(pinned && pinned.reachedAt, (one, commerce) => {
    const isKnown = pinned!.tierId === null || tierById(pinned!.tierId, commerce.rules.tiers) !== null;
    const { standing } = standingAt(one, commerce.rules, commerce.now);
    return isKnown
      ? { ...one, standing: coverStanding(uncoverStanding(standing), pinned!.tierId, commerce.now) }
      : one;
  });
  // Where nothing was left to end, the ledger has no row for it.
  add(erasedAt, (one, commerce) => withoutPoints({ ...one, email: null, remainder: null }, commerce), {
    forgetsCards: true,
  });
  return {
    member: { ...unknown(member), lots: [], pending: [], past: [], movements: [] },
    hasBegun: false,
    moments: moments.sort((a, b) => a.at.getTime() - b.at.getTime()),
    memory: {
      purchases: new Map(),
      returns: [],
      growths: [],
      later: [],
      taken: new Map(),
      counted: new CountedPurchases(),
      cards: noCards(),
      steps: [],
    },
  };
}

/** The row of a person as it was before anything happened. Until they are erased, a person has some address. */
function unknown(member: Member): Member {
  return {
    ...member,
    state: 'invited',
    email: member.email ?? '',
    code: null,
    enrolledAt: null,
    leftAt: null,
    blockedAt: null,
    figures: { points: 0, amount: 0 },
    purchases: 0,
    movedOn: null,
    standing: noTier,
    remainder: null,
  };
}

/** Returns a life that goes on from here by itself. */
export function forkLife({ member, hasBegun, moments, memory }: Life): Life {
  return {
    member,
    hasBegun,
    moments,
    memory: {
      purchases: new Map(memory.purchases),
      returns: [...memory.returns],
      growths: [...memory.growths],
      later: [...memory.later],
      taken: new Map(memory.taken),
      counted: memory.counted.fork(),
      cards: forkCards(memory.cards),
      steps: [...memory.steps],
    },
  };
}

/** Lets the moments up to an instant come. Returns the movements of points. */
export function passTime(
  life: Life,
  until: Date,
  commerceAt: (at: Date) => Commerce,
): readonly NewMovement[] {
  const moved: NewMovement[] = [];
  while (life.moments.length > 0 && life.moments[0]!.at <= until) {
    const [{ at, happen, forgetsCards }, ...rest] = life.moments as [Moment, ...Moment[]];
    const commerce = commerceAt(at);
    const after = happen(life.member, commerce);
    moved.push(...after.movements);
    if (forgetsCards === true) forgetCards(life.memory.cards);
    becomes(life, after, commerce);
    life.moments = rest;
    life.hasBegun = true;
  }
  return moved;
}

/** Lets points that wait come to their instants, and the moments between them. Returns the movements, with the id that they are recalled by. */
export function passWaiting(
  life: Life,
  until: Date,
  commerceAt: (at: Date) => Commerce,
  rulesOf: (version: number) => Rules,
  id: number,
): readonly NewMovement[] {
  const moved: NewMovement[] = [];
  for (;;) {
    const due = nextDue(life.member, until);
    const instant = due?.dueAt ?? until;
    for (const movement of passTime(life, instant, commerceAt)) {
      recall(life, id, movement);
      moved.push(movement);
    }
    if (due === undefined) return moved;
    // An erasure has ended what waited.
    if (!life.member.pending.includes(due)) continue;
    const commerce = commerceAt(instant);
    const after = comeDue(life, due, commerce, rulesOf);
    if (after === null) {
      const pending = life.member.pending.filter((one) => one !== due);
      life.member = { ...life.member, pending };
      continue;
    }
    becomes(life, after, commerce);
    for (const movement of after.movements) {
      rememberDue(life, id, movement);
      moved.push(movement);
    }
  }
}

/** The member stands as was decided, and the life remembers that another tier was held before. */
export function becomes(life: Life, after: LockedMember, commerce: Commerce): void {
  const { standing } = life.member;
  const step = stepBetween(standing, after.standing, commerce);
  if (step !== null) life.memory.steps.push({ at: step.at, before: standing });
  life.member = { ...after, movements: [] };
}

function nextDue({ pending }: LockedMember, until: Date): PendingPoints | undefined {
  return pending
    .filter(({ dueAt }) => dueAt <= until)
    .sort((a, b) => a.dueAt.getTime() - b.dueAt.getTime() || a.purchaseId! - b.purchaseId!)[0];
}

/** Returns the member after points became available, or after nobody had confirmed the purchase; null if the rules refuse that. */
function comeDue(
  { member, memory }: Life,
  due: PendingPoints,
  commerce: Commerce,
  rulesOf: (version: number) => Rules,
): LockedMember | null {
  try {
    if (due.becomes === 'available') return withAvailable(member, due, due.dueAt, commerce);
    const purchase = memory.purchases.get(due.purchaseId!);
    const left = purchase === undefined ? 0 : purchase.amount - purchase.reversedAmount;
    if (left === 0) return null;
    const after = reverse(
      member,
      memory,
      { purchaseId: due.purchaseId!, amount: left, isCancelled: true },
      commerce,
      rulesOf,
    );
    return typeof after === 'string' ? null : after;
  } catch (error) {
    if (error instanceof Problem) return null;
    throw error;
  }
}

function rememberDue(life: Life, id: number, movement: NewMovement): void {
  const { reversesId, amount, pointsEarned } = movement;
  if (movement.type === 'available') rememberAvailable(life.memory, reversesId!, movement.split);
  else
    rememberReturn(
      life.memory,
      id,
      reversesId!,
      { amount: 0 - amount!, points: 0 - pointsEarned! },
      linesAfter(movement),
    );
  recall(life, id, movement, reversesId);
}

/** Writes off what has expired before a day. Returns the movements. */
export function writeOff(life: Life, today: string, timeZone: string, id: number): readonly NewMovement[] {
  const { movements, ...member } = withoutExpired(life.member, today, timeZone);
  if (movements.length === 0) return movements;
  life.member = { ...member, movements: [] };
  for (const movement of movements) recall(life, id, movement);
  return movements;
}

/**
 * Lets a movement of the ledger happen under the commerce's rules, and returns the movements that it is then. It happened, so the person
 * could take part; a movement that the rules refuse for another reason is impossible.
 * @param followsRules true if time brings what waits to its instant; otherwise the ledger says when
 */
export function letHappen(
  life: Life,
  row: Recorded,
  commerce: Commerce,
  rulesOf: (version: number) => Rules,
  { followsRules }: { readonly followsRules: boolean },
): readonly NewMovement[] | Refused {
  life.hasBegun = true;
  try {
    const after = decide(life, row, commerce, rulesOf, followsRules);
    if (typeof after === 'string') return after;
    becomes(life, after, commerce);
    return after.movements;
  } catch (error) {
    if (error instanceof Problem) return 'impossible';
    throw error;
  }
}

function decide(
  { member, memory }: Life,
  row: Recorded,
  commerce: Commerce,
  rulesOf: (version: number) => Rules,
  followsRules: boolean,
): LockedMember | Refused {
  switch (row.type) {
    case 'purchase': {
      const present = member.state === 'left' || member.blockedAt !== null ? comeBack(member) : member;
      const facts = factsOf(row);
      const late = lateOf(row, memory);
      const needed = neededAt([facts.at, late?.arrivedAt ?? facts.at], commerce.rules.earning);
      const past = memory.counted.needed(needed);
      const { member: after, stamped } = decidePurchase({ ...present, past }, commerce, facts, {
        late,
        // Where the ledger is followed, it says what was stamped.
        ...(followsRules && { cards: openCards(memory.cards) }),
      });
      if (followsRules) changeCards(memory.cards, stamped);
      const { state, leftAt, blockedAt } = member;
      return confirmedIfUnknown(
        { ...after, ...named(after, row.id), state, leftAt, blockedAt },
        row,
        commerce,
      );
    }
    case 'available': {
      const pending = member.pending.find(({ purchaseId }) => purchaseId === row.reversesId);
      const { confirmed } = (row.snapshot ?? {}) as { confirmed?: true };
      if (pending === undefined || (confirmed === undefined && followsRules)) return 'nothing to do';
      return withAvailable(member, pending, new Date(row.atMs), commerce);
    }
    case 'correction': {
      const purchase = memory.purchases.get(row.reversesId!);
      if (purchase === undefined) return 'nothing to do';
      const { state, leftAt, blockedAt } = member;
      const present = state === 'left' || blockedAt !== null ? comeBack(member) : member;
      const { member: after, stamps } = decideGrowth(
        present,
        commerce,
        purchase,
        row.amount!,
        cardsOfKind(memory.cards),
      );
      if (stamps !== null) changeCards(memory.cards, stamps);
      return { ...after, state, leftAt, blockedAt };
    }
    case 'reversal': {
      const { cancelled } = row.snapshot as { cancelled?: true };
      // Under these rules, time brings it or does not.
      if (cancelled !== undefined && followsRules) return 'nothing to do';
      const isCancelled = cancelled !== undefined;
      const purchaseId = row.reversesId!;
      const back = { purchaseId, amount: 0 - row.amount!, isCancelled, ...linesLeft(row) };
      return reverse(member, memory, back, commerce, rulesOf);
    }
    case 'exchange': {
      const { benefit = '' } = (row.snapshot ?? {}) as { benefit?: string };
      const paid = payForBenefit(member, commerce, { id: benefit, cost: 0 - row.points }, row.voucherCode!);
      return paid ?? 'impossible';
    }
    case 'give_back': {
      const taken = memory.taken.get(row.voucherCode!);
      return taken === undefined
        ? 'nothing to do'
        : decideGiveBack(member, taken, commerce, row.voucherCode!, undefined);
    }
    case 'reward':
      return creditPoints(member, commerce, row.pointsEarned, { type: 'reward' }).member;
    case 'adjustment': {
      const { erased, expiresOn } = (row.snapshot ?? {}) as { erased?: boolean; expiresOn?: string };
      if (erased === true) return 'nothing to do'; // it came as a moment
      const day = expiresOn !== undefined && canSetDay(commerce.rules) ? expiresOn : undefined;
      return decideAdjustment(member, commerce, { points: row.pointsEarned, reason: '', expiresOn: day })
        .member;
    }
    default:
      return 'nothing to do';
  }
}

/** Returns what is known of a purchase of the ledger. */
export function factsOf({ amount, atMs, branchId, registerId, snapshot, lines }: Recorded): PurchaseFacts {
  const { channel = null } = (snapshot ?? {}) as { channel?: string };
  return { amount: amount!, at: new Date(atMs), branchId, registerId, channel, lines };
}

/** Returns what an order that was paid earlier depends on; null for all else. */
function lateOf({ snapshot, atMs }: Recorded, { steps }: Memory): Late | null {
  const { arrived } = (snapshot ?? {}) as { arrived?: number };
  if (arrived === undefined) return null;
  const heldThen = steps.find(({ at }) => at.getTime() > atMs)?.before;
  return { isLatest: false, arrivedAt: new Date(arrived), heldThen: heldThen ?? null };
}

/** Returns what was left of the lines of a purchase after a return of the ledger, which may have said which lines came back. */
function linesLeft({ snapshot }: Recorded): Pick<GoesBack, 'lines'> {
  const { lines, byLines } = (snapshot ?? {}) as ReversalSnapshot;
  return lines === undefined || byLines !== true ? {} : { lines };
}

/** Returns what waits, with the id of the purchase that has just been made. */
function named({ pending }: LockedMember, id: number): Pick<LockedMember, 'pending'> {
  return { pending: pending.map((one) => (one.purchaseId === null ? { ...one, purchaseId: id } : one)) };
}

/** Where no purchase had to be confirmed, nobody knows which would have been. They count as confirmed at once. */
function confirmedIfUnknown(
  member: LockedMember,
  { id, snapshot, atMs }: Recorded,
  commerce: Commerce,
): LockedMember {
  const pending = member.pending.find(({ purchaseId }) => purchaseId === id);
  const { waits } = snapshot as StoredSnapshot;
  if (pending?.becomes !== 'cancelled' || waits?.becomes === 'cancelled') return member;
  return withAvailable(member, pending, new Date(atMs), commerce);
}

/** Anyone who bought something took part then. */
function comeBack(member: LockedMember): LockedMember {
  return {
    ...member,
    state: member.enrolledAt === null ? 'invited' : 'member',
    leftAt: null,
    blockedAt: null,
  };
}

function reverse(
  member: LockedMember,
  { purchases, returns, growths, later, cards }: Memory,
  {
    purchaseId,
    amount,
    isCancelled,
    ...lines
  }: Pick<GoesBack, 'amount' | 'lines'> & { readonly purchaseId: number; readonly isCancelled: boolean },
  commerce: Commerce,
  rulesOf: (version: number) => Rules,
): LockedMember | Refused {
  const purchase = purchases.get(purchaseId);
  if (purchase === undefined) return 'nothing to do';
  const { id } = purchase;
  const returned = new Set([id, ...returns.map(({ purchaseId }) => purchaseId)]);
  const ownRows = [...returned].flatMap((one) => {
    const { at, snapshot } = purchases.get(one)!;
    return snapshot.climbed === undefined ? [] : [{ id: one, purchaseId: one, at, snapshot } as ClimbRow];
  });
  const climbRows = [...ownRows, ...growths.filter(({ purchaseId }) => returned.has(purchaseId))];
  const climbs = climbsOf(id, climbRows, returns, rulesOf, commerce);
  const decided = decideReversal(
    member,
    commerce,
    {
      ...purchase,
      ...(climbs.climbs.length === 0 ? NO_CLIMBS : climbs),
      later: later
        .filter((one) => one.id > id)
        .map(({ movement, reversesId }) => ({ ...movement, ofThisPurchase: reversesId === id })),
    },
    { amount, cents: 0, ...lines },
    { isCancelled, cardsOf: cardsOfKind(cards) },
  );
  changeCards(cards, decided.stamps);
  return decided.member;
}

/** The facts that a life keeps of a movement. */
export interface Kept {
  readonly type: MovementType;
  readonly split: Split;
  readonly pointsEarned?: number;
  readonly snapshot?: unknown;
}

/** Returns what a return or a correction left of the lines of its purchase, if it had any. */
function linesAfter({ snapshot }: Kept): Pick<Remembered, 'lines'> | object {
  const { lines } = (snapshot ?? {}) as ReversalSnapshot;
  return lines === undefined ? {} : { lines };
}

/** Remembers a movement as far as later ones refer to it. */
export function remember(life: Life, row: Recorded, movement: Kept): void {
  const { purchases, growths, taken, counted } = life.memory;
  if (row.type === 'purchase' && movement.type === 'purchase') {
    const { used = [] } = movement.snapshot as { used?: readonly string[] };
    counted.add(row.id, { at: new Date(row.atMs), used, points: movement.pointsEarned ?? 0 });
  }
  const changed = row.reversesId === null ? undefined : counted.get(row.reversesId);
  if (changed !== undefined)
    counted.setPoints(row.reversesId!, changed.points + (movement.pointsEarned ?? 0));
  if (row.type === 'purchase' && movement.type === 'purchase' && (row.isReversed || waitsForShop(movement)))
    purchases.set(row.id, {
      id: row.id,
      at: new Date(row.atMs),
      amount: row.amount!,
      split: movement.split,
      grown: [],
      snapshot: movement.snapshot as StoredSnapshot,
      reversedAmount: 0,
      wasReleased: false,
      wasCancelled: false,
      lines: wholeOfStored(row.amount!, movement.snapshot as StoredSnapshot).lines,
    });
  if (movement.type === 'available') {
    const purchaseId = row.type === 'available' ? row.reversesId! : row.id;
    rememberAvailable(life.memory, purchaseId, movement.split);
    recall(life, row.id, movement, purchaseId);
    return;
  }
  if (row.type === 'correction') {
    const purchase = purchases.get(row.reversesId!)!;
    purchases.set(purchase.id, {
      ...purchase,
      grown: withSplit(purchase.grown, broughtBy(movement.split)),
      reversedAmount: purchase.reversedAmount - row.amount!,
      ...linesAfter(movement),
    });
    const snapshot = movement.snapshot as ClimbRow['snapshot'];
    if ('climbed' in snapshot)
      growths.push({ id: row.id, purchaseId: purchase.id, at: new Date(row.atMs), snapshot });
  }
  if (row.type === 'reversal')
    rememberReturn(
      life.memory,
      row.id,
      row.reversesId!,
      { amount: 0 - row.amount!, points: 0 - (movement.pointsEarned ?? 0) },
      linesAfter(movement),
    );
  if (row.type === 'exchange') {
    const { taken: split } = (movement.snapshot ?? {}) as { taken?: Split };
    taken.set(row.voucherCode!, split ?? movement.split);
  }
  if (row.type === 'give_back') taken.delete(row.voucherCode!);
  recall(life, row.id, movement, row.reversesId);
}

function waitsForShop({ snapshot }: Kept): boolean {
  return (snapshot as StoredSnapshot).waits?.becomes === 'cancelled';
}

function rememberAvailable({ purchases }: Memory, purchaseId: number, split: Split): void {
  const purchase = purchases.get(purchaseId);
  if (purchase === undefined) return;
  const grown = withSplit(purchase.grown, broughtBy(split));
  purchases.set(purchaseId, { ...purchase, grown, wasReleased: true });
}

function rememberReturn(
  { purchases, returns, counted }: Memory,
  id: number,
  purchaseId: number,
  taken: { readonly amount: number; readonly points: number },
  lines: Pick<Remembered, 'lines'> | object,
): void {
  const purchase = purchases.get(purchaseId)!;
  const reversedAmount = purchase.reversedAmount + taken.amount;
  if (purchase.amount === reversedAmount) counted.delete(purchaseId);
  purchases.set(purchaseId, { ...purchase, reversedAmount, ...lines });
  returns.push({ id, purchaseId, countedAt: countedAtOf(purchase), taken });
}

/** Remembers a movement that later returns must know, without what it refers to itself. */
export function recall(
  { memory }: Life,
  id: number,
  { type, split, snapshot }: Kept,
  reversesId: number | null = null,
): void {
  if (memory.purchases.size === 0) return;
  const { forgiven = [] } = (type === 'reversal' ? snapshot : {}) as { forgiven?: SplitText };
  memory.later.push({ id, movement: { type, split, forgiven: readSplit(forgiven) }, reversesId });
}

/** Returns the day after an instant, on which what expired at its end is gone. */
export function dayAfter(at: Date, timeZone: string): string {
  return addDays(localDay(at, timeZone), 1);
}
