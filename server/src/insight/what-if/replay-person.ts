import { localDay } from '#calendar/calendar.ts';
import { withUncovered } from '#members/cover-standing.ts';
import type { Member, Remainder, Standing } from '#members/member.ts';
import { factorsOf, wholeOfStored } from '#points/factors-of.ts';
import type { NewMovement } from '#points/locked-member.ts';
import { balanceOn, withSplit, type Lot } from '#points/lots.ts';
import { lotsNow, type PendingPoints } from '#points/pending.ts';
import { remainderChange } from '#points/points-for-purchase.ts';
import { withRemainder } from '#points/remainder.ts';
import { readSplit, type SplitText } from '#points/split-text.ts';
import { countedAtOf } from '#purchases/counted-at.ts';
import type { PurchaseSnapshot, StoredSnapshot } from '#purchases/decide-purchase.ts';
import { climbOf } from '#tiers/climb-record.ts';
import { tierHeld } from '#tiers/ladder.ts';
import { standingAt } from '#tiers/standing.ts';
import type { ChangedStamps } from '#stamps/decide-stamps.ts';
import { followGiven, undoUseOfCard, useCard } from './cards-of-life.ts';
import {
  becomes,
  beginLife,
  dayAfter,
  forkLife,
  letHappen,
  passTime,
  passWaiting,
  recall,
  remember,
  writeOff,
  type Life,
} from './life.ts';
import type { Person, Recorded } from './read-history.ts';
import type { Timeline, Version } from './timeline.ts';

/** The time that is replayed: `from` is included, `end` is its last instant. */
export interface Range {
  readonly from: Date;
  readonly end: Date;
  /** True if the range ends now, so that the database has the state at its end. */
  readonly endsNow: boolean;
}

/** Hears about each movement of the range, as it happened and as it would have. */
export interface Listener {
  /** @param tierId the tier of the buyer; only for purchases */
  happened(row: Recorded, tierId: string | null): void;
  wouldHappen(atMs: number, movement: NewMovement, tierId: string | null): void;
  impossible(row: Recorded): void;
  /** A benefit of the range is about to be bought. `balance` is what the member would have. */
  exchanging(row: Recorded, balance: number): void;
  expiredNow(movement: NewMovement): void;
  /** The use of a code of a full card is undone, and pays a debt of the card. */
  debtPaidNow(change: ChangedStamps): void;
}

/** A person at the end of the range. */
export interface Ended {
  readonly member: Member;
  readonly lots: readonly Lot[];
  readonly standing: Standing;
}

export interface PersonReplay {
  /** Replays the next movement of the person. */
  next(row: Recorded): void;
  /** Returns the person at the end of the range: as they were, and as they would be. Null for who was not there yet. */
  end(): { readonly then: Ended; readonly now: Ended } | null;
}

/** Expired points stay where they are until there are so many: nobody can spend them, and each costs a little time. */
const MOST_LOTS = 60;

/**
 * Replays one person. Until the range begins, their life follows the ledger. There the proposed program is published, and a
 * second life goes on under it: the same things happen, and the rules decide what comes of them.
 */
