import { dateFormat, numberFormat } from '#text/formats.ts';
import type { MovementType } from '#points/locked-member.ts';
import { explainPurchase, type Explained } from '#purchases/explain-purchase.ts';

/** The facts for a sentence about a movement. */
export interface MovementFacts {
  readonly type: MovementType;
  readonly points: number;
  /** The change of points for each expiry day; `infinity` for points that do not expire. */
  readonly days: readonly { readonly day: string; readonly points: number }[];
  /** The computation of the purchase; for a return or a correction, of its purchase. */
  readonly purchase: Explained | null;
  /** For a return or a correction: what counts of the purchase's amount, in whole currency units. */
  readonly kept: number | null;
  readonly benefit: string | null;
  readonly event: string | null;
  readonly note: string | null;
  /** For an adjustment: true if the day was set by hand. */
  readonly isDayByHand?: boolean;
}

/** Explains the points of any movement in one sentence, in the commerce's language. */
export function explainMovement(facts: MovementFacts, locale: string): string {
  const words = locale.startsWith('es') ? spanish : english;
  const number = numberFormat(locale);
  const count = (points: number) => words.points(number.format(Math.abs(points)), Math.abs(points));
  const dayOf = dateFormat(locale, { dateStyle: 'long', timeZone: 'UTC' });
  const days = facts.days
    .map(({ day, points }) => {
      const until =
        day === 'infinity' ? words.noDate : words.until(dayOf.format(new Date(`${day}T00:00:00Z`)));
      return `${number.format(points)} ${until}`;
    })
    .join(', ');
  const { points, benefit, event, kept, purchase, note, isDayByHand = false } = facts;

  const sentences: Record<MovementType, () => string> = {
    purchase: () => (purchase === null ? '' : explainPurchase(purchase, locale)),
    available: () => words.available(count(points), days),
    correction: () => words.correction(number.format(kept ?? 0), count(points), days),
    reversal: () => words.reversal(number.format(kept ?? 0), count(points), days),
    exchange: () => words.exchange(benefit ?? '', count(points), days),
    give_back: () => words.giveBack(benefit ?? '', count(points), days),
    usage: () => words.usage(benefit ?? ''),
    undo: () => words.undo(benefit ?? ''),
    reward: () => words.reward(words.events[event as keyof typeof words.events], count(points), days),
    adjustment: () => words.adjustment(note, count(points), days, points < 0, isDayByHand),
    expiry: () => words.expiry(count(points), days),
    redate: () => words.redate(days),
  };
  return sentences[facts.type]();
}

const english = {
  points: (text: string, count: number) => `${text} ${count === 1 ? 'point' : 'points'}`,
  noDate: 'without a date',
  until: (day: string) => `until ${day}`,
  available: (points: string, days: string) =>
    `${points} of the purchase can be spent now${inBrackets(days)}.`,
  correction: (kept: string, points: string, days: string) =>
    `By the rule of the purchase's own day what is paid for it now, ${kept}, earns more: ${points} added${inBrackets(days)}.`,
  reversal: (kept: string, points: string, days: string) =>
    `By the rule of the purchase's own day what is kept of it, ${kept}, earns less: ${points} taken back${inBrackets(days)}.`,
  exchange: (benefit: string, points: string, days: string) =>
    `${benefit}, bought for ${points}; what expires first was spent first (${days}).`,
  giveBack: (benefit: string, points: string, days: string) =>
    `${benefit}, given back for its ${points} (${days}).`,
  usage: (benefit: string) => `${benefit}, used; no points move.`,
  undo: (benefit: string) => `${benefit}, its use undone; no points move.`,
  reward: (event: string, points: string, days: string) => `Reward for ${event}: ${points} (${days}).`,
  events: { welcome: 'joining', birthday: 'the birthday', monthly_top: 'buying the most in a month' },
  adjustment: (note: string | null, points: string, days: string, isTaken: boolean, isByHand: boolean) =>
    `${note ?? 'Adjusted by the shop'}: ${points}${isTaken ? ' taken' : ''} (${days})${isByHand ? '; the day was set by hand' : ''}.`,
  expiry: (points: string, days: string) => `${points} expired unspent (${days}).`,
  redate: (days: string) => `The program changed when points expire (${days}).`,
};

const spanish: typeof english = {
  points: (text, count) => `${text} ${count === 1 ? 'punto' : 'puntos'}`,
  noDate: 'sin fecha',
  until: (day) => `hasta el ${day}`,
  available: (points, days) => `${points} de la compra ya se pueden usar${inBrackets(days)}.`,
  correction: (kept, points, days) =>
    `Por la regla del día de la compra, lo que se paga ahora por ella, ${kept}, suma más: se añaden ${points}${inBrackets(days)}.`,
  reversal: (kept, points, days) =>
    `Por la regla del día de la compra, lo que se conserva de ella, ${kept}, suma menos: se retiran ${points}${inBrackets(days)}.`,
  exchange: (benefit, points, days) =>
    `${benefit}, comprado por ${points}; se gasta primero lo que vence antes (${days}).`,
  giveBack: (benefit, points, days) => `${benefit}, devuelto por sus ${points} (${days}).`,
  usage: (benefit) => `${benefit}, usado; no se mueven puntos.`,
  undo: (benefit) => `${benefit}, su uso deshecho; no se mueven puntos.`,
  reward: (event, points, days) => `Premio por ${event}: ${points} (${days}).`,
  events: { welcome: 'unirse', birthday: 'el cumpleaños', monthly_top: 'comprar más que nadie en un mes' },
  adjustment: (note, points, days, isTaken, isByHand) =>
    `${note ?? 'Ajustado por el comercio'}: ${isTaken ? 'se retiran ' : ''}${points} (${days})${isByHand ? '; el día se fijó a mano' : ''}.`,
  expiry: (points, days) => `${points} vencieron sin gastarse (${days}).`,
  redate: (days) => `El programa cambió cuándo vencen los puntos (${days}).`,
};

/** Returns '' if no day changed, because the points of the return had already expired. */
function inBrackets(days: string): string {
  return days === '' ? '' : ` (${days})`;
}
