import { Type } from 'typebox';
import { readBenefits } from '#benefits/read-benefits.ts';
import type { Database } from '#db/database.ts';
import { route } from '#http/route.ts';
import type { HolderReader } from '#points/holder-reader.ts';
import { AutomaticRewardSchema, automaticRewardToWire } from './wire.ts';

/** The rewards that a program gives automatically, as its members see them. */
export function rewardRoutes({ db, holderOf }: { db: Database; holderOf: HolderReader }) {
  return {
    listAutomaticRewards: route({
      schema: {
        operationId: 'listAutomaticRewards',
        summary: 'List the automatic rewards of the program',
        description: 'Lists what the program gives, not what the person has received.',
        tags: ['My account'],
        response: { 200: Type.Array(AutomaticRewardSchema) },
      },
      config: { turn: 'read', credential: 'user', document: 'contract' },
      handler: async (request) => {
        const { commerce } = await holderOf({ commerceId: request.commerceId, userId: request.userId });
        request.commerceTime = commerce.now;
        const { welcome, birthday, monthlyTop } = commerce.rules.rewards;
        const configured = [
          { event: 'welcome' as const, reward: welcome },
          { event: 'birthday' as const, reward: birthday },
          { event: 'monthly_top' as const, reward: monthlyTop },
        ];
        const refs = configured.flatMap(({ reward }) =>
          reward !== null && 'benefitId' in reward ? [{ commerceId: commerce.id, id: reward.benefitId }] : [],
        );
        const benefits = refs.length === 0 ? [] : await readBenefits(db, refs);
        return configured.flatMap(({ event, reward }) => {
          if (reward === null) return [];
          if ('points' in reward) return [automaticRewardToWire(event, reward, request.serviceUrl)];
          const benefit = benefits.find(
            ({ id, withdrawnAt }) => id === reward.benefitId && withdrawnAt === null,
          );
          return benefit === undefined ? [] : [automaticRewardToWire(event, { benefit }, request.serviceUrl)];
        });
      },
    }),
  };
}
