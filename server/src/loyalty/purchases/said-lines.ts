import { InvalidRequest } from '#problems/invalid-request.ts';
import { Problem } from '#problems/problem.ts';
import type { Line } from '#points/line.ts';

/** 422: something is named twice. */
export class NamedTwice extends InvalidRequest {
  constructor(field: 'codes' | 'lines') {
    super(
      [{ loc: ['body', field], msg: 'Value error, each can be named once', type: 'value_error' }],
      'invalid',
      field === 'codes' ? 'Send each code once.' : 'Give each line an id of its own.',
    );
  }
}

/** The lines do not add up. */
export class LinesDoNotAddUp extends Problem {
  constructor(sum: number, whole: number, field: 'paid' | 'amount') {
    super(
      400,
      'invalid_amount',
      `the amounts of the lines are ${sum} together, and ${field} is ${whole}: share out what was paid before refunds`,
    );
  }
}

/** @throws NamedTwice */
export function assertNamedOnce(lines: readonly Pick<Line, 'id'>[] | null): void {
  if (lines !== null && new Set(lines.map(({ id }) => id)).size < lines.length) throw new NamedTwice('lines');
}

/** @throws LinesDoNotAddUp */
export function assertAddUp(
  lines: readonly Pick<Line, 'amount'>[] | null,
  whole: number,
  field: 'paid' | 'amount',
): void {
  if (lines === null) return;
  const sum = lines.reduce((all, { amount }) => all + amount, 0);
  if (sum !== whole) throw new LinesDoNotAddUp(sum, whole, field);
}
