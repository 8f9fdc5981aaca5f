/** How a purchase's points came about, as a sentence and as figures. */
export interface Explained {
  /** Whole currency units. */
  readonly amount: number;
  /** Currency units for one point, in thousandths. */
  readonly moneyPerPoint: number;
  readonly base: number;
  readonly double: boolean;
  /** In thousandths. */
  readonly multiplier: number;
  readonly tierName: string | null;
  readonly points: number;
}

/** One sentence in the commerce's language: each step of the computation, in the contract's order. */
export function explainPurchase(purchase: Explained, locale: string): string {
  const words = locale.startsWith('es') ? spanish : english;
  const number = new Intl.NumberFormat(locale, { maximumFractionDigits: 3 });
  const { amount, moneyPerPoint, base, double, multiplier, tierName, points } = purchase;
  const steps = [
    `${number.format(amount)} ÷ ${number.format(moneyPerPoint / 1000)} = ${words.points(number.format(base), base)}`,
  ];
  if (double) steps.push(`${words.double} × 2 = ${number.format(2 * base)}`);
  if (multiplier !== 1000) {
    steps.push(
      `${tierName ?? words.tier} × ${number.format(multiplier / 1000)} = ${words.points(number.format(points), points)}`,
    );
  }
  return `${steps.join('; ')}.`;
}

const english = {
  points: (text: string, count: number) => `${text} ${count === 1 ? 'point' : 'points'}`,
  double: 'double points',
  tier: 'tier',
};

const spanish = {
  points: (text: string, count: number) => `${text} ${count === 1 ? 'punto' : 'puntos'}`,
  double: 'puntos dobles',
  tier: 'nivel',
};
