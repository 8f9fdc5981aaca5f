import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loyalty } from '#test/command.ts';
import { testDatabase, testDatabaseUrl } from '#test/database.ts';
import { isOnNodes } from '#test/on-cluster.ts';
import { SECRET } from '#test/harness.ts';
import { refuseUnnamedCluster } from './refuse-unnamed-cluster.ts';

const UNNAMED = { CLUSTER: '' };

test('one server needs no setting', { skip: isOnNodes && 'this is a cluster' }, async () => {
  await refuseUnnamedCluster(await testDatabase());
  assert.equal((await loyalty(['ledger', 'verify'], { env: UNNAMED })).code, 0);
});

test(
  'a start and commands refuse a cluster that the settings do not name, and the doctor says why',
  { skip: !isOnNodes && 'this is one server' },
  async () => {
    const refused = /^The tables of this database are distributed .+ Set CLUSTER=citus/;
    for (const args of [['ledger', 'verify'], ['jobs', 'run', 'seal'], ['migrate'], ['commerce', 'list']]) {
      const { code, stderr } = await loyalty(args, { env: UNNAMED });
      assert.deepEqual([code, refused.test(stderr)], [1, true], `${args.join(' ')}: ${stderr}`);
    }
    const started = await loyalty(['serve'], {
      env: {
        ...UNNAMED,
        NODE_ENV: 'production',
        DATABASE_URL: await testDatabaseUrl(),
        SECRET_KEY: SECRET[0],
        PUBLIC_URL: 'https://luna.example',
        SMTP_URL: 'smtp://127.0.0.1:1',
        HOST: '127.0.0.1',
        PORT: '0',
      },
    });
    assert.equal(started.code, 1);
    assert.match(started.stderr, refused);
    const { findings } = (await loyalty(['doctor', '--json'], { env: UNNAMED })).json<{
      findings: { about: string; says: string }[];
    }>();
    assert.match(findings.find(({ about }) => about === 'cluster')?.says ?? '', /CLUSTER is not set/);
  },
);
