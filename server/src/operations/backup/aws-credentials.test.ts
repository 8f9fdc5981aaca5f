import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { keepCredentials, NoAwsCredentials } from './aws-credentials.ts';

/** The calls that were made, and the answers by method and path. */
const asked: {
  readonly line: string;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: string;
}[] = [];
const answers = new Map<string, string>();
const server = createServer((request, response) => void answer(request, response));

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const line = `${request.method} ${request.url}`;
  asked.push({ line, headers: request.headers, body: await text(request) });
  const known = answers.get(line);
  response.writeHead(known === undefined ? 404 : 200).end(known);
}

let base = '';
let folder = '';
/** Nothing of this machine, and nobody at the address of the metadata. */
let nothing: Record<string, string> = {};

before(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  folder = await mkdtemp(join(tmpdir(), 'aws-credentials-'));
  nothing = { AWS_SHARED_CREDENTIALS_FILE: join(folder, 'none'), AWS_EC2_METADATA_DISABLED: 'true' };
});
after(async () => {
  server.close();
  await rm(folder, { recursive: true });
});

const inHours = (hours: number) => new Date(Math.floor(Date.now() / 1000) * 1000 + hours * 3_600_000);

test('a key in the environment comes first, and does not end', async () => {
  const keep = keepCredentials({ ...nothing, AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' });
  assert.deepEqual(await keep(), {
    accessKeyId: 'id',
    secretAccessKey: 'secret',
    sessionToken: undefined,
    endsAt: null,
  });
});

test('without any key the error says what to set', async () => {
  await assert.rejects(keepCredentials(nothing)(), (error: Error) => {
    assert.ok(error instanceof NoAwsCredentials);
    assert.match(error.message, /AWS_ACCESS_KEY_ID/);
    return true;
  });
});

test('the token of a Kubernetes account becomes a key of its role', async () => {
  await writeFile(join(folder, 'token'), 'the.account.token\n');
  const endsAt = inHours(1);
  answers.set(
    'POST /',
    JSON.stringify({
      AssumeRoleWithWebIdentityResponse: {
        AssumeRoleWithWebIdentityResult: {
          Credentials: {
            AccessKeyId: 'ASIA1',
            SecretAccessKey: 'of the role',
            SessionToken: 'session',
            Expiration: endsAt.getTime() / 1000,
          },
        },
      },
    }),
  );
  const keep = keepCredentials({
    ...nothing,
    AWS_WEB_IDENTITY_TOKEN_FILE: join(folder, 'token'),
    AWS_ROLE_ARN: 'arn:aws:iam::1:role/backups',
    AWS_ENDPOINT_URL_STS: base,
  });
  const key = { accessKeyId: 'ASIA1', secretAccessKey: 'of the role', sessionToken: 'session', endsAt };
  assert.deepEqual(await keep(), key);
  const sent = new URLSearchParams(asked.at(-1)!.body);
  assert.deepEqual(
    [sent.get('Action'), sent.get('RoleArn'), sent.get('WebIdentityToken')],
    ['AssumeRoleWithWebIdentity', 'arn:aws:iam::1:role/backups', 'the.account.token'],
  );
});

test('the agent of a container is asked with its token, once while the key is valid, and again before it ends', async () => {
  const role = (id: string, hours: number) =>
    JSON.stringify({
      AccessKeyId: id,
      SecretAccessKey: 's',
      Token: 't',
      Expiration: inHours(hours).toISOString(),
    });
  const keep = keepCredentials({
    ...nothing,
    AWS_CONTAINER_CREDENTIALS_FULL_URI: `${base}/agent`,
    AWS_CONTAINER_AUTHORIZATION_TOKEN: 'let me in',
  });
  answers.set('GET /agent', role('first', 0.05));
  assert.equal((await keep()).accessKeyId, 'first');
  assert.equal(asked.at(-1)!.headers.authorization, 'let me in');
  answers.set('GET /agent', role('second', 6));
  assert.equal((await keep()).accessKeyId, 'second', 'the first ends in three minutes');
  answers.set('GET /agent', role('third', 6));
  assert.equal((await keep()).accessKeyId, 'second');
});

test('a profile of the credentials file is read', async () => {
  const file = join(folder, 'credentials');
  await writeFile(
    file,
    '[default]\naws_access_key_id = one\naws_secret_access_key = a\n\n[ shop ]\r\naws_access_key_id=two\r\naws_secret_access_key=b==\r\n',
  );
  const env = { ...nothing, AWS_SHARED_CREDENTIALS_FILE: file };
  assert.equal((await keepCredentials(env)()).accessKeyId, 'one');
  const shop = await keepCredentials({ ...env, AWS_PROFILE: 'shop' })();
  assert.deepEqual([shop.accessKeyId, shop.secretAccessKey], ['two', 'b==']);
});

test('the role of a machine is read from its metadata, with a token of that service', async () => {
  answers.set('PUT /latest/api/token', 'metadata');
  answers.set('GET /latest/meta-data/iam/security-credentials/', 'backups\n');
  answers.set(
    'GET /latest/meta-data/iam/security-credentials/backups',
    JSON.stringify({
      AccessKeyId: 'ASIA2',
      SecretAccessKey: 's',
      Token: 't',
      Expiration: inHours(6).toISOString(),
    }),
  );
  const { AWS_EC2_METADATA_DISABLED: _, ...env } = nothing;
  const keep = keepCredentials({ ...env, AWS_EC2_METADATA_SERVICE_ENDPOINT: base });
  assert.equal((await keep()).accessKeyId, 'ASIA2');
  assert.equal(asked.at(-1)!.headers['x-aws-ec2-metadata-token'], 'metadata');
});

test('a source that fails is told, and asked again by the next call', async () => {
  const keep = keepCredentials({ ...nothing, AWS_CONTAINER_CREDENTIALS_FULL_URI: `${base}/broken` });
  await assert.rejects(keep(), /the container's agent answered 404/);
  answers.set(
    'GET /broken',
    JSON.stringify({
      AccessKeyId: 'back',
      SecretAccessKey: 's',
      Token: 't',
      Expiration: inHours(6).toISOString(),
    }),
  );
  assert.equal((await keep()).accessKeyId, 'back');
});
