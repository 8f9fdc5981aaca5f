import type { Command } from 'commander';
import { createKey, listKeys, revokeAllKeys, revokeKey } from '#commerces/api-keys.ts';
import { isOneLine } from '#program/values.ts';
import type { Database } from '#db/database.ts';
import { findCommerce, findOpenCommerce } from './find-commerce.ts';
import { Refusal } from './refusal.ts';
import { answer, examples, jsonOption, say, table, type Json } from './terminal.ts';
import { withDatabase } from './with-database.ts';

interface OfCommerce extends Json {
  readonly commerce: string;
}

const ofCommerce = ['--commerce <commerce>', 'slug or id of the commerce'] as const;

export function addKey(program: Command): void {
  const key = program.command('key').description("Makes and ends the API keys of a commerce's own servers.");
  key
    .command('create')
    .description('Makes a key and prints it, this once: only its hash is kept.')
    .requiredOption(...ofCommerce)
    .option('--name <name>', 'what it is for', 'command line')
    .option(...jsonOption)
    .addHelpText('after', examples('key create --commerce cafe-luna --name "till 1"'))
    .action(create);
  key
    .command('list')
    .description('Lists the keys of a commerce by their first characters, the revoked ones too.')
    .requiredOption(...ofCommerce)
    .option(...jsonOption)
    .addHelpText('after', examples('key list --commerce cafe-luna'))
    .action(list);
  key
    .command('revoke')
    .description('Ends one key or all of them for good; every process refuses them within seconds.')
    .requiredOption(...ofCommerce)
    .option('--id <id>', 'the key of this id, as `key list` shows it')
    .option('--all', 'every key of the commerce')
    .option(...jsonOption)
    .addHelpText(
      'after',
      examples('key revoke --commerce cafe-luna --id 3', 'key revoke --commerce cafe-luna --all'),
    )
    .action(revoke);
}

async function create(options: OfCommerce & { readonly name: string }, command: Command): Promise<void> {
  if (!isOneLine(options.name, 100)) command.error('error: --name must be one line of 1 to 100 characters');
  const { id, key } = await withDatabase(async (database) => {
    const commerce = await findOpenCommerce(database, options.commerce);
    return createKey(database, commerce.id, options.name);
  });
  answer(options, { id, key }, () => key);
  say(`Key ${id} is shown this once: keep it on the commerce's server, never in a page or an app.`);
}

async function list(options: OfCommerce): Promise<void> {
  const keys = await withDatabase(async (database) => {
    const commerce = await findCommerce(database, options.commerce);
    return listKeys(database, commerce.id);
  });
  answer(
    options,
    keys.map(({ createdAt, revokedAt, ...rest }) => ({
      ...rest,
      created_at: createdAt,
      revoked_at: revokedAt,
    })),
    () =>
      table(
        ['ID', 'NAME', 'KEY', 'MADE', 'REVOKED'],
        keys.map(({ id, name, prefix, createdAt, revokedAt }) => [
          id,
          name,
          `${prefix}…`,
          minute(createdAt),
          revokedAt === null ? '' : minute(revokedAt),
        ]),
      ),
  );
}

async function revoke(
  options: OfCommerce & { readonly id?: string; readonly all?: boolean },
  command: Command,
): Promise<void> {
  const { id, all = false } = options;
  if ((id !== undefined) === all) command.error('error: give either --id or --all');
  if (id !== undefined && !/^\d{1,15}$/.test(id)) command.error('error: --id must be the number of a key');
  const revoked = await withDatabase(async (database) => {
    const commerce = await findCommerce(database, options.commerce);
    return all ? revokeAllKeys(database, commerce.id) : revokeOne(database, commerce.id, Number(id));
  });
  answer(options, { revoked }, () => (revoked === 1 ? '1 key was revoked' : `${revoked} keys were revoked`));
}

/** Revoking a key again is no error; revoking one that never was is. */
async function revokeOne(database: Database, commerceId: number, id: number): Promise<number> {
  if (await revokeKey(database, commerceId, id)) return 1;
  const keys = await listKeys(database, commerceId);
  if (keys.some((key) => key.id === id)) return 0;
  throw new Refusal(`The commerce has no key ${id}.`);
}

function minute(at: Date): string {
  return `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
