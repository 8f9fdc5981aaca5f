import type { Language } from '#text/language.ts';
import { addDays, type Day } from '#calendar/calendar.ts';
import type { Commerce } from '#commerces/commerce.ts';
import { mailKindOf, type MailContents } from '#mail/outbox.ts';
import { writeMail, type Shop, type WrittenMail } from '#mail/write-mail.ts';
import type { MessageKind } from '#program/messages.ts';
import type { Program } from '#program/program.ts';

/** Which mail to show, and how. */
export interface Preview {
  readonly kind: MessageKind;
  readonly language: Language;
  /** The program that the mail is written with; it may be a draft. */
  readonly program: Program;
}

/** Writes a mail as a member would get it, with example values from the program. Its last link leads nowhere. */
export function previewMessage(
  { today }: Pick<Commerce, 'today'>,
  preview: Preview,
  base: string,
): WrittenMail {
  const { kind, language, program } = preview;
  const shop: Shop = {
    ...program,
    sender: program.mail.sender,
    words: program.mail.words,
    locale: language,
  };
  const content = examplesOf(program, today)[kind];
  return writeMail(mailKindOf(kind), content as never, shop, { base, settings: `${base}/mail/example` });
}

type Contents = { readonly [K in Exclude<MessageKind, 'expiring'>]: MailContents[K] } & {
  readonly expiring: MailContents['expiry-reminder'];
};

/** Returns the values of each mail, from the program where it has them. */
function examplesOf({ rewards, levels, benefits }: Program, today: Day): Contents {
  const giftOf = (
    reward: { points: number | null; benefit: string | null } | null,
    fallback: number | null,
  ) =>
    reward === null
      ? { points: fallback, benefit: null }
      : {
          points: reward.points,
          benefit: benefits.find(({ id }) => id === reward.benefit)?.title ?? null,
        };
  const tier = levels.ladder.at(-1);
  return {
    invitation: { points: 42 },
    welcome: { ...giftOf(rewards.welcome, null), balance: 42 },
    expiring: { points: 86, expiresOn: addDays(today, 30), daysLeft: 30 },
    birthday: giftOf(rewards.birthday, 50),
    level: {
      level: tier?.name ?? 'Gold',
      multiplierThousandths: Math.round((tier?.points_multiplier ?? 1.5) * 1000),
      benefit: benefits.find(({ id }) => id === tier?.benefit)?.title ?? null,
    },
    reward: {
      ...giftOf(rewards.monthly_top, 100),
      month: addDays(`${today.slice(0, 7)}-01`, -1).slice(0, 7),
    },
  };
}
