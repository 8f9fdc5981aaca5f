import { SetAside, type WaitFor } from '#batching/waiting.ts';
import { readCommerces, type Commerce } from '#commerces/commerce.ts';
import {
  createKeyedCall,
  KeyReused,
  runOncePerKeys,
  type KeyedCall,
  type Mismatch,
  type NewOutcome,
} from '#batching/idempotency.ts';
import { digestOf, fingerprintOfBody, type Fields, type KeyedRequest } from '#batching/keyed-request.ts';
import type { Tx } from '#db/database.ts';
import { Problem } from '#problems/problem.ts';
import { invitePeople, NO_INVITATION_LIMIT, type InvitationLimit } from '#members/invite-people.ts';
import {
  lockFreeMembers,
  nameOfMember,
  namesOfMember,
  placesOfMembers,
  type FreeMembers,
  type MemberRef,
} from '#members/lock-members.ts';
import { UnknownMember } from '#members/refusals.ts';
import type { Member } from '#members/member.ts';
import { withLots, type LockedMember } from '#points/locked-member.ts';
import { neededAt, neededByBoth, withPast, type CountedMember } from '#points/past-purchases.ts';
import { settled } from '#points/pending.ts';
import { sayTheSame, type PurchaseFacts, type SaidFacts } from '#points/purchase-facts.ts';
import { storeMovements } from '#points/store-movements.ts';
import { giveTierBenefits, type TierReached } from '#rewards/give-tier-benefits.ts';
import { tellOfTiers } from '#rewards/tell-of-tiers.ts';
import type { Stamped } from '#stamps/decide-stamps.ts';
import { giveFullCards } from '#stamps/give-full-cards.ts';
import { nameOfHolder, readOpenCards } from '#stamps/read-cards.ts';
import { toldStamps, type ToldStamps } from '#stamps/shown-cards.ts';
import { storeCards } from '#stamps/store-cards.ts';
import type { StampCard } from '#stamps/stamp-card.ts';
import { storeStandings } from '#tiers/store-standings.ts';
import { decidePurchase, refusalOf, type Late } from './decide-purchase.ts';
import { inviteStrangers } from './invite-strangers.ts';
import {
  findOrdersWithoutPurchase,
  nameOfOrder,
  OrderCancelled,
  OrderOpen,
} from './orders-without-purchase.ts';
import { externalIdIn, ORDER_PRINT, orderKey, ORDERS, readRecorded } from './recorded-purchases.ts';

/** A purchase as a shop reports it. */
export interface PurchaseCall extends SaidFacts {
  readonly commerceId: number;
  readonly buyer: { readonly code: number } | { readonly email: string } | { readonly id: number };
  /** The request that reports it, if it has an idempotency key. */
  readonly request?: KeyedRequest | undefined;
  /** The operation of its key, `purchase` by default. The keys of different interfaces never meet. */
  readonly operation?: string;
  /** The shop's own id of the purchase, if it gives one, with the validated body that it came in. */
  readonly order?: { readonly externalId: string; readonly body: Fields } | undefined;
  /** For an import: the key and the content of the row. The key never collides with a shop's own keys. */
  readonly importedRow?: { readonly key: string; readonly content: string };
  /** An import sends no invitations, and no other mails, unless requested. */
  readonly invite?: boolean;
  /** The amount paid above `amount`, in the smallest unit of the currency. */
  readonly cents?: number;
  /** When it was made, if it is reported later, and whether nothing has happened to the buyer since then. */
  readonly late?: Late & Pick<PurchaseFacts, 'at'>;
}

/** The outcome of one purchase: recorded now, recorded by an earlier call with the same key or id, or refused. */
export type PurchaseOutcome =
  | {
      readonly recorded: true;
      readonly purchaseId: number;
      readonly pointsEarned: number;
      /** Those of them that wait before they can be spent. */
      readonly pointsWaiting: number;
      /** What it stamped on each kind of card. */
      readonly stamps: readonly ToldStamps[];
      /** Right after the purchase. Null if nobody was told: of an import, or of an earlier release. */
      readonly balance: number | null;
      readonly replayed: boolean;
      /** Null if the purchase reached no tier or is a repeat. */
      readonly climb: PurchaseClimb | null;
    }
  | { readonly recorded: false; readonly problem: Problem };

export interface PurchaseClimb {
  readonly memberId: number;
  /** The highest tier that the purchase reached. */
  readonly tierId: string;
  /** The number of codes that the member got for tiers. */
  readonly codes: number;
}

