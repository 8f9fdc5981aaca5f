import { Option, type Command } from 'commander';
import { auditedTransaction } from '#audit/audited-transaction.ts';
import type { Audited } from '#audit/audited.ts';
import { Refusal } from '#base/refusal.ts';
import type { Database, Tx } from '#db/database.ts';
import { EVENT_TYPE_NAMES, type EventTypeName } from '#events/event-types.ts';
import { readFeed } from '#events/feed.ts';
import type { Config } from '#settings/config.ts';
import { readSecretKeys } from '#settings/secret-key.ts';
import { webhookRulesOf } from '#start/webhook-rules.ts';
import { nearestName } from '#text/near-name.ts';
import { isOneLine } from '#text/plain-text.ts';
import { quote } from '#text/quote.ts';
import {
  changeWebhook,
  deleteWebhook,
  disableWebhook,
  enableWebhook,
  GOES_ON,
  rotateSecret,
} from '#webhooks/change-webhook.ts';
import { createWebhook } from '#webhooks/create-webhook.ts';
import { deliveryIdOf, eventIdOf } from '#webhooks/delivery-ids.ts';
import {
  DELIVERY_STATES,
  readDeliveries,
  UnknownDelivery,
  type Delivery,
} from '#webhooks/read-deliveries.ts';
import { replayFailed, replayOne, replayRange, sendTest } from '#webhooks/replay.ts';
import { whyUnfit } from '#webhooks/webhook-address.ts';
import { createWebhookSecrets, OVERLAP_HOURS, type WebhookSecrets } from '#webhooks/webhook-secret.ts';
import {
  listWebhooks,
  NAME_CHARACTERS,
  WEBHOOK_SCOPES,
  type Webhook,
  type WebhookScope,
  type WebhookTerms,
} from '#webhooks/webhook.ts';
import { commandLineActor } from './command-line-actor.ts';
import { findCommerce, findOpenCommerce } from './find-commerce.ts';
import { addCommerceChoice, namedCommerce, type CommerceOption } from './named-commerce.ts';
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
type OneOptions = Options & { readonly id: string };
type TermOptions = {
  readonly name?: string;
  readonly url?: string;
  readonly types?: string;
  readonly scopes?: string;
};

const idOption = ['--id <id>', 'id of the webhook, as shown by `webhook list`'] as const;
const ALL = 'all';

