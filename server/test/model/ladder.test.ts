import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '#test/random.ts';
import { Climber, type Earned, type LadderRules, type Place } from './ladder.ts';
import { history, type Happening, type History } from './ladder-histories.ts';
import { ServiceInMemory, type Bought } from './ladder-service.ts';

/** `LADDER_HISTORIES=50000` is the long form, `TEST_SEED` repeats a run. */
const HISTORIES = Number(process.env['LADDER_HISTORIES'] ?? 1_000);

test(`${HISTORIES} random ladders and lives on them come to what the model says, with and without the job, seed ${fc.SEED}`, (t) => {
  const counts = { steps: 0, rises: 0, falls: 0, ends: 0, gifts: 0, voids: 0, changes: 0 };
  fc.assert(
    fc.property(history, (history) => {
      const life = new Life(history);
      const [first, ...others] = history.steps;
      life.take(first!);
      for (const step of others) {
        const before = life.look();
        life.take(step);
        const after = life.look();
        assertMovesAreEarned(life, step, before, after);
        counts.steps++;
        if (after.height > before.height) counts.rises++;
        if (after.height < before.height) counts.falls++;
        if (step.does === 'wait' && after.height < before.height) counts.ends++;
        if (step.does === 'change') counts.changes++;
        counts.gifts += Math.max(0, after.gifts.length - before.gifts.length);
        counts.voids += Math.max(0, before.gifts.length - after.gifts.length);
      }
    }),
    { numRuns: HISTORIES, interruptAfterTimeLimit: 3_600_000 },
  );
  t.diagnostic(JSON.stringify(counts));
  for (const [what, count] of Object.entries(counts)) assert.ok(count > 0, `no ${what} at all`);
});

/** The model, and the service twice: once its job runs, once it never does. */
class Life {
  rules: LadderRules;
  now: number;
  readonly model = new Climber();
  private readonly services: readonly ServiceInMemory[];
  private readonly bought: { readonly earned: Earned; readonly kept: number; readonly twins: Bought[] }[] =
    [];

  constructor({ zone, startsOn, ladder }: History) {
    this.now = Date.UTC(2027, 0, 1, 12) + startsOn * DAY_MS;
    this.rules = { ...ladder, zone };
    this.services = [new ServiceInMemory(zone, ladder), new ServiceInMemory(zone, ladder)];
  }

  /** Where the person stands, once all three agree on it. */
  look(): Seen {
    const place = this.model.seen(this.rules, this.now);
    const expected = {
      tier: place.tier,
      reachedAt: place.reachedAt,
      endsOn: place.endsOn,
      expired: place.expired,
      toEarn: this.toEarn(place),
      gifts: this.model.gifts.map(({ tier, used }) => `${tier}${used ? ', used' : ''}`).sort(),
    };
    for (const service of this.services) assert.deepEqual(this.seenOf(service), expected);
    const height = place.expired ? 0 : this.rankOf(place.tier);
    return { ...expected, height, rank: this.rankOf(place.tier), isAway: this.model.isAway };
  }

  take(step: Happening): void {
    const { model, services, rules } = this;
    // No two things happen in one instant, but for the look after each.
    this.now += 1_000;
    const { now } = this;
    switch (step.does) {
      case 'buy': {
        const twins = services.map((service) => service.buy(step.amount, now));
        assert.equal(twins[0]?.points, twins[1]?.points);
        if (twins[0] === undefined) return;
        const figures = { points: twins[0].points, amount: step.amount };
        const earned = model.earn(figures, rules, now);
        this.bought.push({ earned, kept: step.amount, twins: twins as Bought[] });
        return;
      }
      case 'return': {
        const bought = this.bought.at(-1 - (step.purchase % (this.bought.length || 1)));
        if (bought !== undefined) this.takeBack(bought, Math.ceil((bought.kept * step.percent) / 100));
        return;
      }
      case 'return all':
        for (const bought of this.bought) {
          this.now += 1_000;
          this.takeBack(bought, bought.kept);
        }
        return;
      case 'credit':
        // Rewards are for members who are there.
        if (model.joinedAt === null || model.isAway) return;
        for (const service of services) service.credit(step.points, now);
        return void model.earn({ points: step.points, amount: 0 }, rules, now);
      case 'join':
        for (const service of services) service.join(now);
        return model.join(rules, now);
      case 'leave':
        for (const service of services) service.leave(now);
        if (model.joinedAt !== null) model.leftAt ??= now;
        return;
      case 'block':
        for (const service of services) service.block(now);
        model.blockedAt ??= now;
        return;
      case 'unblock':
        for (const service of services) service.unblock(now);
        if (model.blockedAt === null) return;
        model.blockedAt = null;
        return model.look(rules, now);
      case 'use a gift': {
        const gift = model.gifts.find(({ used }) => !used);
        if (gift === undefined) return;
        gift.used = true;
        for (const { vouchers } of services)
          vouchers.find(({ tierId, used }) => tierId === gift.tier && !used)!.used = true;
        return;
      }
      case 'run the job':
        return services[0]!.runJob(now);
      case 'change':
        for (const service of services) service.change(step.ladder, now);
        this.rules = { ...step.ladder, zone: rules.zone };
        return model.change(rules, this.rules, now);
      case 'wait':
        this.now += step.hours * 3_600_000;
    }
  }