/** The shop has recorded another purchase with this `external_id`. */
export class DuplicateExternalId extends Problem {
  constructor() {
    super(
      409,
      'duplicate_external_id',
      'another purchase was recorded with this external_id: repeat a call with the same body, or give each purchase an id of its own',
    );
  }
}

/**
 * A shop reports purchases, and members earn points. Updates figures, tiers and tier benefits too, in the caller's
 * transaction. Takes one purchase or many. Each is decided on the state that the earlier ones left. Returns one outcome
 * for each call, in order. A refused purchase does not affect the others. Repeating an idempotency key returns the first
 * call's purchase. Waits for members that are locked elsewhere, or sets their
 * purchases aside, as `waitFor` says.
 */
export function recordPurchases(
  tx: Tx,
  calls: readonly PurchaseCall[],
  waitFor?: 'all',
  invitations?: InvitationLimit,
): Promise<PurchaseOutcome[]>;
export function recordPurchases(
  tx: Tx,
  calls: readonly PurchaseCall[],
  waitFor: WaitFor,
  invitations?: InvitationLimit,
): Promise<(PurchaseOutcome | SetAside)[]>;
export async function recordPurchases(
  tx: Tx,
  calls: readonly PurchaseCall[],
  waitFor: WaitFor = 'all',
  invitations: InvitationLimit = NO_INVITATION_LIMIT,
): Promise<(PurchaseOutcome | SetAside)[]> {
  const outcomes = await runOncePerKeys(
    tx,
    calls.map(keyedCallsOf),
    (places) =>
      recordNew(
        tx,
        places.map((place) => calls[place]!),
        waitFor,
        invitations,
      ),
    { findSame: (mismatches) => findSamePurchases(tx, calls, mismatches) },
  );
  const repeated = await readRecorded(
    tx,
    outcomes.flatMap((outcome, i) =>
      outcome.kind === 'repeat' ? [{ commerceId: calls[i]!.commerceId, id: outcome.result }] : [],
    ),
  );
  return outcomes.map((outcome) => {
    if (outcome.kind === 'made') return outcome.outcome;
    if (outcome.kind === 'reused') {
      const isOrder = outcome.call.operation === ORDERS;
      return { recorded: false, problem: isOrder ? new DuplicateExternalId() : new KeyReused() };
    }
    const { id: purchaseId, pointsEarned, pointsWaiting, stamps, balance } = repeated.get(outcome.result)!;
    return {
      recorded: true,
      purchaseId,
      pointsEarned,
      pointsWaiting,
      stamps: toldStamps(stamps),
      balance,
      replayed: true,
      climb: null,
    };
  });
}

/**
 * A call and a row of a file with the same `external_id` can be the same purchase, though their fingerprints always differ:
 * they are if the buyer and all facts but the time are those that were recorded. A call has no date to compare. What an order has
 * recorded is the same if the buyer and the amount are.
 */
async function findSamePurchases(
  tx: Tx,
  calls: readonly PurchaseCall[],
  mismatches: readonly Mismatch[],
): Promise<Set<Mismatch>> {
  const doubtful = mismatches.filter(
    ({ call, first }) =>
      call.operation === ORDERS && (isOfOrder(first) || (call.fromCall === true) !== first.fromCall),
  );
  const recorded = await readRecorded(
    tx,
    doubtful.map(({ call: { commerceId }, first }) => ({ commerceId, id: first.result })),
  );
  return new Set(
    doubtful.filter(({ place, first }) => {
      const { buyer, ...facts } = calls[place]!;
      const { code, email, ...purchase } = recorded.get(first.result)!;
      const isBuyer = ('code' in buyer && buyer.code === code) || ('email' in buyer && buyer.email === email);
      return isBuyer && (isOfOrder(first) ? facts.amount === purchase.amount : sayTheSame(facts, purchase));
    }),
  );
}

function isOfOrder({ fingerprint }: Mismatch['first']): boolean {
  return fingerprint.equals(ORDER_PRINT);
}

/** Returns the refusals of purchases whose id is that of an order which has none: the shop says by that order when it is paid. */
async function refuseOrders(tx: Tx, calls: readonly PurchaseCall[]): Promise<Map<PurchaseCall, Problem>> {
  const named = calls.flatMap((call) => {
    const externalId = externalIdOfCall(call);
    return externalId === null ? [] : [{ commerceId: call.commerceId, externalId, call }];
  });
  const statuses = await findOrdersWithoutPurchase(tx, named);
  return new Map(
    named.flatMap((one) => {
      const status = statuses.get(nameOfOrder(one));
      return status === undefined ? [] : [[one.call, ORDER_REFUSALS[status]()] as const];
    }),
  );
}