/** Adds the commands about webhooks. */
export function addWebhook(program: Command): void {
  const webhook = program
    .command('webhook')
    .summary('send events to other systems')
    .description(
      'Have what happens at a commerce sent to an address on the internet, signed as Standard Webhooks says.',
    )
    .addHelpText(
      'after',
      writeExamples(
        'webhook create --commerce cafe-luna --url https://shop.example/loyalty',
        'webhook list --commerce cafe-luna',
      ),
    );
  addTerms(addCommerceChoice(webhook.command('create')))
    .summary('create a webhook and print its secret')
    .description(
      'Create a webhook and print the secret that signs its requests. It cannot be shown again. Events are sent from now on.',
    )
    .option(...jsonOption)
    .addHelpText(
      'after',
      writeExamples(
        'webhook create --commerce cafe-luna --url https://shop.example/loyalty',
        'webhook create --commerce cafe-luna --name Newsletter --url https://shop.example/loyalty --types member.joined,member.erased --scopes members',
      ),
    )
    .action(runCreate);
  addCommerceChoice(webhook.command('list'))
    .summary('list the webhooks of a commerce')
    .description('List the webhooks of a commerce and how they fare.')
    .option(...jsonOption)
    .addHelpText('after', writeExamples('webhook list --commerce cafe-luna'))
    .action(runList);
  addTerms(addCommerceChoice(webhook.command('change')))
    .summary('change a webhook')
    .description('Change a webhook. What is not named stays.')
    .requiredOption(...idOption)
    .option(...jsonOption)
    .addHelpText('after', writeExamples('webhook change --commerce cafe-luna --id we_… --types all'))
    .action(runChange);
  addCommerceChoice(webhook.command('deliveries'))
    .summary('list the last deliveries of a webhook')
    .description('List the last 50 deliveries of a webhook, those with the last attempts first.')
    .requiredOption(...idOption)
    .addOption(new Option('--state <state>', 'only deliveries in this state').choices(DELIVERY_STATES))
    .option(...jsonOption)
    .addHelpText('after', writeExamples('webhook deliveries --commerce cafe-luna --id we_… --state failed'))
    .action(runDeliveries);
  addCommerceChoice(webhook.command('test'))
    .summary('send a test')
    .description(
      'Send a signed request of the type `webhook.test`, once. `webhook deliveries` shows what became of it.',
    )
    .requiredOption(...idOption)
    .option(...jsonOption)
    .addHelpText('after', writeExamples('webhook test --commerce cafe-luna --id we_…'))
    .action(runTest);
  addCommerceChoice(webhook.command('replay'))
    .summary('send events again')
    .description(
      'Send events again: one delivery, all events that were recorded in a stretch of time, or all that were given up. They keep their ids.',
    )
    .requiredOption(...idOption)
    .option('--delivery <id>', 'send this delivery, as shown by `webhook deliveries`')
    .option('--since <instant>', 'send all events from this instant on, such as 2026-11-26T08:00:00Z')
    .option('--until <instant>', 'the end of the stretch; now, if it is left out')
    .option('--failed', 'send all that were given up')
    .option(...jsonOption)
    .addHelpText(
      'after',
      writeExamples(
        'webhook replay --commerce cafe-luna --id we_… --failed',
        'webhook replay --commerce cafe-luna --id we_… --since 2026-11-26T08:00:00Z --until 2026-11-26T09:00:00Z',
      ),
    )
    .action(runReplay);
  addCommerceChoice(webhook.command('rotate'))
    .summary('replace the secret of a webhook')
    .description(
      `Replace the secret of a webhook and print the new one. For ${OVERLAP_HOURS} hours requests are signed with both, so that the receiver can change over.`,
    )
    .requiredOption(...idOption)
    .option(...jsonOption)
    .addHelpText('after', writeExamples('webhook rotate --commerce cafe-luna --id we_…'))
    .action(runRotate);
  addCommerceChoice(webhook.command('enable'))
    .summary('switch a webhook on')
    .description('Switch a webhook on that was switched off, by you or because its receiver took nothing.')
    .requiredOption(...idOption)
    .addOption(
      new Option('--from <place>', '`now` leaves out the events of the time in which it was switched off')
        .choices(GOES_ON)
        .default('where_it_stopped'),
    )
    .option(...jsonOption)
    .addHelpText('after', writeExamples('webhook enable --commerce cafe-luna --id we_…'))
    .action(
      (
        argument: string | undefined,
        options: OneOptions & { readonly from: (typeof GOES_ON)[number] },
        command: Command,
      ) =>
        runAct(argument, options, command, 'enabled', (tx, commerceId) =>
          enableWebhook(tx, commerceId, options.id, options.from),
        ),
    );
  addCommerceChoice(webhook.command('disable'))
    .summary('switch a webhook off')
    .description('Switch a webhook off. Events are kept, and sent when it is switched on again.')
    .requiredOption(...idOption)
    .option(...jsonOption)
    .addHelpText('after', writeExamples('webhook disable --commerce cafe-luna --id we_…'))
    .action((argument: string | undefined, options: OneOptions, command: Command) =>
      runAct(argument, options, command, 'disabled', (tx, commerceId) =>
        disableWebhook(tx, commerceId, options.id),
      ),
    );
  addCommerceChoice(webhook.command('delete'))
    .summary('delete a webhook')
    .description('Delete a webhook for good, with its deliveries.')
    .requiredOption(...idOption)
    .option(...jsonOption)
    .addHelpText('after', writeExamples('webhook delete --commerce cafe-luna --id we_…'))
    .action((argument: string | undefined, options: OneOptions, command: Command) =>
      runAct(argument, options, command, 'deleted', (tx, commerceId) =>
        deleteWebhook(tx, commerceId, options.id),
      ),
    );
}

function addTerms(command: Command): Command {
  return command
    .option('--url <url>', 'address of the receiver, which begins with https://')
    .option('--name <name>', 'purpose of the webhook')
    .option(
      '--types <list>',
      `types of events, separated by commas, or \`${ALL}\`, which it gets without a choice`,
    )
    .option(
      '--scopes <list>',
      `what events have besides ids and numbers, separated by commas: ${WEBHOOK_SCOPES.join(', ')}; \`none\` for nothing`,
    );
}

async function runCreate(
  argument: string | undefined,
  options: Options & TermOptions,
  command: Command,
): Promise<void> {
  const name = namedCommerce(argument, options, command);
  if (options.url === undefined) command.error('error: name the address of the receiver: --url https://…');
  const chosen = readTerms(options, command);
  const created = await withDatabase(async (database, config) => {
    const commerce = await findOpenCommerce(database, name);
    const rules = webhookRulesOf(config);
    refuseUnfit(options.url, config, command);
    const terms: WebhookTerms = {
      name: 'command line',
      types: [],
      scopes: [],
      ...chosen,
      address: options.url!,
    };
    return auditedTransaction(database, commandLineActor(commerce.id), (tx) =>
      createWebhook(tx, commerce.id, terms, { rules, secrets: secretsOf(config) }),
    );
  });
  printResult(options, created, () => created.secret);
  printMessage(
    `The secret of ${created.id} is shown only this once. Give it to the receiver, which verifies the requests with it.`,
  );
}

