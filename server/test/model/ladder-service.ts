/** The service's own rules on one member, in memory: what its use cases load, decide and store, without a database. */
import type { Commerce } from '#commerces/commerce.ts';
import { NOWHERE } from '#points/purchase-facts.ts';
import { earning } from '#test/earning.ts';
import { localDay } from '#calendar/calendar.ts';
import { placeOnLadder } from '#enrolment/place-on-ladder.ts';
import type { LockedMember } from '#points/locked-member.ts';
import type { Split } from '#points/lots.ts';
import type { Rules } from '#program/rules.ts';
import { decidePurchase, type PurchaseSnapshot } from '#purchases/decide-purchase.ts';
import { decideReversal, type PurchaseToReverse } from '#purchases/decide-reversal.ts';
import { standingOnNewLadder } from '#tiers/change-ladder.ts';
import { climbOf } from '#tiers/climb-record.ts';
import { creditPoints } from '#tiers/credit-points.ts';
import { nextTier, tierById } from '#tiers/ladder.ts';
import { noTier, standingAt } from '#tiers/standing.ts';
import type { Changing } from './ladder-histories.ts';

/** A purchase as the ledger keeps it. */
export interface Bought {
  readonly id: number;
  readonly at: Date;
  readonly amount: number;
  readonly points: number;
  readonly snapshot: PurchaseSnapshot;
}

interface Returned {
  readonly id: number;
  readonly purchaseId: number;
  readonly countedAt: Date;
  readonly taken: { readonly points: number; readonly amount: number };
}

interface Voucher {
  readonly tierId: string;
  readonly issuedAt: Date;
  used: boolean;
}

export class ServiceInMemory {
  member: LockedMember = stranger;
  /** Codes of tiers' benefits in the member's hands. */
  vouchers: Voucher[] = [];
  readonly purchases: Bought[] = [];
  private readonly versions: Rules[] = [];
  private readonly returns: Returned[] = [];
  private readonly noted = new Set<string>();
  private readonly zone: string;
  private ids = 0;

  constructor(zone: string, ladder: Changing) {
    this.zone = zone;
    this.putInForce(ladder);
  }

  get rules(): Rules {
    return this.versions.at(-1)!;
  }

  /** Returns what any reader sees. */
  seen(now: number) {
    const { standing } = standingAt(this.member, this.rules, new Date(now));
    const next = nextTier(standing, this.rules.tiers);
    return { standing, next: next && { rank: next.rank, threshold: next.threshold } };
  }

  /** Returns undefined if the purchase is refused. */
  buy(amount: number, now: number): Bought | undefined {
    if (this.member.state === 'left' || this.member.blockedAt !== null) return undefined;
    const { member, reached } = decidePurchase(
      this.member,
      this.commerce(now),
      { amount, at: new Date(now), ...NOWHERE },
      { late: null },
    );
    const { snapshot, pointsEarned } = member.movements[0]!;
    this.store(member, reached, now);
    // As the ledger's JSON gives it back.
    const kept = JSON.parse(JSON.stringify(snapshot)) as PurchaseSnapshot;
    const bought = { id: ++this.ids, at: new Date(now), amount, points: pointsEarned!, snapshot: kept };
    this.purchases.push(bought);
    return bought;
  }

  /** Returns the loss of the lifetime figures. */
  takeBack(bought: Bought, amount: number, now: number): { points: number; amount: number } {
    const reversed = this.returns
      .filter(({ purchaseId }) => purchaseId === bought.id)
      .reduce((sum, { taken }) => sum + taken.amount, 0);
    const { member, lost } = decideReversal(
      this.member,
      this.commerce(now),
      {
        ...bought,
        split: [],
        grown: [],
        later: [],
        lines: null,
        reversedAmount: reversed,
        wasReleased: false,
        wasCancelled: false,
        ...this.climbsOf(bought, now),
      },
      { amount, cents: 0 },
    );
    const taken = { points: 0 - member.movements[0]!.pointsEarned!, amount };
    this.store(member, [], now);
    this.returns.push({ id: ++this.ids, purchaseId: bought.id, countedAt: bought.at, taken });
    for (const { tierId, reachedAt } of lost) {
      const isVoid = (one: Voucher) => one.tierId === tierId && one.issuedAt >= reachedAt && !one.used;
      if (!this.vouchers.some(isVoid)) continue;
      this.vouchers = this.vouchers.filter((one) => !isVoid(one));
      this.noted.delete(tierId);
    }
    return taken;
  }

  credit(points: number, now: number): void {
    const { member, reached } = creditPoints(this.member, this.commerce(now), points, {
      type: 'reward',
      event: 'birthday',
    });
    this.store(member, reached, now);
  }

