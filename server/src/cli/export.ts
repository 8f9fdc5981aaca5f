import type { Command } from 'commander';
import { writeProgram } from '#program/write-program.ts';
import { findCommerce } from './find-commerce.ts';
import { writeExamples, type JsonOption } from './terminal.ts';
import { withDatabase } from './with-database.ts';

export function addExport(program: Command): void {
  program
    .command('export')
    .summary('write the program file of a commerce')
    .description('Write the program of a commerce as a file that `apply` accepts.')
    .argument('<commerce>', 'slug or id')
    .option('--json', 'write JSON instead of YAML')
    .addHelpText('after', writeExamples('export cafe-luna > cafe-luna.yaml', 'export cafe-luna --json'))
    .action(runExport);
}

async function runExport(name: string, options: JsonOption): Promise<void> {
  const { program } = await withDatabase((database) => findCommerce(database, name));
  process.stdout.write(
    options.json === true ? `${JSON.stringify(program, null, 2)}\n` : writeProgram(program),
  );
}
