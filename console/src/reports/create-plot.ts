import uPlot from 'uplot';
import type { ChartColors } from './chart-colors.ts';
import type { ChartLook } from './chart-look.ts';
import type { Cut } from './cut-axis.ts';
import { drawCuts } from './draw-cuts.ts';

/** Bars are stacked away from zero, upwards or downwards. Lines lie above them. */
export function createPlot(
  look: ChartLook,
  cut: Cut,
  size: { width: number; height: number },
  colors: ChartColors,
  target: HTMLElement,
): uPlot {
  const { columns, series } = look;
  const n = columns.length;
  const up = Array.from<number>({ length: n }).fill(0);
  const down = [...up];
  const data: uPlot.AlignedData = [columns.map((_, i) => i)];
  const drawn: uPlot.Series[] = [{}];
  const draw = (values: readonly (number | null)[], as: uPlot.Series) => {
    (data as (number | null)[][]).push([...values]);
    drawn.push({ points: { show: false }, ...as });
  };
  for (const one of series.filter(({ look }) => look === 'bar')) {
    const stack = one.isDown === true ? down : up;
    const starts = [...stack];
    const ends = one.values.map(
      (value, i) => (stack[i] = stack[i]! + (one.isDown === true ? -1 : 1) * (value ?? 0)),
    );
    const fills = columns.map((column, i) =>
      colors.fillOf(one.tones?.[i] ?? one.tone, column.isRunning === true),
    );
    draw(
      ends,
      bars(() => starts, ends, fills),
    );
    if (one.tones?.includes('soft') ?? one.tone === 'soft') {
      // A faint bar ends in a line that is not faint.
      const caps = columns.map(
        (_, i) => colors.lines[one.tones?.[i] === 'soft' ? 'main' : (one.tones?.[i] ?? 'main')],
      );
      draw(
        ends,
        bars((plot) => ends.map((end) => Math.max(0, end - 2 * valuePerPixel(plot))), ends, caps),
      );
    }
  }
  for (const one of series.filter(({ look }) => look !== 'bar')) {
    const isDashed = one.look === 'dashed';
    draw(one.values, {
      stroke: colors.lines[one.tone],
      width: isDashed ? 1.5 : 2.25,
      ...(isDashed && { dash: [4, 4] }),
      ...(one.look === 'area' && { fill: colors.area }),
      points: { show: n === 1, size: 7, fill: colors.lines[one.tone] },
    });
  }
  const font = `450 12px ${getComputedStyle(target).fontFamily}`;
  return new uPlot(
    {
      ...size,
      cursor: { show: false },
      legend: { show: false },
      padding: [12, 22, 0, 0],
      hooks: { draw: [(plot) => drawCuts(plot, look, cut)] },
      scales: {
        x: { time: false, range: [-0.5, n - 0.5] },
        y: { range: (_, low, high) => rangeOf(low, high, look.isFromZero !== false, cut) },
      },
      axes: [
        {
          font,
          stroke: colors.text,
          size: 28,
          gap: 8,
          grid: { show: false },
          ticks: { show: false },
          splits: (plot) => placesOfLabels(n, plot.width),
          values: (_, places) => places.map((place) => columns[place]?.short ?? ''),
        },
        {
          font,
          stroke: colors.text,
          size: (_, values) => Math.max(28, ...(values ?? []).map((text) => text.length * 7 + 14)),
          gap: 6,
          incrs: INCREMENTS,
          space: size.height < 240 ? 32 : 44,
          grid: { stroke: colors.line, width: 1 },
          ticks: { show: false },
          values: (_, values) => values.map((value) => look.axis(value)),
        },
      ],
      series: drawn,
    },
    data,
    target,
  );
}

/** Bars from one value to another, each with its own fill. */
function bars(
  startsOf: (plot: uPlot) => readonly number[],
  ends: readonly number[],
  fills: readonly (string | CanvasPattern)[],
): uPlot.Series {
  const disp = {
    y0: { unit: 1, values: startsOf },
    y1: { unit: 1, values: () => ends },
    fill: { unit: 3, values: () => fills },
  };
  return {
    // The fills of the bars count, but only if there is one for the series.
    fill: 'transparent',
    width: 0,
    paths: uPlot.paths.bars!({
      size: [0.68, 44, 1],
      radius: [0.12, 0],
      disp: disp as unknown as NonNullable<uPlot.Series.BarsPathBuilderOpts['disp']>,
    }),
  };
}

function valuePerPixel({ scales, bbox }: uPlot): number {
  const { min = 0, max = 0 } = scales['y']!;
  return ((max - min) * devicePixelRatio) / bbox.height;
}

/** Whole numbers only: there is no half point. */
const INCREMENTS = Array.from({ length: 16 }, (_, power) =>
  [1, 2, 5].map((step) => step * 10 ** power),
).flat();

function rangeOf(
  low: number | null,
  high: number | null,
  isFromZero: boolean,
  { above, below }: Cut,
): uPlot.Range.MinMax {
  const least = below === null ? (low ?? 0) : 0 - below;
  const most = above ?? high ?? 0;
  const room = Math.max(most - least, 1) * 0.08;
  if (!isFromZero && least > 0) return [Math.max(0, least - room * 2), most + room];
  const under = below === null ? least - room : least;
  const over = above === null ? most + room : most;
  return [least < 0 ? under : 0, Math.max(over, least < 0 ? 0 : 4)];
}

/** The last column always has its label; the others as far as there is room. */
function placesOfLabels(n: number, width: number): number[] {
  const step = Math.max(1, Math.ceil((n * 68) / Math.max(width - 60, 68)));
  return Array.from({ length: Math.ceil(n / step) }, (_, i) => n - 1 - i * step).toReversed();
}