  join(now: number): void {
    const { state } = this.member;
    if (state === 'member') return;
    this.member = { ...this.member, state: 'member', leftAt: null };
    if (state === 'left') return this.look(now);
    const entered: LockedMember = { ...this.member, enrolledAt: new Date(now) };
    const { member, reached } = placeOnLadder(entered, this.commerce(now));
    this.store(member, reached, now);
  }

  leave(now: number): void {
    if (this.member.state === 'member')
      this.member = { ...this.member, state: 'left', leftAt: new Date(now) };
  }

  block(now: number): void {
    if (this.member.blockedAt === null) this.member = { ...this.member, blockedAt: new Date(now) };
  }

  unblock(now: number): void {
    if (this.member.blockedAt === null) return;
    this.member = { ...this.member, blockedAt: null };
    this.look(now);
  }

  /** Does the work of the tiers' job for the members whose period has ended, and for no other. */
  runJob(now: number): void {
    const { standing, state, blockedAt } = this.member;
    const today = localDay(new Date(now), this.zone);
    const isDue = standing.expiresOn !== null && standing.expiresOn < today && !standing.expired;
    if (isDue && state !== 'left' && blockedAt === null) this.look(now);
  }

  change(ladder: Changing, now: number): void {
    const before = this.rules;
    this.putInForce(ladder);
    const { standing, reached } = standingOnNewLadder(this.member, before, this.rules, new Date(now));
    this.store({ ...this.member, standing }, reached, now);
  }

  private look(now: number): void {
    const { standing, reached } = standingAt(this.member, this.rules, new Date(now));
    this.store({ ...this.member, standing }, reached, now);
  }

  private putInForce(ladder: Changing): void {
    this.versions.push(rulesOf(ladder, this.zone, this.versions.length + 1));
  }

  private commerce(now: number): Commerce {
    const at = new Date(now);
    const today = localDay(at, this.zone);
    return {
      id: 1,
      slug: 'one',
      status: 'active',
      sandbox: true,
      now: at,
      today,
      rules: this.rules,
    } as Commerce;
  }

  /** Points and lots are no matter of tiers. */
  private store(member: LockedMember, reached: readonly string[], now: number): void {
    this.member = { ...member, lots: [], pending: [], movements: [] };
    if (member.state !== 'member' || member.blockedAt !== null) return;
    for (const tierId of reached) {
      if (tierById(tierId, this.rules.tiers)?.benefitId === null || this.noted.has(tierId)) continue;
      this.noted.add(tierId);
      this.vouchers.push({ tierId, issuedAt: new Date(now), used: false });
    }
  }

  private climbsOf(bought: Bought, now: number): Pick<PurchaseToReverse, 'climbs' | 'returnedClimbs'> {
    const returned = this.purchases.filter(({ id }) =>
      this.returns.some(({ purchaseId }) => purchaseId === id && id !== bought.id),
    );
    return {
      climbs: [this.climbOf(bought, now) ?? []].flat(),
      returnedClimbs: returned.flatMap((one) => this.climbOf(one, now) ?? []),
    };
  }

  private climbOf({ id, at, snapshot }: Bought, now: number) {
    if (snapshot.climbed === undefined) return null;
    const then = this.versions[snapshot.rule - 1]!.tiers;
    const since = this.returns.filter((one) => one.id > id);
    return climbOf(snapshot.climbed, at, then, this.rules, since, new Date(now));
  }
}

const nothing = { points: 0, amount: 0 };
const noSplit: Split = [];

const stranger: LockedMember = {
  commerceId: 1,
  id: 1,
  state: 'invited',
  email: 'a@example.com',
  userId: null,
  code: null,
  username: null,
  phone: null,
  birthDate: null,
  enrolledAt: null,
  leftAt: null,
  blockedAt: null,
  invitedAt: null,
  figures: nothing,
  purchases: 0,
  movedOn: null,
  remainder: null,
  standing: noTier,
  lots: noSplit,
  pending: [],
  past: [],
  movements: [],
};

const earningRules = { ...earning(1, { moneyPerPoint: 1_000 }).rules.earning, maxAmount: 1_000 };

function rulesOf({ measure, validMonths, ladder }: Changing, timeZone: string, version: number): Rules {
  return {
    version,
    timeZone,
    earning: earningRules,
    stamps: [],
    expiration: { mode: 'none', months: 0 },
    mostUnusedCodes: 200,
    codes: { holdMinutes: 30, undoDays: 0, restoresWithReturn: false },
    tiers: {
      thresholdType: measure,
      validMonths,
      ladder: ladder.map(({ id, threshold, gift, multiplier }, i) => ({
        id,
        rank: i + 1,
        name: id,
        threshold,
        multiplierThousandths: multiplier,
        iconUrl: null,
        benefitId: gift ? id : null,
      })),
    },
    rewards: { welcome: null, birthday: null, monthlyTop: null },
  };
}
