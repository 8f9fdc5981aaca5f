/**
 * Checks the licence of every package of the lock file, on all platforms, against the list below. `npm run licences`.
 * A licence that is not on the list is a question for a person: read it, then add it here with the reason.
 */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** These ask for their notice in copies at most. The archive and the image contain it, in the folder of each package. */
const ALLOWED: ReadonlySet<string> = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'Unlicense',
]);

/** These only build and test, so nobody gets a copy from us. */
const ALLOWED_IN_DEVELOPMENT: ReadonlySet<string> = new Set([
  'CC-BY-4.0',
  'MPL-2.0',
  'PSF-2.0',
  'Python-2.0',
]);

/** Packages with a licence of their own kind. */
const EXCEPTIONS: readonly {
  readonly packages: RegExp;
  readonly licence: string;
  readonly because: string;
}[] = [
  {
    packages: /^@img\/sharp-/,
    licence: 'LGPL-3.0-or-later',
    because: 'libvips is a shared library of its own that anybody can replace, as the licence asks',
  },
  {
    packages: /^slick$/,
    licence: 'MIT (http://mootools.net/license.txt)',
    because: 'it is MIT, written before there were names for licences',
  },
];

interface Package {
  readonly name: string;
  readonly version: string;
  readonly licence: string;
  readonly development: boolean;
}

/** Returns every package of the lock file that is not our own. */
export function readPackages(checkout: string): Package[] {
  const lock = JSON.parse(readFileSync(join(checkout, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version: string; license?: string; dev?: boolean; link?: boolean }>;
  };
  return Object.entries(lock.packages).flatMap(([path, { version, license, dev, link }]) => {
    const at = path.lastIndexOf('node_modules/');
    if (at < 0 || link === true) return [];
    const name = path.slice(at + 'node_modules/'.length);
    return [{ name, version, licence: license ?? 'none', development: dev === true }];
  });
}

/** Returns the packages whose licence nobody has agreed to. */
export function findRefused(packages: readonly Package[]): Package[] {
  return packages.filter(({ name, licence, development }) => {
    const isAllowed = (one: string) =>
      ALLOWED.has(one) ||
      (development && ALLOWED_IN_DEVELOPMENT.has(one)) ||
      EXCEPTIONS.some((exception) => exception.licence === one && exception.packages.test(name));
    if (isAllowed(licence)) return false;
    const alternatives = licence.replaceAll(/[()]/g, '').split(' OR ');
    return !alternatives.some((alternative) => alternative.split(' AND ').every(isAllowed));
  });
}

/** Writes how many packages have which licence. */
export function writeTable(packages: readonly Package[]): string {
  const counts = new Map<string, { shipped: number; development: number }>();
  for (const { licence, development } of packages) {
    const count = counts.get(licence) ?? { shipped: 0, development: 0 };
    count[development ? 'development' : 'shipped']++;
    counts.set(licence, count);
  }
  const rows = [...counts].toSorted(([a], [b]) => a.localeCompare(b));
  const line = (name: string, shipped: string | number, development: string | number) =>
    `${name.padEnd(42)}${String(shipped).padStart(9)}${String(development).padStart(13)}`;
  return [
    line('LICENCE', 'SHIPPED', 'DEVELOPMENT'),
    ...rows.map(([name, n]) => line(name, n.shipped, n.development)),
  ].join('\n');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const packages = readPackages(resolve(import.meta.dirname, '..'));
  const refused = findRefused(packages);
  process.stdout.write(`${writeTable(packages)}\n`);
  for (const { name, version, licence } of refused)
    process.stderr.write(
      `${name} ${version}: nobody has agreed to its licence, ${licence}. See deploy/licences.ts.\n`,
    );
  if (refused.length > 0) process.exitCode = 1;
}
