/**
 * Makes everything that a release consists of, into `dist/release`: `npm run release`. It publishes nothing. With `--tag` it also
 * tags the commit; with `--tagged` the commit must have the tag already. docs/releasing.md has the steps before and after.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

const CHECKOUT = resolve(import.meta.dirname, '..');
const OUT = join(CHECKOUT, 'dist/release');
const { values } = parseArgs({
  options: { tag: { type: 'boolean', default: false }, tagged: { type: 'boolean', default: false } },
});

const { version } = readManifest('package.json');
const issues = findIssues();
if (issues.length > 0) {
  process.stderr.write(`Version ${version} is not ready:\n${issues.map((issue) => `- ${issue}\n`).join('')}`);
  process.exit(1);
}
const startedOn = new Date();
const commit = run('git', 'rev-parse', 'HEAD');
const committedAt = Number(run('git', 'log', '-1', '--format=%ct'));
rmSync(OUT, { recursive: true, force: true });
mkdirSync(OUT, { recursive: true });
run('npm', 'run', 'build');
packInstallation();
run('npm', 'pack', '--workspace=sdk', `--pack-destination=${OUT}`);
packChart();
writeBillOfMaterials();
writeChecksums();
writeProvenance();
if (values.tag) run('git', 'tag', '--annotate', '--message', `Version ${version}`, `v${version}`);
process.stderr.write(`${OUT}:\n`);
for (const name of readdirSync(OUT).toSorted()) process.stdout.write(`${name}\n`);

/** Returns a sentence for everything that a release must have and this commit has not. */
function findIssues(): string[] {
  const found: string[] = [];
  if (run('git', 'status', '--porcelain') !== '')
    found.push('the checkout has changes that are not committed');
  for (const workspace of readManifest('package.json').workspaces) {
    const other = readManifest(`${workspace}/package.json`).version;
    if (other !== version) found.push(`${workspace}/package.json has version ${other}`);
  }
  const chart = [...read('deploy/helm/loyalty/Chart.yaml').matchAll(/^(?:version|appVersion): (.+)$/gm)];
  if (chart.length !== 2 || chart.some(([, other]) => other !== version))
    found.push('deploy/helm/loyalty/Chart.yaml has another version');
  if (!read('CHANGELOG.md').includes(`\n## [${version}] - `))
    found.push(`CHANGELOG.md has no heading "## [${version}] - DATE"`);
  if (!existsSync(join(CHECKOUT, 'server/test/releases', version)))
    found.push('it is not frozen: run `npm run release:freeze`');
  const isTagged = run('git', 'tag', '--points-at', 'HEAD').split('\n').includes(`v${version}`);
  if (values.tagged && !isTagged) found.push(`this commit has no tag v${version}`);
  if (!values.tagged && run('git', 'tag', '--list', `v${version}`) !== '')
    found.push(`there is a tag v${version} already`);
  if (spawnSync(process.execPath, [join(import.meta.dirname, 'licences.ts')]).status !== 0)
    found.push('a licence is not agreed to: run `npm run licences`');
  return found;
}

/** An archive of the installation for this platform. Two runs on one commit give the same bytes. */
function packInstallation(): void {
  const folder = mkdtempSync(join(tmpdir(), 'loyalty-release-'));
  const name = `loyalty-${version}`;
  try {
    run('npm', 'run', 'assemble', '--', join(folder, name));
    // The compiled code is good only in the folder where it was compiled, and differs from run to run.
    rmSync(join(folder, name, 'node_modules/.cache/node'), { recursive: true, force: true });
    const archive = join(OUT, `${name}-${process.platform}-${process.arch}.tar.gz`);
    const same = [
      '--sort=name',
      `--mtime=@${committedAt}`,
      '--owner=0',
      '--group=0',
      '--numeric-owner',
      '--mode=go-w',
    ];
    run('tar', ...same, '--use-compress-program=gzip --no-name', '-cf', archive, '-C', folder, name);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function packChart(): void {
  if (spawnSync('helm', ['version']).status !== 0) {
    process.stderr.write('helm is not installed: the chart is not packed.\n');
    return;
  }
  run('helm', 'package', 'deploy/helm/loyalty', '--destination', OUT);
}

/** The packages that run, in the two formats that scanners read. */
function writeBillOfMaterials(): void {
  for (const format of ['cyclonedx', 'spdx']) {
    const options = [
      '--package-lock-only',
      '--omit=dev',
      '--sbom-type=application',
      `--sbom-format=${format}`,
    ];
    writeFileSync(join(OUT, `sbom.${format}.json`), run('npm', 'sbom', ...options));
  }
}

function writeChecksums(): void {
  const lines = readdirSync(OUT)
    .toSorted()
    .map((name) => `${hashOf(join(OUT, name))}  ${name}\n`);
  writeFileSync(join(OUT, 'SHA256SUMS'), lines.join(''));
}

/**
 * What was built from what, as an in-toto statement with SLSA's predicate. Nobody has signed it: the workflow of a release has its
 * own signed by the platform that ran it.
 */
function writeProvenance(): void {
  const names = readdirSync(OUT).filter((name) => name !== 'SHA256SUMS');
  const digest = (path: string) => ({ sha256: hashOf(path) });
  const statement = {
    _type: 'https://in-toto.io/Statement/v1',
    subject: names.toSorted().map((name) => ({ name, digest: digest(join(OUT, name)) })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'urn:loyalty:release.ts',
        externalParameters: { version },
        internalParameters: {
          node: process.versions.node,
          platform: process.platform,
          architecture: process.arch,
        },
        resolvedDependencies: [
          { name: 'source', digest: { gitCommit: commit } },
          { name: 'package-lock.json', digest: digest(join(CHECKOUT, 'package-lock.json')) },
        ],
      },
      runDetails: {
        builder: { id: process.env['GITHUB_WORKFLOW_REF'] ?? 'urn:loyalty:a-checkout' },
        metadata: { startedOn: startedOn.toISOString(), finishedOn: new Date().toISOString() },
      },
    },
  };
  writeFileSync(join(OUT, 'provenance.json'), `${JSON.stringify(statement, null, 2)}\n`);
}

function hashOf(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

function read(path: string): string {
  return readFileSync(join(CHECKOUT, path), 'utf8');
}

function readManifest(path: string): { version: string; workspaces: string[] } {
  return JSON.parse(read(path)) as { version: string; workspaces: string[] };
}

function run(program: string, ...args: string[]): string {
  return execFileSync(program, args, {
    cwd: CHECKOUT,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
    stdio: ['ignore', 'pipe', 'inherit'],
  }).trim();
}
