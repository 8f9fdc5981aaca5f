/** The middle value, or the mean of the two middle ones; NaN if there are no values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** The smallest value that at least this share of the values does not exceed; NaN if there are no values. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * share) - 1] ?? NaN;
}

/** The slope of log value over log key by least squares: 0 is flat, 1 is proportional. */
export function logSlope(values: Readonly<Record<number, number>>): number {
  const logs = Object.entries(values).map(([x, y]) => ({ x: Math.log(Number(x)), y: Math.log(y) }));
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [x, y] = [mean(logs.map((log) => log.x)), mean(logs.map((log) => log.y))];
  return mean(logs.map((log) => (log.x - x) * (log.y - y))) / mean(logs.map((log) => (log.x - x) ** 2));
}

/** Returns so many of the items, in their order, whose figures are closest to each other; all if there are fewer. */
export function mostAlike<T>(items: readonly T[], count: number, figureOf: (item: T) => number): T[] {
  const sorted = items.toSorted((a, b) => figureOf(a) - figureOf(b));
  const spread = (from: number) => figureOf(sorted[from + count - 1]!) / figureOf(sorted[from]!);
  let best = 0;
  for (let from = 1; from + count <= sorted.length; from++) if (spread(from) < spread(best)) best = from;
  const chosen = new Set(sorted.slice(best, best + count));
  return items.filter((item) => chosen.has(item));
}
