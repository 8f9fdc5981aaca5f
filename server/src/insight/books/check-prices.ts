/** Checks what exchanges cost and what rewards gave against the version of the program that was in force. */
import type { Movement, Report } from './history.ts';
import type { Programs } from './read-programs.ts';

export function checkPrice(
  { type, id, points, event, snapshot }: Movement,
  programs: Programs,
  report: Report,
): void {
  if (type !== 'exchange' && type !== 'reward') return;
  const version = snapshot?.['rule'];
  const program = programs.get(version as number);
  if (program === undefined) {
    report(
      'an exchange or a reward names its program',
      id,
      `made by version ${String(version)} of the program, which cannot be read`,
    );
  } else if (type === 'exchange') {
    const benefit = snapshot!['benefit'];
    const price = program.prices.get(benefit as string);
    if (price === undefined || price !== snapshot!['cost'] || -points !== price)
      report(
        'an exchange cost what its program asked',
        id,
        `${-points} points were paid for ${String(benefit)}, which ${price === undefined ? 'was not for sale' : `cost ${price}`} by version ${String(version)} of the program`,
      );
  } else {
    const given = program.rewards.get(event ?? '');
    if (given !== points)
      report(
        'a reward gave what its program gives',
        id,
        `${points} points were given for ${event ?? 'nothing'}, for which version ${String(version)} of the program gives ${given ?? 'none'}`,
      );
  }
}
