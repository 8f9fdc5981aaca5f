import type { Factor } from './factor.ts';

/** Cuts what is above the most points of a period. The room is that of the purchase's own time, for good. */
export const cap: Factor<'cap', [room: number, most: number, per: string]> = {
  kind: 'cap',
  says({ at, rules, buyer }) {
    const { cap: most } = rules.earning;
    if (most === null || buyer === null) return null;
    const rooms = [at, buyer.arrivedAt ?? at].map((instant) => {
      const { from, to } = rules.earning.periodOf(instant, most.per);
      const earned = buyer.past
        .filter((one) => from <= one.at && one.at < to)
        .reduce((sum, { points }) => sum + points, 0);
      return Math.max(0, most.points - earned);
    });
    return [Math.min(...rooms), most.points, most.per];
  },
  after: (points, _, room) => (points < BigInt(room) ? points : BigInt(room)),
  line: ({ language, number }, room, most, per) => ({
    formula: `≤ ${number(room)}`,
    name: words[language](number(most), periods[language][per] ?? per),
  }),
  name: () => null,
  tell: ({ before, after, language, number, points }, _, most, per) =>
    before === after
      ? null
      : `${words[language](number(most), periods[language][per] ?? per)}: ${points(after)}`,
};

const words = {
  en: (most: string, period: string) => `at most ${most} ${period}`,
  es: (most: string, period: string) => `como máximo ${most} ${period}`,
};
const periods: Readonly<Record<'en' | 'es', Readonly<Record<string, string>>>> = {
  en: { day: 'a day', week: 'a week', month: 'a month' },
  es: { day: 'al día', week: 'a la semana', month: 'al mes' },
};
