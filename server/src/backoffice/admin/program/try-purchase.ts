import { placeDraft } from '#apply/check-draft.ts';
import type { Day } from '#calendar/calendar.ts';
import { readCommerce, type Commerce } from '#commerces/commerce.ts';
import type { Db } from '#db/database.ts';
import { canEarn } from '#members/eligibility.ts';
import { findMember } from '#members/lock-members.ts';
import type { Member } from '#members/member.ts';
import { NotEligible, UnknownMember } from '#members/refusals.ts';
import { grantDate, type Dated } from '#points/expires-on.ts';
import { readPast } from '#points/past-purchases.ts';
import { pointsForPurchase, type PointsForPurchase } from '#points/points-for-purchase.ts';
import { NEWCOMER, type BuyerSoFar, type PurchaseFacts, type SaidFacts } from '#points/purchase-facts.ts';
import type { CheckedProgram } from '#program/check-program.ts';
import { rulesOf } from '#program/compile-rules.ts';
import type { Rules, Tier } from '#program/rules.ts';
import { buyerOf } from '#purchases/decide-purchase.ts';
import { tierThatCounts } from '#tiers/ladder.ts';
import { standingAt } from '#tiers/standing.ts';
import { ProgramNotValid } from './publish-draft.ts';

/** A purchase that nobody made. */
export interface PurchaseToTry extends SaidFacts {
  /** Null for now. */
  readonly at: Date | null;
  /** The card of the buyer; null for anybody. */
  readonly code: number | null;
}

/** A purchase under a proposed program. */
export interface TriedPurchase {
  /** The last day of its points. Null if they never end. */
  readonly expiresOn: Day | null;
  /** Its points on each tier, or without one; for a member, on theirs. Null if that is more than can be counted. */
  readonly tiers: readonly { readonly tier: Tier | null; readonly earned: PointsForPurchase | null }[];
  /** Its points on the same tiers at this time of the day, for a week from its day on. */
  readonly days: readonly { readonly at: Date; readonly points: readonly (number | null)[] }[];
  /** The language of the program. */
  readonly locale: string;
}

/** Somebody who buys, as far as rules can tell. */
interface Buyer {
  readonly tier: Tier | null;
  readonly buyer: BuyerSoFar;
}

/**
 * Returns what a purchase would earn under a proposed program, now or then, on each of its tiers or for one member as things are now,
 * and when its points would end. The rules are those that record purchases. Somebody without a tier comes first, unless the lowest
 * tier is everybody's.
 * @throws ProgramNotValid, UnknownMember, NotEligible
 */
export async function tryPurchase(
  db: Db,
  commerceId: number,
  checked: CheckedProgram,
  { at: asked, code, ...said }: PurchaseToTry,
): Promise<TriedPurchase> {
  const commerce = (await readCommerce(db, commerceId))!;
  const read = placeDraft(commerce.program, checked);
  if (!read.ok) throw new ProgramNotValid(read.problems);
  const rules = rulesOf(read.program, commerce.rules.version);
  const at = asked ?? commerce.now;
  const buyersAt = code === null ? () => anybodyOn(rules) : await readBuyer(db, commerce, rules, code, at);
  const earn = (facts: PurchaseFacts) =>
    buyersAt(facts.at).map(({ tier, buyer }) => ({
      tier,
      earned: pointsForPurchase({ ...facts, tier, rules, buyer }),
    }));
  const { expiresOn } = grantDate(rules.expiration, commerce.today, newcomer, 'purchase');
  return {
    expiresOn: expiresOn === 'infinity' ? null : expiresOn,
    tiers: earn({ ...said, at }),
    days: weekFrom(at, rules.timeZone).map((day) => ({
      at: day,
      points: earn({ ...said, at: day }).map(({ earned }) => earned?.points ?? null),
    })),
    locale: read.program.locale,
  };
}

function anybodyOn({ tiers: { ladder } }: Rules): Buyer[] {
  const tiers = ladder[0]?.threshold === 0 ? ladder : [null, ...ladder];
  return tiers.map((tier) => ({ tier, buyer: REGULAR }));
}

/** Returns the member as they would be at an instant if nothing happened until then. */
async function readBuyer(
  db: Db,
  commerce: Commerce,
  rules: Rules,
  code: number,
  from: Date,
): Promise<(at: Date) => Buyer[]> {
  const member = await findMember(db, { commerceId: commerce.id, code });
  if (member === undefined) throw new UnknownMember(code);
  if (!canEarn(member)) throw new NotEligible();
  const past = await readPast(db, member, [from], rules);
  return (at) => [{ tier: tierAt(member, rules, at), buyer: buyerOf({ ...member, past }) }];
}

function tierAt(member: Member, rules: Rules, at: Date): Tier | null {
  return tierThatCounts(standingAt(member, rules, at).standing, rules.tiers);
}

/** Returns the same local time of seven days. A time that the clocks skip is the one after it. */
function weekFrom(at: Date, timeZone: string): Date[] {
  const local = Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timeZone);
  return Array.from({ length: 7 }, (_, days) => new Date(local.add({ days }).epochMilliseconds));
}

/** Somebody who has bought before and joined long ago, so that rules for newcomers do not apply. */
const REGULAR: BuyerSoFar = { ...NEWCOMER, purchases: 1 };

/** Somebody who has no points yet. */
const newcomer: Dated = { lots: [], movedOn: null };
