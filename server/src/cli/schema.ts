import type { Command } from 'commander';
import { programJsonSchema } from '#program/json-schema.ts';
import { writeExamples } from './terminal.ts';

export function addSchema(program: Command): void {
  program
    .command('schema')
    .summary('write the JSON Schema of program files')
    .description(
      'Write the JSON Schema of program files. Editors use it for completion, descriptions and checks.',
    )
    .option('--json', 'has no effect: the output is always JSON')
    .addHelpText('after', writeExamples('schema > program.schema.json'))
    .action(() => void process.stdout.write(`${JSON.stringify(programJsonSchema(), null, 2)}\n`));
}
