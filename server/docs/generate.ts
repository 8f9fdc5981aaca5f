/** Writes the documents that are made from the code: `npm run docs`. A test fails while one of them is stale. */
import { writeFile } from 'node:fs/promises';
import { commandLinePage } from './command-line.ts';
import { configurationPage, envExample } from './configuration.ts';

/** Every generated document by its path from the root of the repository. */
export async function generatedDocuments(): Promise<Record<string, string>> {
  return {
    '.env.example': envExample(),
    'docs/configuration.md': configurationPage(),
    'docs/command-line.md': await commandLinePage(),
  };
}

if (import.meta.main) {
  for (const [path, text] of Object.entries(await generatedDocuments())) {
    await writeFile(new URL(`../../${path}`, import.meta.url), text);
    process.stdout.write(`${path}\n`);
  }
}