  private takeBack(bought: Life['bought'][number], amount: number): void {
    if (amount === 0) return;
    const taken = this.services.map((service, i) => service.takeBack(bought.twins[i]!, amount, this.now));
    assert.deepEqual(taken[0], taken[1]);
    this.model.takeBack(bought.earned, taken[0]!, this.rules, this.now);
    Object.assign(bought, { kept: bought.kept - amount });
  }

  private seenOf(service: ServiceInMemory) {
    const { standing, next } = service.seen(this.now);
    const { measure } = this.rules;
    return {
      tier: standing.tierId,
      reachedAt: standing.reachedAt?.getTime() ?? null,
      endsOn: standing.expiresOn,
      expired: standing.expired,
      toEarn: next && next.threshold - service.member.figures[measure],
      gifts: service.vouchers.map(({ tierId, used }) => `${tierId}${used ? ', used' : ''}`).sort(),
    };
  }

  private toEarn(place: Place): number | null {
    const next = this.rules.ladder[place.expired ? 0 : this.rankOf(place.tier)];
    return next === undefined ? null : next.threshold - this.model.figureSince(place.climbsAfter, this.rules);
  }

  rankOf(tier: string | null): number {
    return this.rules.ladder.findIndex(({ id }) => id === tier) + 1;
  }
}

interface Seen {
  readonly tier: string | null;
  readonly endsOn: string | null;
  readonly expired: boolean;
  readonly gifts: readonly string[];
  readonly height: number;
  readonly rank: number;
  readonly isAway: boolean;
}

/** Asserts the promises that must hold whatever the model says. */
function assertMovesAreEarned(life: Life, step: Happening, before: Seen, after: Seen): void {
  const { model, rules } = life;
  const was = before.expired ? 0 : life.rankOf(before.tier);
  const isGone = before.tier !== null && life.rankOf(before.tier) === 0;
  const said = `${JSON.stringify(step)}: ${JSON.stringify(before)} → ${JSON.stringify(after)}`;

  if (after.tier !== before.tier || after.expired !== before.expired) {
    if (after.height > was && step.does !== 'return' && step.does !== 'return all') {
      const place = model.seen(rules, life.now);
      const figure = model.figureSince(place.climbsAfter, rules);
      const { threshold, id } = rules.ladder[after.height - 1]!;
      assert.ok(figure >= threshold || (isGone && id === after.tier), `rises unearned: ${said}`);
    }
    if (after.height < was) {
      const mayFall =
        step.does === 'return' ||
        step.does === 'return all' ||
        (step.does === 'wait' && before.endsOn !== null);
      const comesBack = step.does === 'join' || step.does === 'unblock';
      assert.ok(mayFall || comesBack || isGone, `falls before its time: ${said}`);
      if (step.does === 'wait') assert.ok(!before.isAway, `falls while away: ${said}`);
    }
  }
  const tiers = after.gifts.map((gift) => gift.split(',')[0]!);
  assert.equal(new Set(tiers).size, tiers.length, `a benefit twice: ${said}`);
  if (model.joinedAt !== null && !model.isAway && after.height > was && step.does !== 'return')
    for (const { id, gift } of rules.ladder.slice(was, after.height))
      if (gift && !isGone) assert.ok(tiers.includes(id), `no benefit of ${id}: ${said}`);
}

const DAY_MS = 86_400_000;
