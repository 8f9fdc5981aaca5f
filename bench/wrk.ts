import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

export interface Load {
  readonly port: number;
  /** Lua for wrk: what is asked for. */
  readonly script: string;
  readonly connections: number;
  readonly seconds: number;
}

/** What wrk saw; every answer was a 2xx. */
export interface Answered {
  readonly requests: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
}

/** Each connection asks again as soon as it is answered. @throws where an answer is no 2xx, or does not come */
export async function runWrk({ port, script, connections, seconds }: Load): Promise<Answered> {
  const folder = await mkdtemp(join(tmpdir(), 'wrk-'));
  const file = join(folder, 'load.lua');
  await writeFile(file, script + REPORT);
  try {
    const args = [
      '--threads=1',
      `--connections=${connections}`,
      `--duration=${seconds}s`,
      '--timeout=10s',
      `--script=${file}`,
      `http://127.0.0.1:${port}`,
    ];
    const { stdout } = await promisify(execFile)('wrk', args);
    const told = JSON.parse(/^REPORT (.*)$/m.exec(stdout)![1]!) as Told;
    if (told.failed > 0)
      throw new Error(`${told.failed} of ${told.requests} answers were no 2xx, or did not come; ${told.why}`);
    return {
      requests: told.requests,
      perSecond: told.requests / told.seconds,
      p50Ms: told.p50Ms,
      p99Ms: told.p99Ms,
      p999Ms: told.p999Ms,
    };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw new Error(HOW_TO_INSTALL, { cause: error });
    throw error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const HOW_TO_INSTALL =
  'wrk is not installed: `apt-get install wrk` on Debian and Ubuntu, `brew install wrk` on macOS';

interface Told extends Omit<Answered, 'perSecond'> {
  readonly seconds: number;
  readonly failed: number;
  readonly why: string;
}

// wrk counts only 400 and above as errors, so any other answer than a 2xx has to be an error by the service's word:
// it knows no redirects.
const REPORT = `
function done(summary, latency)
  local e = summary.errors
  local why = string.format('connect %d, read %d, write %d, status %d, late %d',
    e.connect, e.read, e.write, e.status, e.timeout)
  print(string.format('REPORT {"requests":%d,"seconds":%f,"failed":%d,"why":"%s","p50Ms":%f,"p99Ms":%f,"p999Ms":%f}',
    summary.requests, summary.duration / 1e6, e.connect + e.read + e.write + e.status + e.timeout, why,
    latency:percentile(50) / 1e3, latency:percentile(99) / 1e3, latency:percentile(99.9) / 1e3))
end
`;
