import type { Outcome } from './measure-attack.ts';

const COLUMNS = [
  'attack',
  'alone',
  'harmless',
  'attacked',
  '503',
  'failed',
  'memory',
  'sockets',
  'back',
  'answers',
  'holds',
] as const;

/** Writes one line for each attack, and below it each finding that does not hold. */
export function writeTable(outcomes: readonly Outcome[]): string {
  const lines = [
    `| ${COLUMNS.join(' | ')} |`,
    `|${'---|'.repeat(COLUMNS.length)}`,
    ...outcomes.map((outcome) => `| ${cellsOf(outcome).join(' | ')} |`),
  ];
  const broken = outcomes.flatMap(({ name, findings }) =>
    findings
      .filter(({ holds }) => !holds)
      .map(({ promise, seen }) => `- ${name}: expected that ${promise}; ${seen}`),
  );
  return `${[...lines, '', ...broken].join('\n')}\n`;
}

function cellsOf({ name, load, findings, holds }: Outcome): string[] {
  const verdict = holds ? 'yes' : `no (${findings.filter((finding) => !finding.holds).length})`;
  if (load === null) return [name, ...COLUMNS.slice(2).map(() => ''), verdict];
  const { alone, harmless, attacked, before, peak, backAfter, answers } = load;
  return [
    name,
    ...[alone, harmless, attacked].map(({ p50Ms, p99Ms }) => `${round(p50Ms)} / ${round(p99Ms)}`),
    String(attacked.unavailable),
    String(attacked.failed),
    `${megabytes(before.memory)} → ${megabytes(peak.memory)}`,
    `${before.sockets} → ${peak.sockets}`,
    backAfter === null ? 'no' : `${round(backAfter)} s`,
    Object.entries(answers)
      .map(([status, times]) => `${times} × ${status}`)
      .join(', '),
    verdict,
  ];
}

function round(value: number): string {
  return value < 10 ? value.toFixed(1) : String(Math.round(value));
}

function megabytes(bytes: number): string {
  return String(Math.round(bytes / 2 ** 20));
}
