import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

export interface WrkLoad {
  readonly port: number;
  /** Lua that says what to request. */
  readonly script: string;
  readonly connections: number;
  readonly seconds: number;
  readonly mayRefuse?: boolean;
}

/** The figures that wrk reported; latencies include refused answers. */
export interface Answered {
  /** Answers of 2xx, and how many there were a second. */
  readonly requests: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  /** Answers of 400 and above; the service never redirects. */
  readonly refused: number;
}

/**
 * Each connection sends its next request once the last is answered.
 * @throws if an answer is missing, takes longer than 10 s, or is not 2xx, unless it may be
 */
export async function runWrk(load: WrkLoad): Promise<Answered> {
  const { port, script, connections, seconds, mayRefuse = false } = load;
  const folder = await mkdtemp(join(tmpdir(), 'wrk-'));
  const file = join(folder, 'load.lua');
  await writeFile(file, script + REPORT);
  try {
    const { stdout } = await promisify(execFile)('wrk', [
      '--threads=1',
      `--connections=${connections}`,
      `--duration=${seconds}s`,
      '--timeout=10s',
      `--script=${file}`,
      `http://127.0.0.1:${port}`,
    ]);
    const { unanswered, ...answered } = JSON.parse(/^REPORT (.*)$/m.exec(stdout)![1]!) as Report;
    const { requests, refused } = answered;
    if (unanswered > 0 || (refused > 0 && !mayRefuse))
      throw new Error(`${requests} answers were 2xx, ${refused} were not, and ${unanswered} never came`);
    return answered;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Report extends Answered {
  readonly unanswered: number;
}

const REPORT = `
function done(summary, latency)
  local e = summary.errors
  local requests = summary.requests - e.status
  local at = function(percent) return latency:percentile(percent) / 1e3 end
  print(string.format('REPORT {"requests":%d,"perSecond":%f,"p50Ms":%f,"p99Ms":%f,"p999Ms":%f,"refused":%d,"unanswered":%d}',
    requests, requests * 1e6 / summary.duration, at(50), at(99), at(99.9),
    e.status, e.connect + e.read + e.write + e.timeout))
end
`;
