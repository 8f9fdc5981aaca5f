import type { Static } from 'typebox';
import { readCommerce, type Commerce } from '#commerces/commerce.ts';
import type { Database } from '#db/database.ts';
import { route } from '#http/route.ts';
import type { Rules } from '#program/rules.ts';
import { PublicEarningSchema, publicEarningToWire } from './earning-wire.ts';

/** What anybody may know about how purchases earn. */
export function publicEarningRoutes({ db }: { db: Database }) {
  const answerOf = earningOfThisSecond();
  return {
    getEarningRules: route({
      schema: {
        operationId: 'getEarningRules',
        summary: 'List what earns more now and next',
        description:
          'The public rules of the program that are in force now or in the next seven days, in words and in fields.',
        tags: ['Public'],
        response: { 200: PublicEarningSchema },
      },
      config: { turn: 'read', credential: 'header', document: 'extensions' },
      handler: async ({ commerceId }) => answerOf((await readCommerce(db, commerceId))!),
    }),
  };
}

interface Answer {
  readonly second: number;
  readonly earning: Static<typeof PublicEarningSchema>;
}

/**
 * Returns what tells the answer of this second, by the commerce's clock. Anybody may ask, and fifty
 * rules take milliseconds to tell. It is kept by the rules of a version of a program, which all calls share.
 */
function earningOfThisSecond(): (commerce: Commerce) => Answer['earning'] {
  const answers = new WeakMap<Rules, Answer>();
  return (commerce) => {
    const second = Math.floor(commerce.now.getTime() / 1_000);
    const known = answers.get(commerce.rules);
    if (known?.second === second) return known.earning;
    const earning = publicEarningToWire(commerce);
    answers.set(commerce.rules, { second, earning });
    return earning;
  };
}
