/** The examples in other languages make the calls that the commands of the guides make. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { filesThatEnd, read } from '#test/repository.ts';
import './site/translate.js';

interface Translator {
  readonly readCurl: (block: string) => object[] | null;
  readonly translate: (calls: object[], language: string) => string;
}
const { readCurl, translate } = (globalThis as unknown as { curlTranslator: Translator }).curlTranslator;

const run = promisify(execFile);
const calls: object[] = [];
const server = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk) => (body += String(chunk)));
  request.on('end', () => {
    const {
      authorization,
      'content-type': type,
      'idempotency-key': key,
      'x-commerce-id': commerce,
    } = request.headers;
    calls.push({ method: request.method, url: request.url, authorization, type, key, commerce, body });
    response.writeHead(request.url?.includes('refused') ? 400 : 200).end('{}');
  });
});
before(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
after(() => server.close());

const blocks = filesThatEnd('.md', 'docs/guides').flatMap((path) =>
  [...read(path).matchAll(/^```sh\n(.*?)\n```$/gms)]
    .map(([, code]) => code!)
    .filter((code) => readCurl(code) !== null),
);

test('most calls of the guides are translated, and what needs a shell is not', () => {
  assert.ok(blocks.length >= 12, `${blocks.length}`);
  for (const block of [
    'CODE=$(curl -s $BASE/x)',
    'curl -s $BASE/x | grep -o x',
    'curl -s $BASE/x && curl -s $BASE/y',
    'curl -s -o /dev/null $BASE/x',
    'npm start',
    'curl -s "$BASE/x',
  ])
    assert.equal(readCurl(block), null, block);
});

for (const [language, program, flag] of [
  ['Node', process.execPath, '-e'],
  ['Python', 'python3', '-c'],
] as const)
  test(`${language} makes the calls of every command`, async (t) => {
    if (
      language === 'Python' &&
      !(await run(program, ['-c', '']).then(
        () => true,
        () => false,
      ))
    )
      return t.skip('there is no python3');
    const { port } = server.address() as AddressInfo;
    const env = {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      BASE: `http://127.0.0.1:${port}`,
      KEY: 'lk_test_1',
      COMMERCE: '2',
      CLIENT: '482915374',
      CODE: '12',
      COUPON: '34',
      ACCESS: 'eyJ',
      PURCHASE: '56',
    };
    const hard = `curl -s $BASE/refused -H "Authorization: Bearer $KEY" -d '{"name": "O{1} \`\${x}"}'`;
    for (const block of [...blocks, hard]) {
      calls.length = 0;
      await run('bash', ['-c', block], { env });
      const expected = calls.splice(0);
      await run(program, [flag, translate(readCurl(block)!, language)], { env });
      const of = (one: object) => ({ ...one, ...(block === hard && { type: null }) });
      assert.deepEqual(calls.map(of), expected.map(of), block);
    }
    return undefined;
  });

test('PHP quotes what it writes', () => {
  const [call] = readCurl(`curl -s $BASE/it -H 'X-Name: a\\b' -d "{\\"code\\": $CODE}"`)!;
  const code = translate([call!], 'PHP');
  assert.match(code, /curl_init\(\$BASE \. '\/it'\)/);
  assert.match(code, /'X-Name: a\\\\b'/);
  assert.match(code, /CURLOPT_POSTFIELDS => '\{"code": ' \. \$CODE \. '\}'/);
});
