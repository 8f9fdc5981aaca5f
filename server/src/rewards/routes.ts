import { Type } from 'typebox';
import { readBenefit } from '#benefits/benefit.ts';
import type { Database } from '#db/database.ts';
import { route } from '#http/route.ts';
import type { HolderReader } from '#points/holder-reader.ts';
import { AutomaticReward, automaticRewardOf } from './wire.ts';

/** What a program hands out by itself, as its members see it. */
export function rewardRoutes({ db, holderOf }: { db: Database; holderOf: HolderReader }) {
  return {
    listAutomaticRewards: route({
      schema: {
        operationId: 'listAutomaticRewards',
        summary: 'The automatic rewards of the program',
        description: 'What the commerce configured, not what the person received.',
        tags: ['My account'],
        response: { 200: Type.Array(AutomaticReward) },
      },
      config: { credential: 'user', document: 'contract' },
      handler: async (request) => {
        const { commerce } = await holderOf({ commerceId: request.commerceId, userId: request.userId });
        const { welcome, birthday, monthlyTop } = commerce.rules.rewards;
        const configured = [
          { event: 'welcome' as const, reward: welcome },
          { event: 'birthday' as const, reward: birthday },
          { event: 'monthly_top' as const, reward: monthlyTop },
        ];
        const shown = [];
        for (const { event, reward } of configured) {
          if (reward === null) continue;
          const benefit =
            'points' in reward ? undefined : await readBenefit(db, commerce.id, reward.benefitId);
          if ('points' in reward) shown.push(automaticRewardOf(event, reward));
          else if (benefit !== undefined) shown.push(automaticRewardOf(event, { benefit }));
        }
        return shown;
      },
    }),
  };
}
