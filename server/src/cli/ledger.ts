import type { Command } from 'commander';
import { readExplanation } from '#ledger/read-explanation.ts';
import { verifyLedger, type Difference } from '#ledger/verify-ledger.ts';
import { findCommerce } from './find-commerce.ts';
import { progressBar } from './progress.ts';
import { Refusal } from './refusal.ts';
import { answer, complain, examples, jsonOption, type Json } from './terminal.ts';
import { withDatabase } from './with-database.ts';

export function addLedger(program: Command): void {
  const ledger = program.command('ledger').description('Looks after the books.');
  ledger
    .command('verify')
    .summary('recompute everything from the movements')
    .description(DESCRIPTION)
    .argument('[commerce]', 'slug or id; every commerce where it is left out')
    .option(...jsonOption)
    .addHelpText('after', examples('ledger verify', 'ledger verify cafe-luna --json'))
    .action(verify);
  ledger
    .command('explain')
    .summary('say how the points of one movement came about')
    .description(
      'Any movement of the ledger, in one sentence of the commerce’s language and in fields: the purchase that a receipt names by X-Consumption-Id, or one that `ledger verify` lists.',
    )
    .argument('<movement>', 'id of the movement')
    .requiredOption('--commerce <slug>', 'slug or id of the commerce')
    .option(...jsonOption)
    .addHelpText('after', examples('ledger explain 1082 --commerce cafe-luna'))
    .action(explain);
}

async function explain(movement: string, options: Json & { commerce: string }): Promise<void> {
  const explained = await withDatabase(async (database) => {
    const id = /^[1-9][0-9]{0,14}$/.test(movement) ? Number(movement) : 0;
    return readExplanation(database, (await findCommerce(database, options.commerce)).id, id);
  });
  if (explained === undefined) throw new Refusal(`${options.commerce} has no movement ${movement}.`);
  const { at: date, code: client_code, snapshot: computed_from, ...rest } = explained;
  answer(options, { ...rest, date, client_code, computed_from }, () => explained.sentence);
}

const DESCRIPTION = `Recomputes every balance and lifetime figure from the movements, and checks everything else that must
hold: what purchases earned by their rules, what exchanges cost, limits, codes, rewards, idempotency keys. Changes
nothing, and may run while the service does. Every difference is listed with its member and its movement; where a
movement is gone, with the member that it is missing from. The exit status is 1 where there are any.`;

async function verify(name: string | undefined, options: Json): Promise<void> {
  const bar = progressBar();
  const verified = await withDatabase(async (database) => {
    const only = name === undefined ? {} : { commerceIds: [(await findCommerce(database, name)).id] };
    return verifyLedger(database, { ...only, onCommerce: (slug, place, of) => bar.show(place / of, slug) });
  }).finally(() => bar.end());
  const { commerces, members, movements, differences } = verified;
  answer(
    options,
    {
      commerces,
      members,
      movements,
      differences: differences.map(({ memberId, ...rest }) => ({ ...rest, member_id: memberId })),
    },
    () =>
      `${commerces} commerces, ${members} members, ${movements} movements: ${differences.length} differences`,
  );
  if (differences.length === 0) return;
  process.exitCode = 1;
  for (const difference of differences.slice(0, MOST_SHOWN)) complain(sentenceOf(difference));
  if (differences.length > MOST_SHOWN)
    complain(`… and ${differences.length - MOST_SHOWN} more; --json lists all of them.`);
}

const MOST_SHOWN = 100;

function sentenceOf({ commerce, invariant, member, memberId, movement, says }: Difference): string {
  const who = member !== null ? `, member ${member}` : memberId !== null ? `, person ${memberId}` : '';
  return `${commerce ?? 'schema'}${who}${movement === null ? '' : `, movement ${movement}`}: ${says} (${invariant})`;
}
