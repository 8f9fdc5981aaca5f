import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { loadEnvFile } from './env-file.ts';
import { Refusal } from '#base/refusal.ts';

const folder = mkdtempSync(join(tmpdir(), 'loyalty-env-'));
after(() => rmSync(folder, { recursive: true }));

function load(text: string, env: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const path = join(folder, '.env');
  writeFileSync(path, text);
  const { ENV_FILE: _, ...loaded } = env;
  const all: NodeJS.ProcessEnv = { ...loaded, ENV_FILE: path };
  assert.equal(loadEnvFile(all), path);
  delete all['ENV_FILE'];
  return all;
}

test('a file sets variables, with comments, quotes, blanks, export and values of several lines', () => {
  const text = `\ufeff# settings\n\nPORT = 4000 # why not\nexport HOST=::1\nMAIL_FROM="a#b@example.com"\nSECRET_KEY='one\ntwo'\nDEMO=\n`;
  assert.deepEqual(load(text), {
    PORT: '4000',
    HOST: '::1',
    MAIL_FROM: 'a#b@example.com',
    SECRET_KEY: 'one\ntwo',
    DEMO: '',
  });
});

test('the environment wins over the file, even if it is empty or names a file', () => {
  const text = 'PORT=4000\nHOST=::1\nSECRET_KEY=file\nSMTP_URL_FILE=/file\n';
  assert.deepEqual(load(text, { PORT: '', SECRET_KEY_FILE: '/key', SMTP_URL: 'smtp://a' }), {
    PORT: '',
    HOST: '::1',
    SECRET_KEY_FILE: '/key',
    SMTP_URL: 'smtp://a',
  });
});

test('every malformed line is refused with its number and without a value that may be secret', () => {
  const refusals: [string, RegExp][] = [
    ['PORT 4000', /\.env:1: a line must be NAME=value or a # comment; it begins with "PORT"$/],
    ['A=1\nSECRET_KEY: hunter2\n=x', /:2: .* begins with "SECRET_KEY"\n.*:3: a line must be NAME=value/],
    ['hunter2', /:1: a line must be NAME=value or a # comment$/],
    ['A=1\nB="hunter2\nC=3\n', /:2: the quotation mark " is never closed$/],
  ];
  for (const [text, message] of refusals) {
    assert.throws(
      () => load(text),
      (error: Error) => {
        assert.ok(error instanceof Refusal);
        assert.match(error.message, message);
        return !error.message.includes('hunter2');
      },
      text,
    );
  }
});

test('a file that ENV_FILE names must exist, and `off` reads none', () => {
  assert.throws(() => loadEnvFile({ ENV_FILE: join(folder, 'none') }), /cannot be read: .*ENV_FILE names it/);
  assert.throws(() => loadEnvFile({ ENV_FILE: folder }), Refusal);
  assert.equal(loadEnvFile({ ENV_FILE: 'off' }), null);
});
