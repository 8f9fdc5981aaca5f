/** Writes the documents that are made from the code: `npm run docs`. A test fails while one of them is stale. */
import { writeFile } from 'node:fs/promises';
import { commandLinePage } from './command-line.ts';
import { configurationPage, envExample } from './configuration.ts';
import { programFieldsPage } from './program-fields.ts';

/** Every generated document by its path from the root of the repository. */
export function generatedDocuments(): Record<string, string> {
  return {
    '.env.example': envExample(),
    'docs/configuration.md': configurationPage(),
    'docs/command-line.md': commandLinePage(),
    'docs/program-fields.md': programFieldsPage(),
  };
}

if (import.meta.main) {
  for (const [path, text] of Object.entries(generatedDocuments())) {
    await writeFile(new URL(`../../${path}`, import.meta.url), text);
    process.stdout.write(`${path}\n`);
  }
}
