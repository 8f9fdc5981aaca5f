import {
  useCallback,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
  type KeyboardEvent,
  type PointerEvent,
} from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { ChartColumn, ChartLook, ChartSeries } from './chart-look.ts';
import { readChartColors, type ChartColors } from './chart-colors.ts';

/**
 * Bars and lines over periods. With a mouse or the arrow keys, one moves from period to period and reads the figures; Enter or a
 * click opens what they are made of. A screen reader meets it as a slider whose value is the period with its figures. The
 * same figures stand in a table below.
 */
export default function Chart({
  look,
  height = 280,
  onOpen,
}: {
  look: ChartLook;
  height?: number;
  onOpen?: (column: number) => void;
}) {
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const probe = useRef<HTMLElement>(null);
  const plot = useRef<uPlot | null>(null);
  const [at, setAt] = useState<number | null>(null);
  const { columns, series } = look;
  const drawn = useRef('');

  const draw = useCallback(() => {
    plot.current?.destroy();
    const { clientWidth: width } = box.current!;
    plot.current = createPlot(look, { width, height }, readChartColors(probe.current!), box.current!);
  }, [look, height]);

  // Drawn again if the figures change, not each time the page is rendered.
  const shape = JSON.stringify([columns, series, height]);
  useLayoutEffect(() => {
    if (drawn.current === shape) return;
    drawn.current = shape;
    setAt(null);
    draw();
  }, [shape, draw]);
  useLayoutEffect(
    () => () => {
      plot.current?.destroy();
      plot.current = null;
      drawn.current = '';
    },
    [],
  );
  useEffect(() => {
    const resized = new ResizeObserver(() => {
      const width = box.current?.clientWidth ?? 0;
      if (plot.current !== null && width > 0 && width !== plot.current.width)
        plot.current.setSize({ width, height });
    });
    resized.observe(box.current!);
    // The colors of the shop arrive, or the device turns dark: then the probe changes its own.
    const colored = probe.current!;
    colored.addEventListener('transitionend', draw);
    void document.fonts.ready.then(() => plot.current?.redraw(false));
    return () => {
      resized.disconnect();
      colored.removeEventListener('transitionend', draw);
    };
  }, [draw, height]);

  const columnAt = (event: PointerEvent) => {
    if (plot.current === null) return null;
    const { left, width } = plot.current.over.getBoundingClientRect();
    const column = Math.floor(((event.clientX - left) / width) * columns.length);
    return column >= 0 && column < columns.length ? column : null;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const last = columns.length - 1;
    const now = at ?? last;
    const to = {
      ArrowRight: now + 1,
      ArrowUp: now + 1,
      ArrowLeft: now - 1,
      ArrowDown: now - 1,
      PageUp: now + 7,
      PageDown: now - 7,
      Home: 0,
      End: last,
    }[event.key];
    if (event.key === 'Enter' && onOpen !== undefined) onOpen(now);
    if (event.key === 'Escape') setAt(null);
    if (to === undefined) return;
    event.preventDefault();
    setAt(Math.max(0, Math.min(last, at === null && event.key.startsWith('Arrow') ? last : to)));
  };

  const shown = at ?? columns.length - 1;
  return (
    <div
      className={onOpen === undefined ? 'chart' : 'chart opens'}
      role="slider"
      tabIndex={0}
      aria-label={look.title}
      aria-describedby={`${id}-about`}
      aria-valuemin={1}
      aria-valuemax={columns.length}
      aria-valuenow={shown + 1}
      aria-valuetext={columns[shown] === undefined ? '' : sayColumn(columns[shown], series, shown)}
      onKeyDown={onKeyDown}
      onFocus={(event) => event.currentTarget.matches(':focus-visible') && setAt(columns.length - 1)}
      onBlur={() => setAt(null)}
      onPointerMove={(event) => setAt(columnAt(event))}
      onPointerLeave={(event) => event.pointerType === 'mouse' && setAt(null)}
      onPointerDown={(event) => event.pointerType !== 'mouse' && setAt(columnAt(event))}
      onClick={(event) => {
        // On a touch screen the first touch shows the figures. They can be followed in the table.
        const { pointerType } = event.nativeEvent as globalThis.PointerEvent;
        if (pointerType === 'mouse' && at !== null) onOpen?.(at);
      }}
    >
      <i ref={probe} className="chart-probe" aria-hidden="true" />
      <div ref={box} className="chart-box" aria-hidden="true" />
      {at !== null && columns[at] !== undefined && <Reading plot={plot.current} at={at} look={look} />}
      <p id={`${id}-about`} className="unseen">
        {look.about}
      </p>
    </div>
  );
}

