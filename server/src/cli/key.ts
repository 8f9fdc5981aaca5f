import { Option, type Command } from 'commander';
import { auditedTransaction } from '#audit/audited-transaction.ts';
import { listKeys, revokeAllKeys, revokeKey } from '#commerces/api-keys.ts';
import { issueKey } from '#commerces/issue-key.ts';
import { MOST_OVERLAP_HOURS, rotateKey } from '#commerces/rotate-key.ts';
import { nearestName } from '#text/near-name.ts';
import { isOneLine } from '#text/plain-text.ts';
import { quote } from '#text/quote.ts';
import type { Tx } from '#db/database.ts';
import { DEFAULT_SCOPES, KEY_SCOPES, SCOPE_WORDS, scopesOf, type KeyScope } from '#http/key-scopes.ts';
import { STAFF_ROLES, type StaffRole } from '#http/staff-roles.ts';
import { commandLineActor } from './command-line-actor.ts';
import { findCommerce, findOpenCommerce } from './find-commerce.ts';
import { addCommerceChoice, namedCommerce, type CommerceOption } from './named-commerce.ts';
import { Refusal } from '#base/refusal.ts';
import {
  formatTable,
  jsonOption,
  printMessage,
  printResult,
  writeExamples,
  type JsonOption,
} from './terminal.ts';
import { withDatabase } from './with-database.ts';

type Options = CommerceOption & JsonOption;

const NOT_IN_DEFAULT = KEY_SCOPES.filter((scope) => !DEFAULT_SCOPES.includes(scope));

export function addKey(program: Command): void {
  const key = program
    .command('key')
    .summary('manage API keys')
    .description("Create, list, replace and revoke the API keys of a commerce's own servers and scripts.")
    .addHelpText('after', writeExamples('key create --commerce cafe-luna', 'key list --commerce cafe-luna'));
  addCommerceChoice(key.command('create'))
    .summary('create a key and print it')
    .description('Create a key and print it. It cannot be shown again, because only its hash is stored.')
    .option('--name <name>', 'purpose of the key', 'command line')
    .addOption(
      new Option('--role <role>', 'make a back-office key for scripts, with the rights of this role').choices(
        STAFF_ROLES,
      ),
    )
    .option(
      '--scopes <list>',
      `what the key may do, separated by commas: ${KEY_SCOPES.join(', ')}. \`default\` stands for all but ${NOT_IN_DEFAULT.join(', ')}, and is what a key has without this option. \`read\` opens the e-mail addresses of members`,
    )
    .option(...jsonOption)
    .addHelpText(
      'after',
      writeExamples(
        'key create --commerce cafe-luna --name "till 1"',
        'key create --commerce cafe-luna --name "online shop" --scopes read,purchases,redeem,undo',
        'key create --commerce cafe-luna --name "nightly export" --role manager',
      ),
    )
    .action(runCreate);
  addCommerceChoice(key.command('list'))
    .summary('list the keys of a commerce')
    .description('List the keys of a commerce by their first characters, including revoked keys.')
    .option(...jsonOption)
    .addHelpText('after', writeExamples('key list --commerce cafe-luna'))
    .action(runList);
  addCommerceChoice(key.command('rotate'))
    .summary('replace a key with a new one')
    .description(
      'Create a key with the same name, role and scopes, and print it. The old key is accepted for some more hours, so that servers can change over one by one. A key can be replaced only once.',
    )
    .requiredOption('--id <id>', 'id of the key, as shown by `key list`')
    .option(
      '--overlap <hours>',
      `hours for which the old key is still accepted, 0 to ${MOST_OVERLAP_HOURS}`,
      '24',
    )
    .option(...jsonOption)
    .addHelpText(
      'after',
      writeExamples(
        'key rotate --commerce cafe-luna --id 3',
        'key rotate --commerce cafe-luna --id 3 --overlap 168',
      ),
    )
    .action(runRotate);
  addCommerceChoice(key.command('revoke'))
    .summary('revoke one key or all keys')
    .description('Revoke one key or all keys for good. Every process refuses them within seconds.')
    .option('--id <id>', 'id of the key, as shown by `key list`')
    .option('--all', 'revoke every key of the commerce')
    .option(...jsonOption)
    .addHelpText(
      'after',
      writeExamples('key revoke --commerce cafe-luna --id 3', 'key revoke --commerce cafe-luna --all'),
    )
    .action(runRevoke);
}

async function runCreate(
  argument: string | undefined,
  options: Options & { readonly name: string; readonly role?: StaffRole; readonly scopes?: string },
  command: Command,
): Promise<void> {
  const name = namedCommerce(argument, options, command);
  if (!isOneLine(options.name, 100))
    command.error(`error: --name must be one line of 1 to 100 characters, not ${quote(options.name)}`);
  const scopes = readScopes(options.scopes, command);
  if (scopes !== null && options.role !== undefined)
    command.error('error: give either --role or --scopes, not both: a key of the back office has no scopes');
  const { id, key } = await withDatabase(async (database) => {
    const commerce = await findOpenCommerce(database, name);
    const { name: keyName, role = null } = options;
    return auditedTransaction(database, commandLineActor(commerce.id), (tx) =>
      issueKey(tx, commerce.id, { name: keyName, role, scopes }),
    );
  });
  printResult(options, { id, key }, () => key);
  printMessage(
    `Key ${id} is shown only once. Keep it on the commerce's server, never in a web page or an app.`,
  );
}

