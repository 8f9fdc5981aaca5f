import { whole } from './figures.ts';
import { median } from './median.ts';
import type { Round } from './rows.ts';

/** Pairs of bars: what pgbench does a second, and the service. */
export function ratesChart(measured: readonly Pick<Round, 'loads'>[]): string {
  const rate = (name: string) => median(measured.map(({ loads }) => loads[name]!.perSecond)) ?? 0;
  const pairs = [
    { work: 'purchase', base: rate('pgbench purchase'), service: rate('purchase, 64 connections') },
    { work: 'one hot member', base: rate('pgbench hot member'), service: rate('hot member') },
    { work: 'exchange', base: rate('pgbench exchange'), service: rate('exchange') },
    { work: 'balance', base: rate('pgbench balance'), service: rate('balance') },
  ];
  const most = Math.max(...pairs.flatMap(({ base, service }) => [base, service]));
  const [left, width, height] = [120, 420, 46];
  const bar = (value: number, y: number, color: string, label: string) => {
    const length = Math.max(1, (value / most) * width).toFixed(0);
    const text = `<text x="${left + Number(length) + 6}" y="${y + 12}" fill="#777">${whole(value)} ${label}</text>`;
    return `<rect x="${left}" y="${y}" width="${length}" height="15" rx="2" fill="${color}"/>${text}`;
  };
  const rows = pairs.map(({ work, base, service }, i) => {
    const y = 10 + i * height;
    return [
      `<text x="${left - 8}" y="${y + 20}" text-anchor="end" fill="#777">${work}</text>`,
      bar(base, y, '#9aa5b1', 'pgbench'),
      bar(service, y + 17, '#7a3e9d', 'the service'),
    ].join('');
  });
  const size = `width="${left + width + 150}" height="${pairs.length * height + 14}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} font-family="sans-serif" font-size="12" role="img"><title>Requests a second: the service over HTTP, and pgbench running the same transactions one at a time</title>${rows.join('')}</svg>\n`;
}
