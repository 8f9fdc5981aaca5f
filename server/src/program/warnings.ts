import type { Program } from './program.ts';

/** Returns a sentence for each part of a valid program that has no effect at this time of the commerce's clock. */
export function warningsOf({ rewards, levels, benefits }: Program, now: Date): string[] {
  const expired = new Map(
    benefits.flatMap(({ id, expiration }) =>
      expiration !== null && new Date(expiration) <= now ? [[id, expiration] as const] : [],
    ),
  );
  const handedOut = [
    ...(['welcome', 'birthday', 'monthly_top'] as const).map((event) => ({
      path: `rewards.${event}.benefit`,
      id: rewards[event]?.benefit ?? null,
    })),
    ...levels.ladder.map(({ benefit: id }, index) => ({ path: `levels.ladder[${index}].benefit`, id })),
  ];
  return handedOut.flatMap(({ path, id }) => {
    const expiration = id === null ? undefined : expired.get(id);
    return expiration === undefined
      ? []
      : [`${path}: ${id} expired on ${expiration}, so nothing is handed out`];
  });
}
