import { dirname, join } from 'node:path';
import { read } from './repository.ts';

const ALIASES = Object.entries(
  (JSON.parse(read('server/package.json')) as { imports: Record<string, string> }).imports,
);

/** Returns the files of the repository that a file imports, types and imports on demand too. */
export function importsOf(path: string): string[] {
  return [...read(path).matchAll(/(?:from |import\(|import )'([#.][^']+)'/g)].map(([, specifier]) =>
    specifier!.startsWith('#') ? unaliased(specifier!) : join(dirname(path), specifier!),
  );
}

function unaliased(specifier: string): string {
  const [alias, target] = ALIASES.find(([alias]) => specifier.startsWith(alias.replace('*', '')))!;
  return join('server', target.replace('*', '')) + specifier.slice(alias.replace('*', '').length);
}
