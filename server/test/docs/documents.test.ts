import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { readProgram } from '#program/read-program.ts';
import { filesThatEnd, read, ROOT } from '#test/repository.ts';

const documents = filesThatEnd('.md').map((path) => ({ path, text: read(path) }));

test('every relative link of every document leads to a file, and to a heading where it names one', () => {
  const broken = documents.flatMap(({ path, text }) =>
    linksOf(text)
      .filter((link) => !leadsSomewhere(path, text, link))
      .map((link) => `${path}: ${link}`),
  );
  assert.deepEqual(broken, []);
});

test('docs/README.md leads to every page, and the list of decisions to every decision', () => {
  const index = read('docs/README.md');
  const missing = filesThatEnd('.md', 'docs')
    .map((path) => path.slice('docs/'.length))
    .filter((path) => path !== 'README.md' && !path.includes('/'))
    .filter((path) => !index.includes(`](${path})`));
  assert.deepEqual(missing, []);
  const decisions = filesThatEnd('.md', 'docs/decisions').map((path) => path.slice('docs/decisions/'.length));
  const list = read('docs/decisions/README.md');
  const numbered = decisions.filter((path) => path !== 'README.md').toSorted();
  numbered.forEach((path, i) => {
    assert.equal(Number(path.slice(0, 4)), i + 1, 'no number is left out');
    assert.ok(list.includes(`](${path})`), path);
    assert.match(
      read(`docs/decisions/${path}`),
      /^# \d+\. .+\n\n\*(?:Accepted|Replaced by .+), \d{4}-\d\d-\d\d\.\*\n/,
      path,
    );
  });
});

test('every file of the source that a document names is there', () => {
  const missing = documents.flatMap(({ path, text }) =>
    [...text.matchAll(/`((?:server|bench|examples|docs|\.ci)\/[\w./-]+)`/g)]
      .filter(([, named]) => !existsSync(join(ROOT, named!)))
      .map(([, named]) => `${path}: ${named}`),
  );
  assert.deepEqual(missing, []);
});

test('every npm script that a document names is in package.json, or in that of a workspace', () => {
  const { scripts, workspaces } = manifest('package.json');
  const known = { ...scripts, ...Object.assign({}, ...workspaces.map(scriptsOf)) };
  const unknown = documents.flatMap(({ path, text }) =>
    [...text.matchAll(/\bnpm (?:run (?:--\S+ )*([a-z][\w:-]*)|(start|test)\b)/g)]
      .map(([, run, itself]) => run ?? itself!)
      .filter((name) => !(name in known))
      .map((name) => `${path}: npm ${name}`),
  );
  assert.deepEqual(unknown, []);
});

test('every command of loyalty that a document names is one', () => {
  const commands = [...read('docs/command-line.md').matchAll(/^## (.+)$/gm)].map(([, name]) => name!);
  const unknown = documents.flatMap(({ path, text }) =>
    [...text.matchAll(/(?:`|--no-install )loyalty ([a-z][a-z-]*(?: [a-z][a-z-]*)?)/g)]
      .map(([, words]) => words!)
      .filter((words) => !commands.includes(words) && !commands.includes(words.split(' ')[0]!))
      .map((words) => `${path}: loyalty ${words}`),
  );
  assert.deepEqual(unknown, []);
});

test('every program file in a document, and every example, is one that the program reads', () => {
  const inDocuments = documents.flatMap(({ path, text }) =>
    [...text.matchAll(/^```yaml\n(.+?)^```/gms)].map(([, yaml]) => ({ path, yaml: yaml! })),
  );
  // In folders of their own are files of other programs, such as Prometheus.
  const examples = filesThatEnd('.yaml', 'examples')
    .filter((path) => dirname(path) === 'examples')
    .map((path) => ({ path, yaml: read(path) }));
  assert.ok(inDocuments.length > 3);
  assert.ok(examples.length > 0);
  for (const { path, yaml } of [...inDocuments, ...examples]) {
    const result = readProgram(yaml);
    assert.ok(result.ok, `${path}: ${JSON.stringify(result)}`);
  }
});

interface Manifest {
  readonly scripts?: Record<string, string>;
  readonly workspaces: string[];
}

function manifest(path: string): Manifest {
  return JSON.parse(read(path)) as Manifest;
}

function scriptsOf(workspace: string): Record<string, string> {
  return manifest(`${workspace}/package.json`).scripts ?? {};
}

/** Where links lead that are neither of the web nor inside a block of code. */
function linksOf(text: string): string[] {
  return [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link]) => link!)
    .filter((link) => !/^[a-z]+:/.test(link));
}

function leadsSomewhere(path: string, text: string, link: string): boolean {
  const [file = '', heading] = link.split('#');
  const target = file === '' ? path : join(dirname(path), file);
  if (!existsSync(join(ROOT, target))) return false;
  return heading === undefined || headingsOf(file === '' ? text : read(target)).includes(heading);
}

/** As pages on the web name them. */
function headingsOf(text: string): string[] {
  return [...withoutCode(text).matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
    title!
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, '')
      .replaceAll(' ', '-'),
  );
}

function withoutCode(text: string): string {
  return text.replaceAll(/^```.*?^```/gms, '');
}
