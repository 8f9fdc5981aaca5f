import type { Factor } from './factor.ts';

/** Doubles the points during a double-points window, which includes its start and excludes its end. */
export const doublePoints: Factor<'double', []> = {
  kind: 'double',
  says: ({ at, rules }) =>
    rules.earning.doublePoints.some((window) => window.from <= at && at < window.to) ? [] : null,
  after: (points) => points * 2n,
  line: ({ language }) => ({ formula: '× 2', name: words[language] }),
  name: ({ language }) => words[language],
  tell: ({ after, language, number }) => `${words[language]} × 2 = ${number(after)}`,
};

const words = { en: 'double points', es: 'puntos dobles' };