async function runList(argument: string | undefined, options: Options, command: Command): Promise<void> {
  const name = namedCommerce(argument, options, command);
  const webhooks = await withDatabase(async (database) => {
    const { id } = await findCommerce(database, name);
    return listWebhooks(database, id);
  });
  printResult(
    options,
    webhooks.map((one) => ({
      id: one.id,
      name: one.name,
      url: one.address,
      types: one.types.length === 0 ? null : one.types,
      scopes: one.scopes,
      state: stateOf(one),
      disabled_because: one.disabledBecause,
      created_at: one.createdAt,
      last_success_at: one.lastSuccessAt,
      failing_since: one.failingSince,
      waiting: one.waiting,
      failed: one.failed,
      behind: one.behind,
    })),
    () =>
      formatTable(
        ['ID', 'NAME', 'URL', 'TYPES', 'SCOPES', 'STATE', 'WAITING', 'FAILED'],
        webhooks.map((one) => [
          one.id,
          one.name,
          one.address,
          one.types.length === 0 ? ALL : one.types.join(', '),
          one.scopes.join(', '),
          stateOf(one),
          one.waiting,
          one.failed,
        ]),
      ),
  );
}

function stateOf({ disabledAt, disabledBecause, failingSince }: Webhook): string {
  if (disabledAt !== null) return `disabled (${disabledBecause})`;
  return failingSince === null ? 'enabled' : 'failing';
}

async function runChange(
  argument: string | undefined,
  options: OneOptions & TermOptions,
  command: Command,
): Promise<void> {
  const chosen = readTerms(options, command);
  await runAct(argument, options, command, 'changed', (tx, commerceId, config) => {
    refuseUnfit(options.url, config, command);
    return changeWebhook(tx, commerceId, options.id, chosen, webhookRulesOf(config));
  });
}

async function runDeliveries(
  argument: string | undefined,
  options: OneOptions & { readonly state?: Delivery['state'] },
  command: Command,
): Promise<void> {
  const name = namedCommerce(argument, options, command);
  const deliveries = await withDatabase(async (database) => {
    const { id: commerceId } = await findCommerce(database, name);
    const { ids } = await readFeed(database, commerceId);
    const page = await readDeliveries(database, commerceId, options.id, options.state ?? null, null);
    return page.deliveries.map((one) => ({ ...one, id: deliveryIdOf(one.eventId, ids) }));
  });
  printResult(
    options,
    deliveries.map(({ id, type, state, attempts, at, nextAt, status, answerMs }) => ({
      id,
      type,
      state,
      attempts,
      at,
      next_at: nextAt,
      status,
      answer_ms: answerMs,
    })),
    () =>
      formatTable(
        ['ID', 'TYPE', 'STATE', 'ATTEMPTS', 'LAST', 'STATUS'],
        deliveries.map(({ id, type, state, attempts, at, status }) => [
          id,
          type,
          state,
          attempts,
          at.toISOString(),
          status ?? '',
        ]),
      ),
  );
}

async function runTest(argument: string | undefined, options: OneOptions, command: Command): Promise<void> {
  const name = namedCommerce(argument, options, command);
  const id = await withDatabase(async (database) => {
    const commerce = await findOpenCommerce(database, name);
    const { ids } = await readFeed(database, commerce.id);
    const { eventId } = await auditedTransaction(database, commandLineActor(commerce.id), (tx) =>
      sendTest(tx, commerce.id, options.id),
    );
    return deliveryIdOf(eventId, ids);
  });
  printResult(options, { id }, () => id);
  printMessage('It is sent by the running service, within seconds.');
}

interface ReplayOptions extends OneOptions {
  readonly delivery?: string;
  readonly since?: string;
  readonly until?: string;
  readonly failed?: boolean;
}