/** The figures of the column under the pointer. */
function Reading({ plot, at, look }: { plot: uPlot | null; at: number; look: ChartLook }) {
  const band = useRef<HTMLDivElement>(null);
  const card = useRef<HTMLDivElement>(null);
  const { columns, series } = look;
  useLayoutEffect(() => {
    if (plot === null) return;
    const start = plot.bbox.left / devicePixelRatio;
    const step = plot.bbox.width / devicePixelRatio / columns.length;
    const left = start + at * step;
    band.current!.style.left = `${left}px`;
    band.current!.style.width = `${step}px`;
    const isRight = left > plot.width / 2;
    const { style } = card.current!;
    const width = card.current!.offsetWidth;
    const free = isRight ? left - width - 8 : left + step + 8;
    style.left = `${Math.max(0, Math.min(free, plot.width - width))}px`;
  }, [plot, at, columns.length]);
  return (
    <>
      <div ref={band} className="chart-band" />
      <div ref={card} className="chart-reading" aria-hidden="true">
        <b>{columns[at]!.label}</b>
        {columns[at]!.note !== undefined && <span className="small">{columns[at]!.note}</span>}
        <dl>
          {series.map((one) => (
            <div key={one.label}>
              <dt>
                <i className={`key ${one.look} tone-${one.tones?.[at] ?? one.tone}`} />
                {one.label}
              </dt>
              <dd>{one.says[at]}</dd>
            </div>
          ))}
        </dl>
      </div>
    </>
  );
}

function sayColumn(column: ChartColumn, series: readonly ChartSeries[], at: number): string {
  const figures = series.map((one) => `${one.label}: ${one.says[at]}`).join(', ');
  return `${[column.label, column.note].filter(Boolean).join(', ')}. ${figures}`;
}

/** Bars are stacked away from zero, upwards or downwards. Lines lie above them. */
function createPlot(
  look: ChartLook,
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
  for (const one of series.filter(({ look }) => look === 'bar')) {
    const stack = one.isDown === true ? down : up;
    const starts = [...stack];
    const ends = one.values.map(
      (value, i) => (stack[i] = stack[i]! + (one.isDown === true ? -1 : 1) * (value ?? 0)),
    );
    const fills = columns.map((column, i) =>
      colors.fillOf(one.tones?.[i] ?? one.tone, column.isRunning === true),
    );
    (data as (number | null)[][]).push(ends);
    drawn.push({
      fill: colors.lines[one.tone],
      width: 0,
      points: { show: false },
      paths: uPlot.paths.bars!({
        size: [0.68, 44, 1],
        radius: [0.12, 0],
        disp: {
          y0: { unit: 1, values: () => starts },
          y1: { unit: 1, values: () => ends },
          fill: { unit: 3, values: () => fills },
        } as unknown as NonNullable<uPlot.Series.BarsPathBuilderOpts['disp']>,
      }),
    });
  }
  for (const one of series.filter(({ look }) => look !== 'bar')) {
    (data as (number | null)[][]).push([...one.values]);
    const isDashed = one.look === 'dashed';
    drawn.push({
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
      scales: {
        x: { time: false, range: [-0.5, n - 0.5] },
        y: { range: (_, low, high) => rangeOf(low, high, look.isFromZero !== false) },
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

/** Whole numbers only: there is no half point. */
const INCREMENTS = Array.from({ length: 16 }, (_, power) =>
  [1, 2, 5].map((step) => step * 10 ** power),
).flat();

function rangeOf(low: number | null, high: number | null, isFromZero: boolean): uPlot.Range.MinMax {
  const least = low ?? 0;
  const most = high ?? 0;
  const room = Math.max(most - least, 1) * 0.08;
  if (!isFromZero && least > 0) return [Math.max(0, least - room * 2), most + room];
  return [least < 0 ? least - room : 0, Math.max(most + room, least < 0 ? 0 : 4)];
}

/** The last column always has its label; the others as far as there is room. */
function placesOfLabels(n: number, width: number): number[] {
  const step = Math.max(1, Math.ceil((n * 68) / Math.max(width - 60, 68)));
  return Array.from({ length: Math.ceil(n / step) }, (_, i) => n - 1 - i * step).toReversed();
}