/** Reads a list of scopes; null if nobody has chosen. */
function readScopes(list: string | undefined, command: Command): KeyScope[] | null {
  if (list === undefined) return null;
  const words = list.split(',').map((word) => word.trim());
  const known = new Set<string>(SCOPE_WORDS);
  const unknown = words.find((word) => !known.has(word));
  if (unknown === undefined) return scopesOf(words as (typeof SCOPE_WORDS)[number][]);
  const near = nearestName(unknown, SCOPE_WORDS);
  return command.error(
    `error: ${quote(unknown)} is not a scope${near === undefined ? `: choose from ${SCOPE_WORDS.join(', ')}` : `: did you mean ${near}?`}`,
  );
}

/** Writes scopes in one cell: `default, undo` for all that a key has without a choice, and one more. */
function writeScopes(scopes: readonly KeyScope[] | null): string {
  if (scopes === null) return '';
  if (!DEFAULT_SCOPES.every((scope) => scopes.includes(scope))) return scopes.join(', ');
  return ['default', ...NOT_IN_DEFAULT.filter((scope) => scopes.includes(scope))].join(', ');
}

async function runList(argument: string | undefined, options: Options, command: Command): Promise<void> {
  const name = namedCommerce(argument, options, command);
  const keys = await withDatabase(async (database) => {
    const commerce = await findCommerce(database, name);
    return listKeys(database, commerce.id);
  });
  printResult(
    options,
    keys.map(({ id, name, prefix, role, scopes, createdAt, lastUsedAt, revokedAt, endsAt }) => ({
      id,
      name,
      prefix,
      role,
      scopes,
      created_at: createdAt,
      last_used_at: lastUsedAt,
      revoked_at: revokedAt,
      ends_at: endsAt,
    })),
    () =>
      formatTable(
        ['ID', 'NAME', 'KEY', 'ROLE', 'SCOPES', 'CREATED', 'LAST USED', 'ENDS'],
        keys.map(({ id, name, prefix, role, scopes, createdAt, lastUsedAt, endsAt }) => [
          id,
          name,
          `${prefix}…`,
          role ?? '',
          writeScopes(scopes),
          writeMinute(createdAt),
          lastUsedAt === null ? '' : writeMinute(lastUsedAt),
          endsAt === null ? '' : writeMinute(endsAt),
        ]),
      ),
  );
}

async function runRotate(
  argument: string | undefined,
  options: Options & { readonly id: string; readonly overlap: string },
  command: Command,
): Promise<void> {
  const name = namedCommerce(argument, options, command);
  const { id, overlap } = options;
  refuseNoId(id, command);
  const hours = /^\d{1,4}$/.test(overlap) ? Number(overlap) : Infinity;
  if (hours > MOST_OVERLAP_HOURS)
    command.error(
      `error: --overlap must be a whole number of hours from 0 to ${MOST_OVERLAP_HOURS}, not ${quote(overlap)}`,
    );
  const { issued, endsAt } = await withDatabase(async (database) => {
    const commerce = await findOpenCommerce(database, name);
    const issued = await auditedTransaction(database, commandLineActor(commerce.id), (tx) =>
      rotateKey(tx, commerce.id, Number(id), hours),
    );
    const old = (await listKeys(database, commerce.id)).find((key) => key.id === Number(id))!;
    return { issued, endsAt: old.endsAt! };
  });
  printResult(options, { ...issued, replaces_id: Number(id), old_key_ends_at: endsAt }, () => issued.key);
  printMessage(
    `Key ${issued.id} is shown only once. Key ${id} ${hours === 0 ? 'is refused from now on' : `is accepted until ${writeMinute(endsAt)}`}.`,
  );
}

function refuseNoId(id: string, command: Command): void {
  if (!/^\d{1,15}$/.test(id))
    command.error(`error: --id must be a number, as shown by \`key list\`, not ${quote(id)}`);
}

async function runRevoke(
  argument: string | undefined,
  options: Options & { readonly id?: string; readonly all?: boolean },
  command: Command,
): Promise<void> {
  const name = namedCommerce(argument, options, command);
  const { id, all = false } = options;
  if ((id !== undefined) === all)
    command.error(
      `error: give either --id or --all, ${id === undefined ? 'because neither was given' : 'not both'}`,
    );
  if (id !== undefined) refuseNoId(id, command);
  const revoked = await withDatabase(async (database) => {
    const commerce = await findCommerce(database, name);
    return auditedTransaction(database, commandLineActor(commerce.id), async (tx) => {
      const count = all ? await revokeAllKeys(tx, commerce.id) : await revokeOne(tx, commerce.id, Number(id));
      const subject = all ? 'all keys' : `key ${id}`;
      return {
        answer: count,
        entry: count === 0 ? null : { action: 'key.revoke', subject, after: { revoked: count } },
      };
    });
  });
  printResult(options, { revoked }, () =>
    revoked === 1 ? '1 key was revoked' : `${revoked} keys were revoked`,
  );
}

/** Revokes a key. Revoking it again is fine, but a key that never existed is refused. */
async function revokeOne(tx: Tx, commerceId: number, id: number): Promise<number> {
  if (await revokeKey(tx, commerceId, id)) return 1;
  const keys = await listKeys(tx, commerceId);
  if (keys.some((key) => key.id === id)) return 0;
  throw new Refusal(`The commerce has no key ${id}.`);
}

function writeMinute(at: Date): string {
  return `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
