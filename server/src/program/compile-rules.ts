/** Compiles a checked program for the pure rules: decimals become thousandths, instants become Dates. */
import { earningRulesOf } from './earning-rules.ts';
import type { Program } from './program.ts';
import type { Reward, Rules } from './rules.ts';
import { stampRuleOf } from './stamp-rules.ts';
import { thousandths } from './values.ts';

/** @param carriesSince the first version of those up to this one that all carry remainders */
export function rulesOf(program: Program, version: number, carriesSince = version): Rules {
  const { earning, points_expiration: expiration, levels, rewards } = program;
  const top = rewardOf(rewards.monthly_top);
  return {
    version,
    timeZone: program.time_zone,
    earning: earningRulesOf(earning, carriesSince, program.time_zone),
    stamps: program.stamps.map(stampRuleOf),
    expiration: { mode: expiration.mode, months: expiration.mode === 'none' ? 0 : (expiration.months ?? 0) },
    tiers: {
      thresholdType: levels.threshold_type,
      validMonths: levels.valid_months,
      ladder: levels.ladder.map((tier, index) => ({
        id: tier.id ?? missingId(index + 1),
        rank: index + 1,
        name: tier.name,
        threshold: tier.threshold,
        multiplierThousandths: thousandths(tier.points_multiplier),
        iconUrl: tier.icon_url,
        benefitId: tier.benefit,
      })),
    },
    mostUnusedCodes: program.codes.max_unused,
    codes: {
      holdMinutes: program.codes.hold_minutes,
      undoDays: program.codes.undo_days,
      restoresWithReturn: program.codes.with_return === 'restore',
    },
    rewards: {
      welcome: rewardOf(rewards.welcome),
      birthday: rewardOf(rewards.birthday),
      monthlyTop: top && { ...top, settleDays: rewards.monthly_top?.settle_days ?? 0 },
    },
  };
}

/** Never happens: applying a program gives every tier an id, and a migration gave ids to the tiers stored before. */
function missingId(rank: number): never {
  throw new Error(`tier ${rank} of the program has no id`);
}

function rewardOf(reward: { points: number | null; benefit: string | null } | null): Reward | null {
  if (!reward) return null;
  return reward.benefit === null ? { points: reward.points ?? 0 } : { benefitId: reward.benefit };
}
