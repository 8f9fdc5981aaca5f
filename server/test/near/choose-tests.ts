import { dirname } from 'node:path';

/** The facts that the choice is made from: all test files, and what each of them imports itself. */
export interface Tests {
  readonly files: readonly string[];
  readonly importsOf: (file: string) => readonly string[];
}

/**
 * Returns the test files near a change, by their path from the root: those that changed, those that import a changed file
 * themselves, and those in the folder of one. Files that nearly every test imports say nothing about what is near.
 */
export function chooseTests(changed: readonly string[], { files, importsOf }: Tests): string[] {
  const users = new Map<string, string[]>();
  for (const file of files)
    for (const imported of new Set(importsOf(file))) {
      const known = users.get(imported);
      if (known === undefined) users.set(imported, [file]);
      else known.push(file);
    }
  const near = new Set(files.filter((file) => changed.includes(file)));
  for (const path of changed) {
    const importers = users.get(path) ?? [];
    if (importers.length <= files.length * MOST_USERS) for (const file of importers) near.add(file);
    if (isCode(path)) for (const file of files) if (dirname(file) === dirname(path)) near.add(file);
    for (const [touched, always] of ALWAYS)
      if (touched.test(path)) for (const file of files) if (always.test(file)) near.add(file);
  }
  return [...near].toSorted();
}

/** What a larger share of the test files import belongs to all of them. */
const MOST_USERS = 1 / 20;

/** Quick tests of the whole repository, by what they look at. */
const ALWAYS: readonly (readonly [touched: RegExp, tests: RegExp])[] = [
  [/^server\/src\/.+\.ts$/, /^server\/test\/architecture\.test\.ts$/],
  [/\.md$/, /^server\/test\/docs\/(?:documents|generated)\.test\.ts$/],
  [/\/(?:wire|schema|[\w-]*routes|program|command-line)\.ts$/, /^server\/test\/docs\/generated\.test\.ts$/],
  [/^package(?:-lock)?\.json$/, /^server\/test\/packaging\/supply-chain\.test\.ts$/],
];

/** Folders of tests have little in common but their place. */
function isCode(path: string): boolean {
  return /\.[jt]sx?$/.test(path) && !path.endsWith('.test.ts') && !path.startsWith('server/test/');
}
