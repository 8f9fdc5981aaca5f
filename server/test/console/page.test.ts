/** The page and files that the service sends at `/console`, without a browser. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { service } from '#test/harness.ts';

// The service reads the built files when it starts, so build first.
const CONSOLE = new URL('../../../console/', import.meta.url);
await promisify(execFile)(process.execPath, [new URL('build.ts', CONSOLE).pathname, '--if-needed']);
const { url } = await service();

const SITE = new URL('dist/site/', CONSOLE);
const MANIFEST = JSON.parse(readFileSync(new URL('manifest.json', SITE), 'utf8')) as Record<
  string,
  { readonly file: string; readonly imports?: string[] }
>;

async function get(path: string, headers: Record<string, string> = {}) {
  const response = await fetch(url + path, { headers });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** The gzipped bytes of the JavaScript that the browser loads for these parts, each file once. */
function bytesOf(...parts: string[]): number {
  const files = new Set<string>();
  const add = (part: string) => {
    const { file, imports = [] } = MANIFEST[part]!;
    if (files.has(file)) return;
    files.add(file);
    imports.forEach(add);
  };
  parts.forEach(add);
  return [...files].reduce(
    (sum, file) => sum + gzipSync(readFileSync(new URL(file, SITE)), { level: 9 }).length,
    0,
  );
}

test('every address of the console sends the same page, which finds its files from there', async () => {
  for (const path of ['', '/', '/harbour', '/harbour/', '/harbour/members/12', '/harbour/till?member=1']) {
    const { status, headers, text } = await get(`/console${path}`);
    assert.equal(status, 200, path);
    assert.equal(headers.get('content-type'), 'text/html; charset=utf-8');
    assert.equal(headers.get('cache-control'), 'no-cache');
    const [, script = ''] = /<script type="module"[^>]* src="([^"]+)"/.exec(text) ?? [];
    const at = new URL(script, `${url}/console${path}`);
    assert.match(at.pathname, /^\/console\/_assets\/index-[\w-]+\.js$/, path);
    assert.equal((await get(at.pathname)).status, 200);
  }
});

test('the console’s page runs nothing but its own files, cannot be framed, and takes no text for markup', async () => {
  const { headers, text } = await get('/console');
  const policy = headers.get('content-security-policy')!;
  assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self';/);
  for (const part of ["frame-ancestors 'none'", "connect-src 'self'", "require-trusted-types-for 'script'"])
    assert.ok(policy.includes(part), part);
  assert.doesNotMatch(policy, /unsafe|\*/);
  assert.equal(headers.get('referrer-policy'), 'no-referrer');
  assert.equal(headers.get('cross-origin-opener-policy'), 'same-origin');
  assert.doesNotMatch(
    text.replace('http://www.w3.org/2000/svg', ''),
    /<script(?![^>]* src=)|<style| style=| on\w+=|https?:/,
  );
});

test('the console’s files are cached for a year and sent compressed', async () => {
  const file = MANIFEST['index.html']!.file;
  const plain = await get(`/console/${file}`, { 'accept-encoding': 'identity' });
  assert.equal(plain.headers.get('cache-control'), 'public, max-age=31536000, immutable');
  for (const encoding of ['br', 'gzip']) {
    const sent = await get(`/console/${file}`, { 'accept-encoding': encoding });
    assert.equal(sent.headers.get('content-encoding'), encoding);
    assert.equal(sent.text, plain.text);
  }
  for (const missing of [
    '_assets/nothing.js',
    '_assets/..%2Findex.html',
    '_colors/red.css',
    '_colors/12345.css',
  ])
    assert.equal((await get(`/console/${missing}`)).status, 404, missing);
});

test('a shop’s colors are a file that its color names', async () => {
  const { status, headers, text } = await get('/console/_colors/0f5c6e.css');
  assert.deepEqual([status, headers.get('content-type')], [200, 'text/css; charset=utf-8']);
  assert.equal(headers.get('cache-control'), 'public, max-age=31536000, immutable');
  assert.match(text, /--brand:#0f5c6e/);
});

test('the console loads at most 250 KB of JavaScript at first, and 120 KB for the till', (t) => {
  const till = Math.max(
    ...['en', 'es'].map((language) =>
      bytesOf('index.html', 'src/till/till-page.tsx', `src/till/texts-${language}.ts`),
    ),
  );
  const members = bytesOf('index.html', 'src/members/members-page.tsx');
  const home = bytesOf('index.html', 'src/home/home-page.tsx', 'src/reports/chart.tsx');
  const reports = bytesOf('index.html', 'src/reports/reports-page.tsx', 'src/reports/chart.tsx');
  const program = bytesOf('index.html', 'src/program/program-page.tsx', 'src/program/review/review.tsx');
  t.diagnostic(
    `till ${till} bytes, members ${members} bytes, home ${home} bytes, reports ${reports} bytes, program ${program} bytes, gzipped`,
  );
  assert.ok(till <= 120 * 1024, `${till} bytes for the till`);
  assert.ok(members <= 250 * 1024, `${members} bytes for the members`);
  assert.ok(program <= 250 * 1024, `${program} bytes for the program and its review`);
  assert.ok(home <= 250 * 1024, `${home} bytes for Home with its chart`);
  assert.ok(reports <= 250 * 1024, `${reports} bytes for the reports with their charts`);
});