async function runReplay(
  argument: string | undefined,
  options: ReplayOptions,
  command: Command,
): Promise<void> {
  const { id, delivery, since, until, failed = false } = options;
  const chosen = [delivery !== undefined, since !== undefined, failed].filter(Boolean).length;
  if (chosen !== 1) command.error('error: give one of --delivery, --since and --failed');
  if (until !== undefined && since === undefined) command.error('error: --until needs --since');
  const name = namedCommerce(argument, options, command);
  const stretch =
    since === undefined ? null : { since: readInstant(since, command), until: readInstant(until, command) };
  const deliveries = await withDatabase(async (database) => {
    const commerce = await findOpenCommerce(database, name);
    const actor = commandLineActor(commerce.id);
    if (stretch !== null) {
      await auditedTransaction(database, actor, (tx) => replayRange(tx, commerce.id, id, stretch));
      return null;
    }
    const eventId = delivery === undefined ? null : await readEventId(database, commerce.id, delivery);
    const answer = await auditedTransaction(database, actor, (tx) =>
      eventId === null ? replayFailed(tx, commerce.id, id) : replayOne(tx, commerce.id, id, eventId),
    );
    return answer.deliveries;
  });
  printResult(options, { deliveries }, () =>
    deliveries === null
      ? 'the events of that time are sent again'
      : `${deliveries} ${deliveries === 1 ? 'delivery is' : 'deliveries are'} sent again`,
  );
}

async function readEventId(database: Database, commerceId: number, delivery: string): Promise<number> {
  const { ids } = await readFeed(database, commerceId);
  const eventId = eventIdOf(delivery, ids);
  if (eventId === null) throw new UnknownDelivery();
  return eventId;
}

function readInstant(text: string | undefined, command: Command): Date {
  if (text === undefined) return new Date();
  const at = new Date(text);
  if (Number.isNaN(at.getTime()))
    command.error(`error: ${quote(text)} is not an instant, such as 2026-11-26T08:00:00Z`);
  return at;
}

async function runRotate(argument: string | undefined, options: OneOptions, command: Command): Promise<void> {
  const name = namedCommerce(argument, options, command);
  const { secret } = await withDatabase(async (database, config) => {
    const commerce = await findOpenCommerce(database, name);
    return auditedTransaction(database, commandLineActor(commerce.id), (tx) =>
      rotateSecret(tx, commerce.id, options.id, secretsOf(config)),
    );
  });
  printResult(options, { id: options.id, secret }, () => secret);
  printMessage(
    `The secret of ${options.id} is shown only this once. The one before signs too for ${OVERLAP_HOURS} hours.`,
  );
}

/** Does something that answers nothing, and says so. */
async function runAct(
  argument: string | undefined,
  options: OneOptions,
  command: Command,
  done: string,
  act: (tx: Tx, commerceId: number, config: Config) => Promise<Audited<void>>,
): Promise<void> {
  const name = namedCommerce(argument, options, command);
  await withDatabase(async (database, config) => {
    const commerce = await findOpenCommerce(database, name);
    await auditedTransaction(database, commandLineActor(commerce.id), (tx) => act(tx, commerce.id, config));
  });
  printResult(options, { id: options.id, [done]: true }, () => `${options.id} is ${done}`);
}

function readTerms(options: TermOptions, command: Command): Partial<WebhookTerms> {
  const { name, url, types, scopes } = options;
  if (name !== undefined && !isOneLine(name, NAME_CHARACTERS))
    command.error(`error: --name must be one line of 1 to ${NAME_CHARACTERS} characters, not ${quote(name)}`);
  return {
    ...(name !== undefined && { name }),
    ...(url !== undefined && { address: url }),
    ...(types !== undefined && {
      types:
        types === ALL
          ? []
          : (readList(types, EVENT_TYPE_NAMES, 'a type of events', command) as EventTypeName[]),
    }),
    ...(scopes !== undefined && {
      scopes:
        scopes === 'none'
          ? []
          : (readList(scopes, WEBHOOK_SCOPES, 'a scope of webhooks', command) as WebhookScope[]),
    }),
  };
}

function readList(list: string, known: readonly string[], kind: string, command: Command): string[] {
  const words = [...new Set(list.split(',').map((word) => word.trim()))];
  const unknown = words.find((word) => !known.includes(word));
  if (unknown === undefined) return words;
  const near = nearestName(unknown, known);
  return command.error(
    `error: ${quote(unknown)} is not ${kind}${near === undefined ? `: choose from ${known.join(', ')}` : `: did you mean ${near}?`}`,
  );
}

function refuseUnfit(url: string | undefined, config: Config, command: Command): void {
  const reason = url === undefined ? null : whyUnfit(url, webhookRulesOf(config));
  if (reason !== null) command.error(`error: --url ${quote(url!)}: ${reason}`);
}

/** A generated key of this machine would not be the one of the service. @throws Refusal */
function secretsOf(config: Config): WebhookSecrets {
  if (config.secretKey === null && config.databaseUrl !== null)
    throw new Refusal(
      'SECRET_KEY is not set: set the one of the service, which encrypts the secrets of webhooks.',
    );
  return createWebhookSecrets(readSecretKeys(config));
}
