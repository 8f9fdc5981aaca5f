/**
 * Makes sure that an entry runs under a Node that can run it. The machine's own `node` may be old; the pinned one is in
 * `node_modules/.bin`, where npm and npx find it first. This file runs under any Node, so it is plain JavaScript.
 */
import { spawn } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The oldest major version with everything that is used: type stripping and Temporal. */
const OLDEST = 26;
const PINNED = join(fileURLToPath(import.meta.url), '../../../../node_modules/.bin/node');

/**
 * Returns true if this Node is new enough. Otherwise runs the same command under the pinned Node, and this process ends
 * with its exit code.
 */
export function isRightNode() {
  if (Number.parseInt(process.versions.node, 10) >= OLDEST) return true;
  if (!existsSync(PINNED) || realpathSync(PINNED) === realpathSync(process.execPath)) {
    process.stderr.write(
      `This needs Node ${OLDEST} or newer, not ${process.versions.node}. Run \`npm ci\`, which installs one beside the program.\n`,
    );
    process.exitCode = 1;
    return false;
  }
  const child = spawn(PINNED, [...process.execArgv, ...process.argv.slice(1)], { stdio: 'inherit' });
  // A terminal sends Ctrl-C to both processes, so it arrives twice. Every command ignores the second one.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    process.stderr.write(`${PINNED} cannot be run: ${error.message}\n`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
  });
  return false;
}
