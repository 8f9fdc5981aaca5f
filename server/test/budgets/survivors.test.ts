/**
 * What a call allocates must be gone with the next quick collection of garbage. If anything keeps it until a full one, the collector copies it
 * twice, and full collections, for which everybody waits, come often.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';

const PROGRAM = new URL('./make-calls.ts', import.meta.url).pathname;

for (const kind of ['statements', 'answers', 'batches'])
  test(`${kind} leave almost nothing behind`, async () => {
    const flags = ['--expose-gc', '--trace-gc-nvp'];
    const { stdout } = await promisify(execFile)(process.execPath, [...flags, PROGRAM, kind], {
      maxBuffer: 64 * 1024 * 1024,
    });
    const counted = stdout.slice(stdout.indexOf('BEGIN'), stdout.indexOf('END'));
    const allocated = sumOf('allocated', counted);
    assert.ok(allocated > 4_000_000, `only ${allocated} bytes were allocated`);
    const share = sumOf('promoted', counted) / allocated;
    assert.ok(share < 0.04, `${(share * 100).toFixed(1)} % of what was allocated outlived two collections`);
  });

/** Adds up a figure of V8's lines about quick collections. */
function sumOf(name: string, trace: string): number {
  return trace
    .split('\n')
    .filter((line) => line.includes('"gc":"s"'))
    .map((line) => Number(new RegExp(`"${name}":(\\d+)`).exec(line)?.[1] ?? 0))
    .reduce((sum, bytes) => sum + bytes, 0);
}
