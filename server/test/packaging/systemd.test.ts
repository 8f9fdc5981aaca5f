/** The systemd units, checked by systemd's own tool where it is installed. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { configSchema } from '../../src/platform/settings/config-variables.ts';
import { read } from '#test/repository.ts';

const UNITS = [
  'loyalty@.service',
  'loyalty.target',
  'loyalty-backup.service',
  'loyalty-backup.timer',
  'loyalty-alert@.service',
];
const service = read('deploy/systemd/loyalty@.service');
const hasTool = spawnSync('systemd-analyze', ['--version']).status === 0;
const skip = !hasTool && 'systemd-analyze is not installed';

test('systemd finds no fault in the units', { skip }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'loyalty-units-'));
  try {
    // It also looks for the program, which is not installed here.
    const here = (text: string) => text.replaceAll('/opt/loyalty/node_modules/.bin/node', process.execPath);
    for (const unit of UNITS) writeFileSync(join(folder, unit), here(read(`deploy/systemd/${unit}`)));
    const checked = spawnSync(
      'systemd-analyze',
      ['verify', '--man=no', ...UNITS.map((unit) => join(folder, unit))],
      {
        encoding: 'utf8',
      },
    );
    assert.equal(checked.status, 0, checked.stderr);
    assert.ok(!checked.stderr.includes(folder), checked.stderr);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('systemd rates what a process may do as next to nothing', { skip }, () => {
  // Versions of systemd weigh a little differently: here it is 1.3 of 10.
  const rated = spawnSync(
    'systemd-analyze',
    ['security', '--offline=true', '--threshold=20', '--no-pager', 'deploy/systemd/loyalty@.service'],
    { encoding: 'utf8', cwd: new URL('../../..', import.meta.url).pathname },
  );
  assert.equal(rated.status, 0, rated.stdout + rated.stderr);
});

test('the units set only variables that exist, leave time to drain, and give up on nothing', () => {
  const names = [...service.matchAll(/^Environment=(.+)$/gm)]
    .flatMap(([, pairs]) => pairs!.split(' '))
    .map((pair) => pair.split('=')[0]!);
  const settings = [...read('deploy/systemd/environment').matchAll(/^(\w+)=/gm)].map(([, name]) => name!);
  for (const name of [...names, ...settings])
    assert.ok(name === 'ENV_FILE' || name.replace(/_FILE$/, '') in configSchema.properties, name);
  assert.ok(Number(/^TimeoutStopSec=(\d+)$/m.exec(service)![1]) > 5 + 22);
  // Node lists the addresses of the machine when it listens on 0.0.0.0, and ends if it may not.
  assert.match(service, /^RestrictAddressFamilies=.*\bAF_NETLINK\b/m);
  assert.match(service, /^StartLimitIntervalSec=0$/m);
  assert.match(service, /^Restart=always$/m);
});

test('a backup that fails is told by a unit that exists', () => {
  const [, unit] = /^OnFailure=(.+)$/m.exec(read('deploy/systemd/loyalty-backup.service'))!;
  assert.equal(unit, 'loyalty-alert@%n.service');
  const alert = read('deploy/systemd/loyalty-alert@.service');
  const [, script] = /^ExecStart=\/bin\/sh -c '(.+)'$/m.exec(alert)!;
  const folder = mkdtempSync(join(tmpdir(), 'loyalty-alert-'));
  try {
    const program = join(folder, 'alert');
    const run = () =>
      spawnSync('/bin/sh', [
        '-c',
        script!.replaceAll('/etc/loyalty/alert', program).replaceAll('%i', 'loyalty-backup.service'),
      ]).stdout.toString();
    assert.equal(run(), '<2>loyalty-backup.service has failed: journalctl --unit loyalty-backup.service\n');
    writeFileSync(program, '#!/bin/sh\necho "told $1"\n', { mode: 0o755 });
    assert.match(run(), /\ntold loyalty-backup\.service\n$/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('the folders that the documents name for heads can be written to', () => {
  const [, systemd] = /`SEAL_PUBLISH=(\/var\/lib\/\S+)` with systemd/.exec(read('docs/seals.md'))!;
  assert.match(service, new RegExp(`^StateDirectory=${systemd!.slice('/var/lib/'.length)}$`, 'm'));
  assert.match(read('deploy/systemd/environment'), new RegExp(`^# SEAL_PUBLISH=${systemd},`, 'm'));
  // Two processes with users of their own would take the folder from each other.
  assert.match(service, /^User=loyalty$/m);
  const [, container] = /`SEAL_PUBLISH=(\/\S+)` with Compose/.exec(read('docs/seals.md'))!;
  assert.match(read('compose.yaml'), new RegExp(`^      - heads:${container}$`, 'm'));
  assert.match(
    read('Dockerfile'),
    new RegExp(`^COPY --from=build --chown=65532:65532 ${container} ${container}$`, 'm'),
  );
});

test('the documented restart leaves the other processes alone if one of them does not start', () => {
  const loop = /`(for port in 3000 3001; [^`]+)`/.exec(read('docs/install.md'))![1]!;
  const folder = mkdtempSync(join(tmpdir(), 'loyalty-loop-'));
  try {
    const said = join(folder, 'said');
    for (const program of ['systemctl', 'sudo', 'sleep'])
      writeFileSync(join(folder, program), `#!/bin/sh\necho "${program} $*" >> ${said}\nexit 1\n`, {
        mode: 0o755,
      });
    spawnSync('/bin/sh', ['-c', loop], { env: { PATH: folder } });
    assert.match(readFileSync(said, 'utf8'), /3000\n$/);
    assert.doesNotMatch(readFileSync(said, 'utf8'), /3001/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
