import { availableParallelism } from 'node:os';
import { InvalidArgumentError, type Command } from 'commander';
import { readWireIds } from '#batching/wire-ids.ts';
import type { Database } from '#db/database.ts';
import { isReadOnly } from '#db/database-errors.ts';
import { storeLedgerChecks, type LedgerCheck } from '#books/ledger-checks.ts';
import { readExplanation } from '#books/read-explanation.ts';
import { verifyLedger, type Difference } from '#books/verify-ledger.ts';
import { findCommerce } from './find-commerce.ts';
import { addSeals, readHeadFile } from './seals.ts';
import { createProgressBar, type Progress } from './progress.ts';
import { Refusal } from '#base/refusal.ts';
import {
  jsonOption,
  printError,
  printMessage,
  printResult,
  writeCount,
  writeExamples,
  type JsonOption,
} from './terminal.ts';
import { withDatabase } from './with-database.ts';

export function addLedger(program: Command): void {
  const ledger = program
    .command('ledger')
    .summary('check, explain and prove the ledger')
    .description('Check the ledger, explain its movements, and prove them.')
    .addHelpText('after', writeExamples('ledger verify', 'ledger explain 1082 --commerce cafe-luna'));
  ledger
    .command('verify')
    .summary('recompute all figures from the movements')
    .description(DESCRIPTION)
    .argument('[commerce]', 'slug or id (default: every commerce)')
    .option(
      '--parallel <number>',
      'how many parts to verify at the same time (default: one for each processor)',
      toParallel,
    )
    .option('--head <files...>', 'files with published heads, with which the sealed history is compared')
    .option(...jsonOption)
    .addHelpText(
      'after',
      writeExamples('ledger verify', 'ledger verify cafe-luna --json', 'ledger verify --head heads.txt'),
    )
    .action(runVerify);
  ledger
    .command('explain')
    .summary('explain how the points of a movement were computed')
    .description(
      "Explain one movement of the ledger, in a sentence in the commerce's language and as fields. The id is the X-Consumption-Id of a purchase, or one that `ledger verify` lists.",
    )
    .argument('<movement>', 'id of the movement')
    .requiredOption('--commerce <slug>', 'slug or id of the commerce')
    .option(...jsonOption)
    .addHelpText('after', writeExamples('ledger explain 1082 --commerce cafe-luna'))
    .action(runExplain);
  addSeals(ledger);
}

async function runExplain(movement: string, options: JsonOption & { commerce: string }): Promise<void> {
  const explained = await withDatabase(async (database) => {
    const given = /^[1-9][0-9]{0,14}$/.test(movement) ? Number(movement) : 0;
    const { id: commerceId } = await findCommerce(database, options.commerce);
    const id = (await readWireIds(database, commerceId, 'purchase')).fromWire(given) ?? given;
    return readExplanation(database, commerceId, id);
  });
  if (explained === undefined) throw new Refusal(`${options.commerce} has no movement ${movement}.`);
  const { at: date, code: client_code, snapshot: computed_from, ...rest } = explained;
  printResult(options, { ...rest, date, client_code, computed_from }, () => explained.sentence);
}

const DESCRIPTION =
  'Recompute every balance and lifetime figure from the movements and check everything else that must hold: ' +
  'points earned by purchases, costs of exchanges, limits, codes, rewards and idempotency keys. It changes nothing ' +
  'and can run while the service runs. Each difference is listed with its member and its movement, or with the ' +
  'member alone if the movement is missing. Sealed movements are compared with their seals. The exit status is 1 if ' +
  'there are any differences.';

interface VerifyCommand extends JsonOption {
  readonly parallel?: number;
  readonly head?: readonly string[];
}

function toParallel(text: string): number {
  const parallel = /^\d{1,2}$/.test(text) ? Number(text) : 0;
  if (parallel < 1) throw new InvalidArgumentError('It must be a number from 1 to 99.');
  return parallel;
}

async function runVerify(name: string | undefined, options: VerifyCommand): Promise<void> {
  const heads = (await Promise.all((options.head ?? []).map(readHeadFile))).flat();
  const bar = createProgressBar();
  const { parallel = availableParallelism() } = options;
  const work = async (database: Database) => {
    const only = name === undefined ? {} : { commerceIds: [(await findCommerce(database, name)).id] };
    const verified = await verifyLedger(database, {
      ...only,
      heads,
      parallel,
      onMovements: createEstimate(bar),
    });
    await storeUnlessReadOnly(database, verified.checked);
    return verified;
  };
  const verified = await withDatabase(work, { poolSize: Math.max(2, parallel) }).finally(() => bar.end());
  const { commerces, members, movements, unsealed, differences } = verified;
  printResult(
    options,
    {
      commerces,
      members,
      movements,
      unsealed,
      differences: differences.map(({ memberId, ...rest }) => ({ ...rest, member_id: memberId })),
    },
    () =>
      `${writeCount(commerces, 'commerce')}, ${writeCount(members, 'member')}, ${writeCount(movements, 'movement')}: ${writeCount(differences.length, 'difference')}`,
  );
  if (unsealed > 0)
    printMessage(
      `${writeCount(unsealed, 'movement')} of them ${unsealed === 1 ? 'is' : 'are'} newer than the last seal, so no seal covers ${unsealed === 1 ? 'it' : 'them'} yet.`,
    );
  if (differences.length === 0) return;
  process.exitCode = 1;
  for (const difference of differences.slice(0, MAX_SHOWN)) printError(describeDifference(difference));
  if (differences.length > MAX_SHOWN)
    printError(`… and ${differences.length - MAX_SHOWN} more; --json lists all of them.`);
}

/** A standby can be checked too, but stores nothing. */
async function storeUnlessReadOnly(database: Database, checks: readonly LedgerCheck[]): Promise<void> {
  try {
    await storeLedgerChecks(database, checks);
  } catch (error) {
    if (!isReadOnly(error)) throw error;
  }
}

/** Shows how many movements are verified, and how long the others will take if they go on like this. */
function createEstimate(bar: Progress): (movements: number, of: number) => void {
  const start = performance.now();
  return (movements, of) => {
    const seconds = Math.ceil(((performance.now() - start) / 1000) * (of / movements - 1));
    bar.show(
      movements / of,
      `${writeCount(movements, 'movement')}, about ${writeCount(seconds, 'second')} left`,
    );
  };
}

export const MAX_SHOWN = 100;

export function describeDifference({
  commerce,
  invariant,
  member,
  memberId,
  movement,
  says,
}: Difference): string {
  const who = member !== null ? `, member ${member}` : memberId !== null ? `, person ${memberId}` : '';
  return `${commerce ?? 'schema'}${who}${movement === null ? '' : `, movement ${movement}`}: ${says} (${invariant})`;
}
