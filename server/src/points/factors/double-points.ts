import type { Factor } from './factor.ts';

/** Twice the points while a window of double points is open: from its first instant, and no longer at its last. */
export const doublePoints: Factor<'double', []> = {
  kind: 'double',
  says: ({ at, rules }) =>
    rules.earning.doublePoints.some((window) => window.from <= at && at < window.to) ? [] : null,
  after: (points) => points * 2n,
  tell: ({ after, language, number }) => `${words[language]} × 2 = ${number(after)}`,
};

const words = { en: 'double points', es: 'puntos dobles' };
