import type { Command } from 'commander';
import { closeCommerce } from '#commerces/close-commerce.ts';
import { listCommerces } from '#commerces/list-commerces.ts';
import { findCommerce } from './find-commerce.ts';
import { answer, examples, jsonOption, table, type Json } from './terminal.ts';
import { withDatabase } from './with-database.ts';

export function addCommerce(program: Command): void {
  const commerce = program.command('commerce').description('Lists and closes commerces.');
  commerce
    .command('list')
    .description('Lists every commerce, the closed ones too.')
    .option(...jsonOption)
    .addHelpText('after', examples('commerce list', 'commerce list --json'))
    .action(list);
  commerce
    .command('close')
    .description(
      'Closes a commerce for good: its keys and its id are refused from then on. Nothing is deleted.',
    )
    .argument('<commerce>', 'slug or id')
    .option(...jsonOption)
    .addHelpText('after', examples('commerce close cafe-luna'))
    .action(close);
}

async function list(options: Json): Promise<void> {
  const commerces = await withDatabase((database) => listCommerces(database));
  answer(
    options,
    commerces.map(({ createdAt, ...rest }) => ({ ...rest, created_at: createdAt })),
    () =>
      table(
        ['ID', 'SLUG', 'NAME', 'STATUS', 'MEMBERS'],
        commerces.map(({ id, slug, name, status, sandbox, members }) => [
          id,
          slug,
          name,
          sandbox ? `${status}, sandbox` : status,
          members,
        ]),
      ),
  );
}

async function close(name: string, options: Json): Promise<void> {
  const { id, slug, closed } = await withDatabase(async (database) => {
    const { id, slug } = await findCommerce(database, name);
    return { id, slug, closed: await closeCommerce(database, id) };
  });
  answer(options, { commerce_id: id, slug, status: 'closed', changed: closed }, () =>
    closed ? `${slug} is closed` : `${slug} was closed already`,
  );
}