const ORDER_REFUSALS = {
  open: () => new OrderOpen(),
  cancelled: () => new OrderCancelled(),
  paid: () => new DuplicateExternalId(),
};

function externalIdOfCall({ order, importedRow }: PurchaseCall): string | null {
  return order?.externalId ?? (importedRow === undefined ? null : externalIdIn(importedRow.key));
}

/** Refusals that are known before the buyers are. */
interface Refusals {
  readonly ofOrders: ReadonlyMap<PurchaseCall, Problem>;
  /** If the buyer is a stranger: such a purchase would be refused for anybody. */
  readonly ofStrangers: ReadonlyMap<PurchaseCall, Problem>;
}

/** Loads under lock, decides and stores. */
async function recordNew(
  tx: Tx,
  calls: readonly PurchaseCall[],
  waitFor: WaitFor,
  invitations: InvitationLimit,
): Promise<NewOutcome<PurchaseOutcome | SetAside>[]> {
  const ofOrders = await refuseOrders(tx, calls);
  const ofStrangers = await makeRoom(
    tx,
    calls.filter((call) => !ofOrders.has(call)),
  );
  const refused: Refusals = { ofOrders, ofStrangers };
  const { members, busy } = await lockBuyers(tx, calls, refused, waitFor);
  const [held, commerces] = await Promise.all([
    withLots(tx, members),
    readCommerces(tx, [...new Set(calls.map((call) => call.commerceId))]),
  ]);
  const withPoints = held.map((member) => settled(member, commerces.get(member.commerceId)!));
  const locked = await withPast(tx, withPoints, countedMembers(calls, members, commerces));

  const cards = await readOpenCards(tx, stampingMembers(calls, members, commerces));
  const decided = decideAll(calls, { locked, busy, cards }, commerces, refused);

  const movementIds = await storeMovements(tx, decided.members);
  await stampCards(tx, decided, movementIds, commerces);
  await storeStandings(tx, members, decided.members, ({ commerceId }) => commerces.get(commerceId)!);
  const given = await giveTierBenefits(tx, decided.reached);
  const mayTell = decided.members.flatMap((after, i) =>
    decided.mayTell.has(i) && after.movements.length > 0
      ? [{ before: members[i]!, after, commerce: commerces.get(after.commerceId)! }]
      : [],
  );
  await inviteStrangers(
    tx,
    mayTell.map(({ after }) => after),
    commerces,
    invitations,
  );
  await tellOfTiers(tx, mayTell, given);

  const climbs = climbsOf(decided.reached, given);
  return decided.outcomes.map((outcome, i) => {
    if (outcome instanceof SetAside) return { outcome, result: null };
    if ('problem' in outcome) return { outcome: { recorded: false, problem: outcome.problem }, result: null };
    const { member, movement, stamped } = outcome;
    const purchaseId = movementIds[member]![movement]!;
    const {
      pointsEarned = 0,
      pending,
      balanceAfter: balance = null,
    } = decided.members[member]!.movements[movement]!;
    return {
      outcome: {
        recorded: true,
        purchaseId,
        pointsEarned,
        pointsWaiting: pending?.points ?? 0,
        stamps: toldStamps(stamped.given),
        balance,
        replayed: false,
        climb: climbs.get(i) ?? null,
      },
      result: purchaseId,
    };
  });
}

/** Stores what the purchases stamped, and gives the codes of cards that they filled. */
async function stampCards(
  tx: Tx,
  { members, outcomes }: Decided,
  movementIds: readonly (readonly number[])[],
  commerces: ReadonlyMap<number, Commerce>,
): Promise<void> {
  const stamped = outcomes.flatMap((outcome) => {
    if (!('stamped' in outcome) || outcome.stamped.given.length === 0) return [];
    const { member, movement, stamped: of } = outcome;
    const { commerceId, id: memberId, movements } = members[member]!;
    const purchaseId = movementIds[member]![movement]!;
    const { at } = movements[movement]!;
    return [{ commerceId, memberId, purchaseId, at, ...of, entries: of.given, member }];
  });
  if (stamped.length === 0) return;
  await storeCards(tx, stamped);
  const filled = new Set(stamped.flatMap(({ full, member }) => (full.length > 0 ? [member] : [])));
  await giveFullCards(
    tx,
    Array.from(filled, (place) => {
      const member = members[place]!;
      return { member, commerce: commerces.get(member.commerceId)! };
    }),
  );
}

