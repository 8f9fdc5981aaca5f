/** Below every card: a card has nine digits, and a scanner may type one where an amount belongs. */
const MOST = 99_999_999;

/**
 * Returns the highest amount of one purchase that a shop begins with: enough for nearly all purchases, and far below a code
 * that is typed by mistake.
 */
export function firstMaxAmount(moneyPerPoint: number): number {
  const many = Math.min(MOST, Math.max(1000, Math.ceil(moneyPerPoint) * 10_000));
  // Where a point costs millions, purchases have nine digits too.
  return Math.max(many, Math.ceil(moneyPerPoint) * 25);
}
