/** Writes the documents that are generated from the code: `npm run docs`. A test fails if one is out of date. */
import { writeFile } from 'node:fs/promises';
import { openDatabase } from '../src/platform/db/database.ts';
import { migrate } from '../src/platform/db/migrate.ts';
import { REFERENCE } from '../src/operations/doctor/examine-schema.ts';
import { readCatalog } from '../src/operations/doctor/read-catalog.ts';
import { startScratchServer } from '../test/postgres.ts';
import { writeCommandLinePage } from './command-line.ts';
import { writeConfigurationPage, writeEnvExample } from './configuration.ts';
import { writeErrorsPage } from './errors.ts';
import { writeEndedCurrencies } from './ended-currencies.ts';
import { compileLetter } from './letter.ts';
import { writeEventsPage } from './events.ts';
import { writeProgramFieldsPage } from './program-fields.ts';
import { writeProgramLimits } from './program-limits.ts';
import { writeScopesPage } from './scopes.ts';
import { writeWireTypes } from './wire-types.ts';

/** Returns every generated document by its path in the repository. */
export async function generatedDocuments(): Promise<Record<string, string>> {
  return {
    '.env.example': writeEnvExample(),
    'docs/configuration.md': writeConfigurationPage(),
    'docs/command-line.md': await writeCommandLinePage(),
    'docs/errors.md': writeErrorsPage(),
    'docs/events.md': writeEventsPage(),
    'docs/scopes.md': await writeScopesPage(),
    'docs/program-fields.md': writeProgramFieldsPage(),
    'server/src/platform/mail/template/letter.html': await compileLetter(),
    'console/src/program/limits.ts': writeProgramLimits(),
    'console/src/ui/ended-currencies.ts': writeEndedCurrencies(),
    ...(await writeWireTypes()),
  };
}

/** The schema that the migrations make, on a PostgreSQL of its own. `doctor` compares databases with it. */
async function writeSchema(): Promise<string> {
  const server = await startScratchServer();
  const database = openDatabase({
    url: server.adminUrl,
    poolSize: 2,
    preparedStatements: false,
    statementTimeoutMs: 0,
  });
  try {
    await migrate(database);
    return `[\n${(await readCatalog(database)).map((part) => JSON.stringify(part)).join(',\n')}\n]\n`;
  } finally {
    await database.destroy();
    await server.stop();
  }
}

if (import.meta.main) {
  await writeFile(REFERENCE, await writeSchema());
  process.stdout.write('server/src/operations/doctor/schema.json\n');
  for (const [path, text] of Object.entries(await generatedDocuments())) {
    await writeFile(new URL(`../../${path}`, import.meta.url), text);
    process.stdout.write(`${path}\n`);
  }
}
