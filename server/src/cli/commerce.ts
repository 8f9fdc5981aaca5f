import type { Command } from 'commander';
import { auditedTransaction } from '#audit/audited-transaction.ts';
import { closeCommerce } from '#commerces/close-commerce.ts';
import { listCommerces } from '#commerces/list-commerces.ts';
import { addCommerceArchive } from './commerce-archive.ts';
import { commandLineActor } from './command-line-actor.ts';
import { findCommerce } from './find-commerce.ts';
import { formatTable, jsonOption, printResult, writeExamples, type JsonOption } from './terminal.ts';
import { withDatabase } from './with-database.ts';

export function addCommerce(program: Command): void {
  const commerce = program
    .command('commerce')
    .summary('list, close, export and import commerces')
    .description('List and close commerces, and move them to another installation.')
    .addHelpText(
      'after',
      writeExamples(
        'commerce list',
        'commerce close cafe-luna',
        'commerce export cafe-luna --output cafe-luna.archive',
      ),
    );
  commerce
    .command('list')
    .summary('list all commerces')
    .description('List all commerces, including closed ones.')
    .option(...jsonOption)
    .addHelpText('after', writeExamples('commerce list', 'commerce list --json'))
    .action(runList);
  commerce
    .command('close')
    .summary('close a commerce for good')
    .description(
      'Close a commerce for good. Its keys and its id are refused from then on. Nothing is deleted.',
    )
    .argument('<commerce>', 'slug or id')
    .option(...jsonOption)
    .addHelpText('after', writeExamples('commerce close cafe-luna'))
    .action(runClose);
  addCommerceArchive(commerce);
}

async function runList(options: JsonOption): Promise<void> {
  const commerces = await withDatabase((database) => listCommerces(database));
  printResult(
    options,
    commerces.map(({ createdAt, ...rest }) => ({ ...rest, created_at: createdAt })),
    () =>
      formatTable(
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

async function runClose(name: string, options: JsonOption): Promise<void> {
  const { id, slug, closed } = await withDatabase(async (database) => {
    const { id, slug } = await findCommerce(database, name);
    const closed = await auditedTransaction(database, commandLineActor(id), async (tx) => {
      const isChanged = await closeCommerce(tx, id);
      return { answer: isChanged, entry: isChanged ? { action: 'commerce.close', subject: slug } : null };
    });
    return { id, slug, closed };
  });
  printResult(options, { commerce_id: id, slug, status: 'closed', changed: closed }, () =>
    closed ? `${slug} is closed` : `${slug} was already closed`,
  );
}
