import type { Command } from 'commander';
import { programJsonSchema } from '#program/json-schema.ts';
import { examples } from './terminal.ts';

export function addSchema(program: Command): void {
  program
    .command('schema')
    .summary('write the JSON Schema of program files')
    .description('Writes the JSON Schema of program files, for editors: completion, descriptions and checks.')
    .option('--json', 'as it is anyway')
    .addHelpText('after', examples('schema > program.schema.json'))
    .action(() => void process.stdout.write(`${JSON.stringify(programJsonSchema(), null, 2)}\n`));
}
