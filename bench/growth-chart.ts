import { whole } from './figures.ts';
import { meanCost, type Growth } from './growth.ts';
import { median } from './median.ts';

/** What one load costs at one number of members: the median of the rounds, the least and the most. */
interface Point {
  readonly members: number;
  readonly cost: number;
  readonly least: number;
  readonly most: number;
}

// Each is told apart from the others on white and on black.
const COLORS = ['#9b59b6', '#2e86c1', '#d68910', '#229954'];
const [LEFT, TOP, WIDTH, HEIGHT, RIGHT, BOTTOM] = [64, 16, 460, 300, 190, 44];

/** Cost over members, both by their logarithms: a line for each load, a dot for each median, a bar from least to most. */
export function growthChart(rounds: readonly Growth[]): string {
  const lines = Object.keys(rounds[0]!).map((name) => ({ name, points: pointsOf(rounds, name) }));
  const all = lines.flatMap(({ points }) => points);
  const sizes = [...new Set(all.map(({ members }) => members))];
  const costs = niceNumbers(
    Math.min(...all.map(({ least }) => least)),
    Math.max(...all.map(({ most }) => most)),
  );
  const across = scale(sizes[0]!, sizes.at(-1)!, LEFT, LEFT + WIDTH);
  const up = scale(costs[0]!, costs.at(-1)!, TOP + HEIGHT, TOP);
  const labels = apart(lines.map(({ points }) => up(points.at(-1)!.cost)));

  const drawing = [
    ...costs.map(
      (cost) => `${grid(LEFT, up(cost), LEFT + WIDTH, up(cost))}
${text(LEFT - 8, up(cost) + 4, 'end', whole(cost))}`,
    ),
    ...sizes.map(
      (size) => `${grid(across(size), TOP, across(size), TOP + HEIGHT)}
${text(across(size), TOP + HEIGHT + 18, 'middle', whole(size))}`,
    ),
    text(LEFT + WIDTH / 2, TOP + HEIGHT + 38, 'middle', 'members'),
    `<text transform="translate(14 ${TOP + HEIGHT / 2}) rotate(-90)" text-anchor="middle" fill="#777">µs of processor time a request</text>`,
    ...lines.flatMap(({ name, points }, i) => [
      curve(points, COLORS[i % COLORS.length]!, across, up),
      `<text x="${LEFT + WIDTH + 12}" y="${at(labels[i]! + 4)}" fill="${COLORS[i % COLORS.length]!}">${name}</text>`,
    ]),
  ];
  const size = `width="${LEFT + WIDTH + RIGHT}" height="${TOP + HEIGHT + BOTTOM}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} font-family="sans-serif" font-size="12" role="img"><title>Processor time of one request over the number of members</title>
${drawing.join('\n')}
</svg>\n`;
}

function pointsOf(rounds: readonly Growth[], name: string): Point[] {
  return Object.keys(rounds[0]![name]!).map((key) => {
    const members = Number(key);
    const costs = rounds.map((growth) => meanCost(growth[name]![members]!));
    return { members, cost: median(costs)!, least: Math.min(...costs), most: Math.max(...costs) };
  });
}

function curve(points: readonly Point[], color: string, across: Scale, up: Scale): string {
  const line = points.map(({ members, cost }) => `${at(across(members))},${at(up(cost))}`).join(' ');
  const marks = points.map(({ members, cost, least, most }) => {
    const x = at(across(members));
    return `<path d="M${x} ${at(up(least))}V${at(up(most))}" stroke="${color}" stroke-width="5" opacity="0.35"/><circle cx="${x}" cy="${at(up(cost))}" r="3.5" fill="${color}"/>`;
  });
  return `<polyline points="${line}" fill="none" stroke="${color}" stroke-width="2"/>${marks.join('')}`;
}

type Scale = (value: number) => number;

/** From a value to its place, by logarithms. */
function scale(low: number, high: number, from: number, to: number): Scale {
  const length = Math.log(high / low) || 1;
  return (value) => from + ((to - from) * Math.log(value / low)) / length;
}

/** 1, 2 and 5 times the powers of ten: those between the two, and one more on either side. */
function niceNumbers(low: number, high: number): number[] {
  const all = Array.from({ length: 24 }, (_, i) => [1, 2, 5][i % 3]! * 10 ** (Math.floor(i / 3) - 1));
  const first = all.findLastIndex((number) => number <= low);
  const last = all.findIndex((number) => number >= high);
  return all.slice(Math.max(0, first), last < 0 ? undefined : last + 1);
}

/** Moves names that would stand on each other down, in the order in which they stand. */
function apart(places: readonly number[]): number[] {
  const moved = [...places];
  let last = -Infinity;
  for (const i of places.map((_, i) => i).toSorted((a, b) => places[a]! - places[b]!)) {
    moved[i] = Math.max(places[i]!, last + 15);
    last = moved[i];
  }
  return moved;
}

function grid(x1: number, y1: number, x2: number, y2: number): string {
  return `<path d="M${at(x1)} ${at(y1)}L${at(x2)} ${at(y2)}" stroke="#777" stroke-opacity="0.25"/>`;
}

function text(x: number, y: number, anchor: string, words: string): string {
  return `<text x="${at(x)}" y="${at(y)}" text-anchor="${anchor}" fill="#777">${words}</text>`;
}

function at(place: number): string {
  return place.toFixed(1);
}