/**
 * Creates a row for each stranger, where their points wait. Creates none if the purchase would be refused for any buyer,
 * and returns these refusals.
 */
async function makeRoom(tx: Tx, calls: readonly PurchaseCall[]): Promise<Map<PurchaseCall, Problem>> {
  const byEmail = calls.filter((call) => 'email' in call.buyer);
  if (byEmail.length === 0) return new Map();
  const commerces = await readCommerces(tx, [...new Set(byEmail.map((call) => call.commerceId))]);
  const refused = new Map<PurchaseCall, Problem>();
  const people: { commerceId: number; email: string }[] = [];
  for (const call of byEmail) {
    const commerce = commerces.get(call.commerceId);
    const refusal = commerce === undefined ? new UnknownMember() : refusalOf(commerce, call.amount);
    if (refusal !== null) refused.set(call, refusal);
    else if ('email' in call.buyer) people.push({ commerceId: call.commerceId, email: call.buyer.email });
  }
  await invitePeople(tx, people);
  return refused;
}

/** Locks the buyers. Someone who was erased after room was made for them is a stranger, so room is made again. */
async function lockBuyers(
  tx: Tx,
  calls: readonly PurchaseCall[],
  { ofOrders, ofStrangers }: Refusals,
  waitFor: WaitFor,
): Promise<FreeMembers> {
  const { members, busy } = await lockFreeMembers(tx, calls.map(memberRefOf), waitFor);
  const strangers = calls.filter(
    (call) => 'email' in call.buyer && !ofOrders.has(call) && !ofStrangers.has(call),
  );
  if (strangers.length === 0) return { members, busy };
  const found = new Set([...members.flatMap((member) => namesOfMember(member)), ...busy]);
  const erased = strangers.filter((call) => !found.has(nameOfMember(memberRefOf(call))));
  if (erased.length === 0) return { members, busy };
  await makeRoom(tx, erased);
  const anew = await lockFreeMembers(tx, erased.map(memberRefOf), waitFor);
  return { members: [...members, ...anew.members], busy: new Set([...busy, ...anew.busy]) };
}

/** A tier that a purchase reached, with the position of its call. */
type TierReachedBy = TierReached & { readonly call: number };

/** Returns the climb of each call that reached tiers, by its position. */
function climbsOf(
  reached: readonly TierReachedBy[],
  given: readonly TierReachedBy[],
): Map<number, PurchaseClimb> {
  const climbs = new Map<number, PurchaseClimb>();
  for (const { call, member, tierId } of reached) climbs.set(call, { memberId: member.id, tierId, codes: 0 });
  for (const { call } of given) {
    const climb = climbs.get(call)!;
    climbs.set(call, { ...climb, codes: climb.codes + 1 });
  }
  return climbs;
}

interface Decided {
  /** The members after all decisions. */
  readonly members: LockedMember[];
  readonly reached: TierReachedBy[];
  /** Indexes of the members who may be sent mails. */
  readonly mayTell: Set<number>;
  /** The position of the movement of each call. */
  readonly outcomes: (
    | { readonly member: number; readonly movement: number; readonly stamped: Stamped }
    | { readonly problem: Problem }
    | SetAside
  )[];
}

/** Decides the purchases in order, each on its member as the earlier ones left them. */
function decideAll(
  calls: readonly PurchaseCall[],
  {
    locked,
    busy,
    cards,
  }: {
    locked: readonly LockedMember[];
    busy: ReadonlySet<string>;
    cards: ReadonlyMap<string, readonly StampCard[]>;
  },
  commerces: ReadonlyMap<number, Commerce>,
  refused: Refusals,
): Decided {
  const places = placesOfMembers(locked, calls.map(memberRefOf));
  const decided: Decided = { members: [...locked], reached: [], mayTell: new Set(), outcomes: [] };
  const held = new Map(cards);
  for (const [i, call] of calls.entries()) {
    const row = nameOfMember(memberRefOf(call));
    const place = places.get(row);
    const commerce = commerces.get(call.commerceId);
    if (busy.has(row)) {
      decided.outcomes.push(new SetAside(row));
      continue;
    }
    const refusal = refused.ofOrders.get(call);
    if (refusal !== undefined) {
      decided.outcomes.push({ problem: refusal });
      continue;
    }
    if (place === undefined || commerce === undefined) {
      const { buyer } = call;
      const unknown = new UnknownMember('code' in buyer ? buyer.code : undefined);
      decided.outcomes.push({ problem: refused.ofStrangers.get(call) ?? unknown });
      continue;
    }
    const before = decided.members[place]!;
    try {
      const { member, reached, stamped } = decidePurchase(before, commerce, factsOf(call, commerce), {
        late: call.late ?? null,
        cents: call.cents ?? 0,
        cards: held.get(nameOfHolder(before)) ?? [],
      });
      if (stamped.cards.length > 0)
        held.set(nameOfHolder(before), withChanged(held.get(nameOfHolder(before)) ?? [], stamped.cards));
      decided.members[place] = member;
      decided.reached.push(...reached.map((tierId) => ({ member, commerce, tierId, call: i })));
      if (call.invite !== false) decided.mayTell.add(place);
      decided.outcomes.push({ member: place, movement: before.movements.length, stamped });
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      decided.outcomes.push({ problem });
    }
  }
  return decided;
}

