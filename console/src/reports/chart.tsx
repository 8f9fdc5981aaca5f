import {
  useCallback,
  useEffect,
  useEffectEvent,
  useId,
  useLayoutEffect,
  useRef,
  useState,
  type KeyboardEvent,
  type PointerEvent,
} from 'react';
import type uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { ChartColumn, ChartLook, ChartSeries } from './chart-look.ts';
import { keepPlace } from '../members/kept-place.ts';
import { readChartColors } from './chart-colors.ts';
import { createPlot } from './create-plot.ts';
import { cutAxis, cutColumns, type Cut } from './cut-axis.ts';
import { useReportTexts } from './texts.ts';

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
  const open = (column: number) => {
    if (onOpen === undefined) return;
    keepPlace({ y: Math.round(scrollY), focus: look.id });
    onOpen(column);
  };
  const [at, setAt] = useState<number | null>(null);
  const { columns, series } = look;
  const cut = cutAxis(look);
  const { box, probe, plot } = usePlot(look, cut, height, () => setAt(null));

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
    if (event.key === 'Enter') open(now);
    if (event.key === 'Escape') setAt(null);
    if (to === undefined) return;
    event.preventDefault();
    setAt(Math.max(0, Math.min(last, at === null && event.key.startsWith('Arrow') ? last : to)));
  };

  const shown = at ?? columns.length - 1;
  return (
    <div
      className={onOpen === undefined ? 'chart' : 'chart opens'}
      id={look.id}
      role="slider"
      tabIndex={0}
      aria-label={look.title}
      aria-describedby={`${id}-about ${id}-cut`}
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
        if (pointerType === 'mouse' && at !== null) open(at);
      }}
    >
      <i ref={probe} className="chart-probe" aria-hidden="true" />
      <div ref={box} className="chart-box" aria-hidden="true" />
      {at !== null && columns[at] !== undefined && <Reading plot={plot.current} at={at} look={look} />}
      <p id={`${id}-about`} className="unseen">
        {look.about}
      </p>
      <p id={`${id}-cut`} className="small chart-cut">
        <CutWords look={look} cut={cut} />
      </p>
    </div>
  );
}

/** Draws the chart into `box`, in the colors that `probe` has, again when the figures, the width or the colors change. */
function usePlot(look: ChartLook, { above, below }: Cut, height: number, onNew: () => void) {
  const box = useRef<HTMLDivElement>(null);
  const probe = useRef<HTMLElement>(null);
  const plot = useRef<uPlot | null>(null);
  const drawn = useRef('');
  const onDrawn = useEffectEvent(onNew);
  const { columns, series } = look;

  const draw = useCallback(() => {
    plot.current?.destroy();
    const { clientWidth: width } = box.current!;
    const colors = readChartColors(probe.current!);
    plot.current = createPlot(look, { above, below }, { width, height }, colors, box.current!);
  }, [look, above, below, height]);

  // Drawn again if the figures change, not each time the page is rendered.
  const shape = JSON.stringify([columns, series, height]);
  useLayoutEffect(() => {
    if (drawn.current === shape) return;
    drawn.current = shape;
    onDrawn();
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

  return { box, probe, plot };
}

/** Says what a cut axis does not show, with its figures. */
function CutWords({ look, cut }: { look: ChartLook; cut: Cut }) {
  const t = useReportTexts();
  const beyond = cutColumns(look, cut);
  if (beyond.length === 0) return null;
  const named = beyond.slice(0, MOST_NAMED).map(({ column, series }) => {
    const { label, look: kind, says } = look.series[series]!;
    const place = look.columns[column]!.label;
    return `${kind === 'bar' && look.series.length === 1 ? place : `${place}, ${label}`}: ${says[column]}`;
  });
  return t.axisCut(named, beyond.length - named.length);
}

/** More would be longer than the chart. */
const MOST_NAMED = 3;

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
                <i className={`chart-key ${one.look} tone-${one.tones?.[at] ?? one.tone}`} />
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
