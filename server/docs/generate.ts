/** Writes the documents that are generated from the code: `npm run docs`. A test fails if one is out of date. */
import { writeFile } from 'node:fs/promises';
import { writeCommandLinePage } from './command-line.ts';
import { writeConfigurationPage, writeEnvExample } from './configuration.ts';
import { writeErrorsPage } from './errors.ts';
import { compileLetter } from './letter.ts';
import { writeProgramFieldsPage } from './program-fields.ts';
import { writeProgramLimits } from './program-limits.ts';

/** Returns every generated document by its path in the repository. */
export async function generatedDocuments(): Promise<Record<string, string>> {
  return {
    '.env.example': writeEnvExample(),
    'docs/configuration.md': writeConfigurationPage(),
    'docs/command-line.md': writeCommandLinePage(),
    'docs/errors.md': writeErrorsPage(),
    'docs/program-fields.md': writeProgramFieldsPage(),
    'server/src/mail/template/letter.html': await compileLetter(),
    'console/src/program/limits.ts': writeProgramLimits(),
  };
}

if (import.meta.main) {
  for (const [path, text] of Object.entries(await generatedDocuments())) {
    await writeFile(new URL(`../../${path}`, import.meta.url), text);
    process.stdout.write(`${path}\n`);
  }
}
