import { languageOf } from '#text/language.ts';
import { nameOfBranch } from './branches.ts';
import { isMessageOn, MESSAGE_KINDS, whyNoMessage, type NoMessage } from './messages.ts';
import type { Program } from './program.ts';

/** Returns a sentence for each part of a valid program that does not do what it says at this time of the commerce's clock. */
export function warningsOf(program: Program, now: Date): string[] {
  const { locale, rewards, levels, benefits, stamps } = program;
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
    ...stamps.map(({ then }, index) => ({ path: `stamps[${index}].then.benefit`, id: then.benefit })),
  ];
  const ended = handedOut.flatMap(({ path, id }) => {
    const expiration = id === null ? undefined : expired.get(id);
    return expiration === undefined
      ? []
      : [`${path}: ${id} expired on ${expiration}, so nothing is handed out`];
  });
  return [
    ...warningsOfLanguage(locale),
    ...ended,
    ...warningsOfMessages(program),
    ...warningsOfLines(program.earning),
    ...warningsOfBranches(program),
  ];
}

/** Without lines, a whole purchase is one line of no product, which nothing excludes. */
function warningsOfLines({ lines, exclude }: Program['earning']): string[] {
  const excludes = exclude.products.length > 0 || exclude.categories.length > 0 || exclude.discounted;
  return excludes && lines === 'optional'
    ? [
        'earning.exclude: a purchase without lines earns on all of its amount, because earning.lines is optional',
      ]
    : [];
}

/** A shop that names its branches most likely means one of them. */
function warningsOfBranches({ branches, earning, stamps }: Program): string[] {
  if (branches.length === 0) return [];
  const conditions = [
    ...earning.rules.map(({ when }, index) => ({ path: `earning.rules[${index}]`, when })),
    ...stamps.map(({ when }, index) => ({ path: `stamps[${index}]`, when })),
  ];
  return conditions.flatMap(({ path, when }) =>
    when.branches
      .filter((id) => nameOfBranch(branches, id) === null)
      .map((id) => `${path}.when.branches: ${id} is not the id of a branch of this program`),
  );
}

const REASONS: Readonly<Record<NoMessage, string>> = {
  no_reward: 'the program gives no such reward',
  points_do_not_expire: 'points do not expire',
  no_levels: 'the program has no tiers',
};

/** Returns a sentence for each mail that is switched on and never sent. */
function warningsOfMessages(program: Program): string[] {
  return MESSAGE_KINDS.flatMap((kind) => {
    const reason = whyNoMessage(program, kind);
    if (reason === null || !isMessageOn(program, kind)) return [];
    const path =
      kind === 'expiring' && program.mail.messages.expiring === null ? 'reminders' : `messages.${kind}`;
    return [`mail.${path}: ${REASONS[reason]}, so no such mail is sent`];
  });
}

/** Returns a sentence if pages and mails do not exist in the language, else an empty list. */
export function warningsOfLanguage(locale: string): string[] {
  if (languageOf(locale) === 'es' || /^en(?:-|$)/i.test(locale)) return [];
  return [`locale: pages and mails are in English or Spanish, not in ${locale}: members will see English`];
}
