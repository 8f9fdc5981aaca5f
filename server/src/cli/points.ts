import type { Command } from 'commander';
import { readWireIds } from '#batching/wire-ids.ts';
import { isDay } from '#calendar/calendar.ts';
import { adjustPoints, REASON_CHARACTERS } from '#corrections/adjust-points.ts';
import { whyNoSuchDay } from '#problems/no-such-day.ts';
import { isOneLine } from '#text/plain-text.ts';
import { quote } from '#text/quote.ts';
import { jsonOption, printResult, writeCount, writeExamples, type JsonOption } from './terminal.ts';
import { actOnPerson, withPerson } from './with-person.ts';

interface Options extends JsonOption {
  readonly commerce: string;
  readonly reason: string;
  readonly expires?: string;
}

export function addPoints(program: Command): void {
  const points = program
    .command('points')
    .summary('add or take points')
    .description('Add points to a member, or take some.')
    .addHelpText('after', writeExamples(EXAMPLES[0]));
  points
    .command('adjust')
    .summary('add points to a member, or take some')
    .description(
      'Add points to a member, or take some with a minus in front. Added points count as earned, also for tiers. Taking points never costs a tier, and cannot take more than the balance.',
    )
    .argument('<member>', 'the 9 digits of the card, or the e-mail address')
    .argument('<points>', 'how many points to add; to take 40, write -40')
    .requiredOption('--commerce <commerce>', 'slug or id of the commerce')
    .requiredOption(
      '--reason <text>',
      `one line of at most ${REASON_CHARACTERS} characters, which the member reads`,
    )
    .option(
      '--expires <day>',
      'last day of added points, such as 2027-03-31 (default: as the program says). Only if each grant expires on its own',
    )
    .option(...jsonOption)
    .addHelpText('after', writeExamples(...EXAMPLES))
    .action(runAdjust);
}

const EXAMPLES = [
  'points adjust --commerce cafe-luna 482915374 40 --reason "Sorry for the wait"',
  'points adjust --commerce cafe-luna ana@example.com -40 --reason "Counted twice"',
] as const;

async function runAdjust(name: string, text: string, options: Options, command: Command): Promise<void> {
  const points = Number(text);
  if (!/^[+-]?\d{1,16}$/.test(text) || points === 0 || !Number.isSafeInteger(points))
    command.error(`error: the points must be a whole number such as 40 or -40, not ${quote(text)}`);
  const { reason, expires: expiresOn } = options;
  if (!isOneLine(reason, REASON_CHARACTERS))
    command.error(`error: --reason must be one line of 1 to ${REASON_CHARACTERS} characters`);
  if (expiresOn !== undefined && !isDay(expiresOn)) {
    const why = whyNoSuchDay(expiresOn) ?? 'Write a day such as 2027-03-31.';
    command.error(`error: --expires ${quote(expiresOn)} is not a day. ${why}`);
  }
  const adjusted = await withPerson(name, options, async (found) => {
    const { database, commerce, member } = found;
    const { adjustmentId, balance } = await actOnPerson(found, (tx) =>
      adjustPoints(tx, { commerceId: commerce.id, memberId: member.id, points, reason, expiresOn }),
    );
    const movement = (await readWireIds(database, commerce.id, 'purchase')).toWire(adjustmentId);
    return { movement, client_code: member.code, points, balance };
  });
  printResult(options, adjusted, () => {
    const what = `${writeCount(Math.abs(points), 'point')} ${points > 0 ? 'added' : 'taken'}`;
    return `${what}. The balance of ${name} is ${adjusted.balance}.`;
  });
}
