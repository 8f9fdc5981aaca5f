import type { Tone } from './chart-look.ts';

/** The colors of a chart as the page has them now. */
export interface ChartColors {
  readonly text: string;
  readonly line: string;
  readonly area: string;
  readonly lines: Readonly<Record<Tone, string>>;
  /** The fill of a bar: a color, or stripes of it. */
  readonly fillOf: (tone: Tone, isRunning: boolean) => string | CanvasPattern;
}

const TONES: readonly Tone[] = ['main', 'second', 'soft', 'out', 'ending', 'back', 'before'];

type Stripes = 'up' | 'down' | 'level' | 'running';

/** Tones that must not be told apart by color alone are striped, each in its own direction. */
const STRIPES: Readonly<Partial<Record<Tone, Stripes>>> = { ending: 'up', second: 'down', back: 'level' };

/** Reads the style sheet's variables through an element, which resolves whatever they are made of. */
export function readChartColors(probe: HTMLElement): ChartColors {
  const own = getComputedStyle(probe);
  const read = (variable: string) => {
    probe.style.borderColor = `var(--${variable})`;
    return own.borderTopColor;
  };
  const lines = Object.fromEntries(TONES.map((tone) => [tone, read(`chart-${tone}`)])) as Record<
    Tone,
    string
  >;
  const card = read('card');
  const patterns = new Map<string, CanvasPattern>();
  return {
    text: read('quiet'),
    line: read('line'),
    area: read('tint'),
    lines,
    fillOf(tone, isRunning) {
      const stripes = isRunning ? 'running' : STRIPES[tone];
      if (stripes === undefined) return lines[tone];
      const key = `${tone} ${stripes}`;
      let pattern = patterns.get(key);
      if (pattern === undefined) patterns.set(key, (pattern = drawStripes(lines[tone], card, stripes)));
      return pattern;
    },
  };
}

/** Stripes of the color and the card's: wide ones for a meaning, narrow ones for what is not over yet. */
function drawStripes(color: string, card: string, kind: Stripes): CanvasPattern {
  const size = Math.round(6 * devicePixelRatio);
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = size;
  const context = canvas.getContext('2d')!;
  context.fillStyle = color;
  context.fillRect(0, 0, size, size);
  context.strokeStyle = card;
  context.globalAlpha = kind === 'running' ? 0.55 : 0.8;
  context.lineWidth = size * (kind === 'running' ? 0.45 : kind === 'level' ? 0.4 : 0.24);
  context.lineCap = 'square';
  context.beginPath();
  const ends = { up: [size, 0], running: [size, 0], down: [0, size], level: [size / 2, size / 2] }[kind];
  for (const shift of kind === 'level' ? [0] : [-size, 0, size]) {
    context.moveTo(shift, ends[0]!);
    context.lineTo(shift + size, ends[1]!);
  }
  context.stroke();
  return context.createPattern(canvas, 'repeat')!;
}
