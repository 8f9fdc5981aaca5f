import type { Program } from './program.ts';

/** Returns a sentence for each part of a valid program that does not do what it says at this time of the commerce's clock. */
export function warningsOf({ locale, rewards, levels, benefits }: Program, now: Date): string[] {
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
  const ended = handedOut.flatMap(({ path, id }) => {
    const expiration = id === null ? undefined : expired.get(id);
    return expiration === undefined
      ? []
      : [`${path}: ${id} expired on ${expiration}, so nothing is handed out`];
  });
  return [...warningsOfLanguage(locale), ...ended];
}

/** Returns a sentence if pages and mails do not exist in the language, else an empty list. */
export function warningsOfLanguage(locale: string): string[] {
  if (/^(en|es)\b/i.test(locale)) return [];
  return [`locale: pages and mails are in English or Spanish, not in ${locale}: members will see English`];
}