/** Returns the open cards after some have changed. */
function withChanged(cards: readonly StampCard[], changed: readonly StampCard[]): StampCard[] {
  const kinds = new Set(changed.map(({ stampId }) => stampId));
  return [...cards.filter(({ stampId }) => !kinds.has(stampId)), ...changed.filter(({ ended }) => !ended)];
}

/** Returns the members whose purchases may stamp cards. Programs without stamps need none. */
function stampingMembers(
  calls: readonly PurchaseCall[],
  members: readonly Member[],
  commerces: ReadonlyMap<number, Commerce>,
): readonly Member[] {
  const stamping = calls.filter(
    ({ commerceId, late }) => ((late?.rules ?? commerces.get(commerceId)?.rules)?.stamps.length ?? 0) > 0,
  );
  if (stamping.length === 0) return [];
  const places = placesOfMembers(members, stamping.map(memberRefOf));
  return [...new Set(stamping.flatMap((call) => places.get(nameOfMember(memberRefOf(call))) ?? []))].map(
    (place) => members[place]!,
  );
}

/** Returns the members whose earlier purchases a limit of their program counts. Programs without limits need none. */
function countedMembers(
  calls: readonly PurchaseCall[],
  members: readonly Member[],
  commerces: ReadonlyMap<number, Commerce>,
): CountedMember[] {
  const counting = calls.flatMap((call) => {
    const commerce = commerces.get(call.commerceId);
    const earning = (call.late?.rules ?? commerce?.rules)?.earning;
    return commerce === undefined || earning === undefined || earning.counted === null
      ? []
      : [{ call, commerce, earning }];
  });
  if (counting.length === 0) return [];
  const places = placesOfMembers(
    members,
    counting.map(({ call }) => memberRefOf(call)),
  );
  const needed = new Map<number, CountedMember>();
  for (const { call, commerce, earning } of counting) {
    const place = places.get(nameOfMember(memberRefOf(call)));
    if (place === undefined) continue;
    const { at, arrivedAt } = call.late ?? { at: commerce.now };
    const own = neededAt([at, arrivedAt ?? at], earning);
    const known = needed.get(place);
    const { commerceId, id } = members[place]!;
    needed.set(place, { commerceId, id, ...(known === undefined ? own : neededByBoth(known, own)) });
  }
  return [...needed.values()];
}

/** Returns what is known of a purchase. One that is not reported late is made now. */
function factsOf(
  { amount, branchId, registerId, channel, lines, late }: PurchaseCall,
  { now }: Commerce,
): PurchaseFacts {
  return { amount, at: late?.at ?? now, branchId, registerId, channel, lines };
}

function memberRefOf({ commerceId, buyer }: PurchaseCall): MemberRef {
  return { commerceId, ...buyer };
}

function keyedCallsOf(call: PurchaseCall): readonly KeyedCall[] {
  const { commerceId, importedRow, request, operation = 'purchase', order } = call;
  if (importedRow !== undefined) {
    const { key, content } = importedRow;
    return [{ commerceId, operation: ORDERS, key, fingerprint: digestOf([content]) }];
  }
  if (order === undefined && request === undefined) return NO_KEYS;
  const keyed = createKeyedCall(commerceId, operation, request);
  return [
    ...(keyed === null ? NO_KEYS : [keyed]),
    ...(order === undefined ? NO_KEYS : [orderOf(commerceId, order)]),
  ];
}

const NO_KEYS: readonly KeyedCall[] = [];

function orderOf(commerceId: number, { externalId, body }: NonNullable<PurchaseCall['order']>): KeyedCall {
  return {
    commerceId,
    operation: ORDERS,
    key: orderKey(externalId),
    fingerprint: fingerprintOfBody(body),
    fromCall: true,
  };
}
