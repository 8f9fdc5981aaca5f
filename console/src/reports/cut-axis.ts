import type { ChartLook } from './chart-look.ts';

/** Where an axis ends before its largest figures, so that the others can be told apart; null if it shows them all. */
export interface Cut {
  readonly above: number | null;
  readonly below: number | null;
}

/** A column with a figure that the axis does not reach. */
export interface CutColumn {
  readonly column: number;
  /** The series that goes furthest beyond. */
  readonly series: number;
}

/** So many times the next one is out of proportion, as for a single purchase. */
const TIMES = 10;
/** Fewer figures than these say nothing about what is usual. */
const USUAL = 4;

/**
 * Returns what the axis should show at most: a little above the figures that are in proportion. Null if all are, or if the
 * large ones are more than one in ten: then they are usual, too.
 */
export function cutOf(values: readonly number[]): number | null {
  const sorted = values.filter((value) => value > 0).toSorted((a, b) => b - a);
  for (let large = Math.max(1, Math.floor(sorted.length / 10)); large > 0; large--) {
    const next = sorted[large];
    if (next !== undefined && sorted.length - large >= USUAL && sorted[large - 1]! > TIMES * next)
      return next * 1.2;
  }
  return null;
}

/** Returns where the axis of a chart ends. Only bars are cut: a line shows how a figure came to be large. */
export function cutAxis({ series, columns }: Pick<ChartLook, 'series' | 'columns'>): Cut {
  const bars = series.filter(({ look }) => look === 'bar');
  if (bars.length === 0) return { above: null, below: null };
  const stack = (isDown: boolean) =>
    columns.map((_, i) =>
      bars
        .filter((bar) => (bar.isDown === true) === isDown)
        .reduce((sum, { values }) => sum + (values[i] ?? 0), 0),
    );
  const lines = series.filter(({ look }) => look !== 'bar').flatMap(({ values }) => values);
  return { above: cutOf([...stack(false), ...lines.map((value) => value ?? 0)]), below: cutOf(stack(true)) };
}

/** Returns the columns that a cut axis does not show whole, from left to right. */
export function cutColumns(
  { series, columns }: Pick<ChartLook, 'series' | 'columns'>,
  cut: Cut,
): CutColumn[] {
  return columns.flatMap((_, column) =>
    series.flatMap(({ values, isDown }, one) => {
      const end = isDown === true ? cut.below : cut.above;
      return end !== null && (values[column] ?? 0) > end ? [{ column, series: one }] : [];
    }),
  );
}