export function createPersonReplay(
  timeline: Timeline,
  { from, end, endsNow }: Range,
  person: Person,
  listener: Listener,
): PersonReplay {
  const { versions, proposed, rulesOf, commerceAt } = timeline;
  const real = beginLife(person);
  let place = 0;
  let other: Life | null = null;

  return {
    next(row) {
      const at = new Date(row.atMs);
      if (other === null && at >= from) other = turn(row.id);
      if (row.type === 'usage' || row.type === 'undo') {
        useCode(row, at);
      } else {
        if (other === null || !endsNow) follow(row, at);
        if (other !== null) replay(other, row, at);
      }
      if (at >= from) listener.happened(row, row.type === 'purchase' ? tierThen(row) : null);
    },

    end() {
      const life = (other ??= turn(Number.MAX_SAFE_INTEGER));
      const under = ({ rules }: Version, member: Member, lots: readonly Lot[]): Ended => {
        return { member, lots, standing: standingAt(member, rules, end).standing };
      };
      goOn(life, end, Number.MAX_SAFE_INTEGER);
      tellExpired(writeOff(life, localDay(end, proposed.rules.timeZone), proposed.rules.timeZone, 0));
      const now = under(proposed, life.member, life.member.lots);
      if (endsNow) {
        const current = versions.at(-1)!;
        const held = { ...person, movedOn: person.member.movedOn };
        return {
          then: under(current, person.member, lotsNow(held, { rules: current.rules, now: end })),
          now,
        };
      }
      catchUp(timeline.placeAt(end));
      pass(end, versions[place]!);
      if (!real.hasBegun) return null;
      const { rules } = versions[place]!;
      return { then: under(versions[place]!, real.member, lotsNow(real.member, { rules, now: end })), now };
    },
  };

  /** The proposed program is published. Anyone who comes later finds it in force. */
  function turn(id: number): Life {
    catchUp(timeline.placeAt(from));
    pass(from, versions[place]!);
    const life = forkLife(real);
    passWaiting(life, from, (at) => commerceAt(versions[place]!, at), rulesOf, id);
    if (!life.hasBegun || !timeline.publishing.movesMembers) return life;
    const after = timeline.publishing.adjust(life.member).member;
    const { movements } = after;
    becomes(life, after, commerceAt(proposed, from));
    for (const movement of movements) recall(life, id, movement);
    tellExpired(movements.filter(({ type }) => type === 'expiry'));
    return life;
  }

  /** Follows the ledger. Its points and figures count; the tier follows from them by the rules of the time. */
  function follow(row: Recorded, at: Date): void {
    const written = new Date(row.writtenMs);
    const inForce = versionOf(row);
    catchUp(inForce === undefined ? timeline.placeAt(written) : timeline.placeOf(inForce));
    const version = versions[place]!;
    pass(written, version);
    if (row.type === 'purchase') real.member = { ...real.member, standing: asRecorded(row, at, version) };
    const { lots, figures, purchases, remainder } = real.member;
    letHappen(real, row, commerceAt(version, countedAt(row)), rulesOf, { followsRules: false });
    const split = readSplit(JSON.parse(row.split) as SplitText);
    real.member = {
      ...real.member,
      lots: withSplit(lots, split),
      figures: { points: figures.points + row.pointsEarned, amount: figures.amount + (row.amount ?? 0) },
      purchases: purchases + row.purchases,
      ...(row.type === 'purchase' && {
        remainder: remainderAfter(remainder, row),
        pending: pendingAfter(real.member.pending, row),
      }),
    };
    const { type, pointsEarned, snapshot } = row;
    if (type === 'purchase') {
      const { rule, stamps = [] } = snapshot as StoredSnapshot;
      const commerce = commerceAt(version, at);
      followGiven(real.memory.cards, stamps, rulesOf(rule).stamps, commerce, countedAt(row));
    }
    remember(real, row, { type, split, pointsEarned, snapshot });
  }

  /** A code of a full card is used, or its use is undone. In the replay, that is the code of the card of the same number. */
  function useCode({ type, voucherCode, writtenMs }: Recorded, at: Date): void {
    const card = person.cards.get(voucherCode!);
    if (card === undefined) return;
    const inForce = versions[timeline.placeAt(new Date(writtenMs))]!;
    for (const [life, version] of [
      [real, inForce],
      [other, proposed],
    ] as const) {
      if (life === null) continue;
      const { cards } = life.memory;
      if (type === 'usage') {
        useCard(cards, card);
        continue;
      }
      const paid = undoUseOfCard(cards, card, version.rules.stamps, commerceAt(version, at));
      if (paid !== null && life === other && at >= from) listener.debtPaidNow(paid);
    }
  }

  /** What the ledger says of a purchase counts, whatever the replay knows of its lines. */
  function remainderAfter(remainder: Remainder | null, { amount, snapshot }: Recorded): Remainder | null {
    const stored = snapshot as StoredSnapshot;
    const change = remainderChange(null, wholeOfStored(amount!, stored), factorsOf(stored, null));
    return change === null ? remainder : withRemainder(remainder, change);
  }

  function pendingAfter(pending: readonly PendingPoints[], { id, snapshot }: Recorded): PendingPoints[] {
    const { waits } = snapshot as StoredSnapshot;
    const others = pending.filter(({ purchaseId }) => purchaseId !== id);
    if (waits === undefined) return others;
    const { points, becomes, until } = waits;
    return [...others, { purchaseId: id, points, becomes, dueAt: new Date(until) }];
  }

  /** The version in force when the ledger got the row, if it says so. A return and a correction keep that of their purchase beside it. */
  function versionOf({ type, snapshot }: Recorded): number | undefined {
    const { rule, version } = (snapshot ?? {}) as { rule?: number; version?: number };
    return type === 'reversal' ? version : (version ?? rule);
  }

  function replay(life: Life, row: Recorded, at: Date): void {
    const { timeZone } = proposed.rules;
    goOn(life, new Date(row.writtenMs), row.id);
    if (row.type === 'redate') return;
    if (row.type === 'expiry') return tellExpired(writeOff(life, dayAfter(at, timeZone), timeZone, row.id));
    const commerce = commerceAt(proposed, countedAt(row));
    if (life.member.lots.length > MOST_LOTS) tellExpired(writeOff(life, commerce.today, timeZone, row.id));
    if (row.type === 'exchange' && at >= from)
      listener.exchanging(row, balanceOn(life.member.lots, commerce.today));
    const happened = letHappen(life, row, commerce, rulesOf, { followsRules: true });
    if (happened === 'impossible' && at >= from) listener.impossible(row);
    if (typeof happened === 'string') return;
    for (const movement of happened) {
      remember(life, row, movement);
      if (at >= from)
        listener.wouldHappen(row.atMs, movement, movement.type === 'purchase' ? tierNow(movement) : null);
    }
  }

  function tellExpired(movements: readonly NewMovement[]): void {
    for (const movement of movements) if (movement.at >= from) listener.expiredNow(movement);
  }

  /** Publishes the versions up to that place. Dates that moved then are in the ledger. */
  function catchUp(to: number): void {
    for (; place < to; place++) {
      const { inForceAt } = versions[place + 1]!;
      pass(inForceAt, versions[place]!);
      const adjustment = timeline.published(place + 1);
      if (!real.hasBegun || !adjustment.movesMembers) continue;
      const { standing } = adjustment.adjust(real.member).member;
      becomes(real, { ...real.member, standing }, commerceAt(versions[place + 1]!, inForceAt));
    }
  }

  /** Lets time pass in the life that follows the ledger, which has the points. */
  function pass(until: Date, version: Version): void {
    const { lots } = real.member;
    passTime(real, until, (at) => commerceAt(version, at));
    real.member = { ...real.member, lots };
  }

  /** Lets time pass under the proposed program. */
  function goOn(life: Life, until: Date, id: number): void {
    for (const movement of passWaiting(life, until, (at) => commerceAt(proposed, at), rulesOf, id)) {
      if (movement.type === 'expiry') tellExpired([movement]);
      else if (movement.at >= from) listener.wouldHappen(movement.at.getTime(), movement, null);
    }
  }

  /** The ledger says which tier a buyer held, and for a climb the whole standing. It is right whatever the replay says. */
  function asRecorded(row: Recorded, at: Date, { rules }: Version): Standing {
    const { tier, climbed, version, arrived } = row.snapshot as StoredSnapshot;
    const { standing } = standingAt(real.member, rules, countedAt(row));
    // It names the tier on the ladder of an older version.
    if (version !== undefined) return standing;
    if (climbed !== undefined)
      return withUncovered(standing, climbOf(climbed, at, rules.tiers, rules, [], at).before);
    // It names the tier of when it was paid.
    if (arrived !== undefined) return real.member.standing;
    if ((tierHeld(standing, rules.tiers)?.rank ?? null) === tier) return real.member.standing;
    return { ...standing, tierId: rules.tiers.ladder[(tier ?? 0) - 1]?.id ?? null };
  }

  function countedAt({ atMs, snapshot }: Recorded): Date {
    return countedAtOf({ at: new Date(atMs), snapshot: snapshot ?? {} });
  }

  function tierThen({ snapshot }: Recorded): string | null {
    const { rule, tier } = snapshot as StoredSnapshot;
    return tier === null ? null : (rulesOf(rule)?.tiers.ladder[tier - 1]?.id ?? null);
  }

  function tierNow({ snapshot }: NewMovement): string | null {
    const { tier } = snapshot as PurchaseSnapshot;
    return tier === null ? null : proposed.rules.tiers.ladder[tier - 1]!.id;
  }
}
