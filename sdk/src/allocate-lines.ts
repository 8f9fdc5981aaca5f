/**
 * Shares a total out over the lines of an order, in whole units: each line gets its part rounded down, and what is left goes to those with
 * the largest remainders, the first of them first. So the lines of an order add up to what was paid for it.
 * @param total what was paid, in whole units
 * @param prices what each line costs, in any unit, with cents or without; not below zero
 * @returns a whole amount for each line, in their order
 * @throws TypeError if the total is not a whole number, a price is below zero, or there is nothing to share it out over
 */
export function allocateLines(total: number, prices: readonly number[]): number[] {
  if (!Number.isSafeInteger(total) || total < 0)
    throw new TypeError('total must be a whole number of currency units');
  if (!prices.every((price) => Number.isFinite(price) && price >= 0))
    throw new TypeError('prices must be numbers that are not below zero');
  const sum = prices.reduce((all, price) => all + price, 0);
  if (sum === 0) {
    if (total > 0) throw new TypeError('a total cannot be shared out over lines that cost nothing');
    return prices.map(() => 0);
  }
  const parts = prices.map((price) => (total * price) / sum);
  const amounts = parts.map(Math.floor);
  const byRemainder = Array.from(parts.keys()).sort(
    (one, other) => parts[other]! - amounts[other]! - (parts[one]! - amounts[one]!) || one - other,
  );
  let left = total - amounts.reduce((all, amount) => all + amount, 0);
  for (const line of byRemainder) {
    if (left <= 0) break;
    amounts[line]! += 1;
    left -= 1;
  }
  return amounts;
}
