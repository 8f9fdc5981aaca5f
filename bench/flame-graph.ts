import type { Flame } from './profiler.ts';

const WIDTH = 1_200;
const ROW = 16;
/** Narrower than this, in pixels, nothing can be read. */
const NARROWEST = 2;
const LETTER = 6.2;

/** A flame graph as a picture: the wider a function, the more time it took; what it called stands on top of it. */
export function flameGraph(title: string, flame: Flame): string {
  const scale = WIDTH / flame.micros;
  const boxes: string[] = [];
  let deepest = 0;
  const draw = (one: Flame, x: number, depth: number) => {
    const width = one.micros * scale;
    if (width < NARROWEST) return;
    deepest = Math.max(deepest, depth);
    boxes.push(boxOf(one, x, depth, width, one.micros / flame.micros));
    let next = x;
    for (const child of one.children.toSorted((a, b) => b.micros - a.micros)) {
      draw(child, next, depth + 1);
      next += child.micros * scale;
    }
  };
  draw(flame, 0, 0);
  const height = (deepest + 1) * ROW;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height + 24}" font-family="monospace" font-size="10">
<rect width="100%" height="100%" fill="#fff"/>
<text x="6" y="15" font-size="12" font-family="sans-serif">${escaped(title)}</text>
<g transform="translate(0 ${height + 24 - ROW})">
${boxes.join('\n')}
</g>
</svg>
`;
}

function boxOf({ name, part }: Flame, x: number, depth: number, width: number, share: number): string {
  const y = -depth * ROW;
  const letters = Math.floor((width - 6) / LETTER);
  const label = letters < 3 ? '' : escaped(name.length > letters ? `${name.slice(0, letters - 1)}…` : name);
  return (
    `<g><title>${escaped(`${name} (${part}), ${(share * 100).toFixed(1)} %`)}</title>` +
    `<rect x="${x.toFixed(1)}" y="${y}" width="${Math.max(0.5, width - 0.5).toFixed(1)}" height="${ROW - 1}" fill="${colorOf(part)}"/>` +
    (label && `<text x="${(x + 3).toFixed(1)}" y="${y + 11}">${label}</text>`) +
    '</g>'
  );
}

function colorOf(part: string): string {
  const [kind] = part.split(':', 1);
  return COLORS[kind!] ?? '#e3dfd3';
}

const COLORS: Readonly<Record<string, string>> = {
  service: '#f4a261',
  driver: '#9bc1e8',
  'Fastify and its packages': '#e9d985',
  Node: '#b9d8a8',
  kernel: '#c9b6e4',
  'garbage collector': '#e5989b',
};

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
