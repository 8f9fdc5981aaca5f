/**
 * The style sheet of a page is loaded with it, and stays when somebody goes on to the next page. So it must not say anything about the
 * elements of other pages: they would look different after it was visited.
 */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '#test/repository.ts';

const SOURCE = join(ROOT, 'console/src');
const read = (file: string) => readFileSync(join(SOURCE, file), 'utf8');
const files = (pattern: string) => globSync(pattern, { cwd: SOURCE }).toSorted();

/** The sheets that every page has, in their order. */
const SHARED = [...read('style.css').matchAll(/^@import '\.\/(.+)';$/gm)].map(([, sheet]) => sheet!);

/** Of everything, and of the elements that several pages share. */
const isShared = (sheet: string) =>
  sheet === 'style.css' || SHARED.includes(sheet) || sheet.startsWith('ui/');

/** The classes of each selector of a style sheet that is true of an element by its classes. */
function selectorsOf(sheet: string): string[][] {
  const rules = read(sheet).replaceAll(/\/\*[^]*?\*\//g, '');
  return [...rules.matchAll(/(?:^|[{}])\s*([^{}@]+)\{/g)].flatMap(([, selectors]) =>
    selectors!
      .split(/,(?![^(]*\))/)
      .map((one) => [...one.matchAll(/\.([a-z][\w-]*)/g)].map(([, name]) => name!))
      .filter((classes) => classes.length > 0),
  );
}

function classesIn(component: string): Set<string> {
  const words = new Set<string>();
  for (const [, text, code] of read(component).matchAll(
    /className=(?:"([^"]*)"|\{((?:[^{}]|\{[^{}]*\})*)\})/g,
  )) {
    const said = text ?? [...code!.matchAll(/['`]([^'`]*)['`]/g)].map(([, one]) => one).join(' ');
    for (const [word] of said.matchAll(/[\w-]+/g)) words.add(word);
  }
  return words;
}

/** The folders whose pages load a style sheet. */
function foldersWith(sheet: string): Set<string> {
  return new Set(
    files('**/*.{ts,tsx}')
      .filter((file) =>
        [...read(file).matchAll(/^import '(.+\.css)';$/gm)].some(
          ([, path]) => relative(SOURCE, join(SOURCE, dirname(file), path!)) === sheet,
        ),
      )
      .map((file) => file.split('/')[0]!),
  );
}

test('the style sheet of a page says nothing about the elements of another', () => {
  const components = files('**/*.tsx').map((file) => ({
    folder: file.split('/')[0]!,
    file,
    classes: classesIn(file),
  }));
  const wrong = files('**/*.css')
    .filter((sheet) => !isShared(sheet))
    .flatMap((sheet) => {
      const own = foldersWith(sheet);
      return components
        .filter(({ folder }) => !own.has(folder))
        .flatMap(({ file, classes }) => {
          const said = selectorsOf(sheet).filter((selector) => selector.every((name) => classes.has(name)));
          return said.map((selector) => `${sheet}: .${selector.join('.')} is a class of ${file}`);
        });
    });
  assert.deepEqual([...new Set(wrong)], []);
});

for (const front of ['console', 'portal']) {
  test(`the first style sheet of the ${front} only imports, and no sheet is left out`, () => {
    const source = join(ROOT, front, 'src');
    const first = readFileSync(join(source, 'style.css'), 'utf8').replaceAll(/\/\*[^]*?\*\//g, '');
    assert.equal(first.replaceAll(/^@import '.+';$/gm, '').trim(), '');
    const imports = globSync('**/*.{css,ts,tsx}', { cwd: source }).flatMap((file) =>
      [...readFileSync(join(source, file), 'utf8').matchAll(/^@?import '(\..+\.css)';$/gm)].map(([, path]) =>
        relative(source, join(source, dirname(file), path!)),
      ),
    );
    const loaded = new Set(imports);
    assert.deepEqual(
      [...loaded].toSorted(),
      globSync('**/*.css', { cwd: source })
        .filter((sheet) => sheet !== 'style.css')
        .toSorted(),
    );
  });
}
