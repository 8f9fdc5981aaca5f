import { readFileSync } from 'node:fs';
import type { Db } from '#db/database.ts';
import { isSchemaAhead } from '#db/migrate.ts';
import { readMovements } from '#partition/read-movements.ts';
import { problem, type Finding } from './finding.ts';
import { readCatalog, type SchemaPart } from './read-catalog.ts';

/** The schema as the migrations make it in an empty database. `npm run docs` writes it. */
export const REFERENCE = new URL('./schema.json', import.meta.url);

/** More would hide the rest of the report. */
const MOST = 25;

/**
 * Compares the schema with the one that the migrations make, part by part. Parts that somebody has added are left alone. The schema must be
 * of this version; one of a newer program is not compared, because this one does not know it.
 */
export async function examineSchema(
  db: Db,
): Promise<{ facts: { readonly parts: number; readonly differing: number }; findings: Finding[] }> {
  if (await isSchemaAhead(db)) return { facts: { parts: 0, differing: 0 }, findings: [] };
  const reference = JSON.parse(readFileSync(REFERENCE, 'utf8')) as SchemaPart[];
  const findings = [...compareSchemas(reference, await readCatalog(db)), ...(await findPartitions(db))];
  return {
    facts: { parts: reference.length, differing: findings.length },
    findings: [
      ...findings.slice(0, MOST),
      ...(findings.length > MOST
        ? [
            problem(
              'schema',
              `${findings.length - MOST} more parts of the schema differ.`,
              'Mend the ones above first, and run this again.',
            ),
          ]
        : []),
    ],
  };
}

async function findPartitions(db: Db): Promise<Finding[]> {
  const { partitions, hasCopy, unchecked } = await readMovements(db);
  if (!hasCopy && unchecked === 0) return [];
  return [
    problem(
      'schema',
      hasCopy
        ? 'There is a copy of the movements: `loyalty partition` is running, or it was interrupted.'
        : 'Foreign keys of the movements are not checked: `loyalty partition` is running, or it was interrupted.',
      `If it does not run any more, run \`loyalty partition --parts ${partitions}\`, which ${hasCopy ? 'removes the copy' : 'checks them'}.`,
    ),
  ];
}

/** Returns a finding for each part that is missing or different. Parts of a missing table or column are not reported again. */
export function compareSchemas(wanted: readonly SchemaPart[], found: readonly SchemaPart[]): Finding[] {
  const here = new Map(found.map((part) => [part.name, part]));
  const known = new Set(wanted.map(({ name }) => name));
  const added = found.filter(({ name }) => !known.has(name));
  const missingTables = wanted
    .filter(({ name }) => name.startsWith('table ') && !here.has(name))
    .map(({ name }) => name.slice('table '.length));
  return wanted.flatMap((part) => {
    const mine = here.get(part.name);
    if (mine?.is === part.is) return [];
    const isOfMissing = missingTables.some((table) => isOf(part.name, table));
    if (isOfMissing && !part.name.startsWith('table ')) return [];
    return [mine === undefined ? tellMissing(part, added) : tellDifferent(part, mine)];
  });
}

function isOf(name: string, table: string): boolean {
  return name.startsWith(`column ${table}.`) || name.endsWith(` of ${table}`);
}

const BY_HAND =
  'Make it as the files in server/src/platform/db/migrations do, by the role that owns the tables, or restore a backup.';

function tellMissing({ name, is, made }: SchemaPart, added: readonly SchemaPart[]): Finding {
  const [, table, column] = /^column (\w+)\.(\w+)$/.exec(name) ?? [];
  if (column !== undefined) {
    const renamed = added.filter((part) => part.name.startsWith(`column ${table}.`) && part.is === is);
    if (renamed.length === 1) {
      const now = renamed[0]!.name.split('.')[1]!;
      return problem(
        'schema',
        `The column ${table}.${column} is missing, and ${table}.${now} is there instead.`,
        `Rename it back, by the role that owns the tables: \`alter table ${table} rename column ${now} to ${column}\`.`,
      );
    }
  }
  return problem('schema', `The ${name} is missing.`, made === '' ? BY_HAND : byOwner(made));
}

function tellDifferent({ name, is, made }: SchemaPart, mine: SchemaPart): Finding {
  const [, trigger, table] = /^trigger (\w+) of (\w+)$/.exec(name) ?? [];
  if (trigger !== undefined && mine.is === 'disabled')
    return problem(
      'schema',
      `The trigger ${trigger} of ${table} is disabled.`,
      `Enable it, and run \`loyalty ledger verify\`, because rows may have been changed meanwhile: \`alter table ${table} enable trigger ${trigger}\`.`,
    );
  if (name.startsWith('function ')) return problem('schema', `The ${name} has another text.`, BY_HAND);
  const drop = name.startsWith('index ') ? `drop index ${name.split(' ')[1]}; ` : '';
  return problem(
    'schema',
    `The ${name} is ${mine.is}, and should be ${is}.`,
    made === '' ? BY_HAND : byOwner(drop + made),
  );
}

function byOwner(statement: string): string {
  return `Make it by the role that owns the tables: \`${statement}\`.`;
}
