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
  readonly maxMs: number;
}

/** What wrk saw of a service that may refuse. */
export interface Counted extends Omit<Answered, 'perSecond'> {
  readonly seconds: number;
  readonly statuses: Readonly<Record<string, number>>;
  /** Answers of 503 that do not say when to come back. */
  readonly withoutRetryAfter: number;
  /** Connections that were refused or broke, and answers that took longer than 10 s. */
  readonly unanswered: number;
}

/** Each connection asks again as soon as it is answered. @throws where an answer is no 2xx, or does not come */
export async function runWrk(load: Load): Promise<Answered> {
  const { seconds, unanswered, refused, ...answered } = await askWrk(load, '');
  if (unanswered + refused > 0)
    throw new Error(`of ${answered.requests} answers ${refused} were no 2xx, and ${unanswered} did not come`);
  return { ...answered, perSecond: answered.requests / seconds };
}

/** The same where the service may be asked for more than it can do: how many answers there were of each status. */
export async function countAnswers(load: Load): Promise<Counted> {
  const { refused: _, ...counted } = await askWrk(load, COUNT);
  return counted as Counted;
}

async function askWrk({ port, script, connections, seconds }: Load, more: string): Promise<Told> {
  const folder = await mkdtemp(join(tmpdir(), 'wrk-'));
  const file = join(folder, 'load.lua');
  await writeFile(file, script + more + REPORT);
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
    return JSON.parse(/^REPORT (.*)$/m.exec(stdout)![1]!) as Told;
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
  /** Answers of 400 and above: the service knows no redirects, so that these are all that are no 2xx. */
  readonly refused: number;
  readonly unanswered: number;
}

// To look at each answer costs wrk a good part of its speed, so it is done only where it has to be.
const COUNT = `
statuses, bare = {}, 0
local threads = {}
function setup(thread) threads[#threads + 1] = thread end
function response(status, headers)
  local name = tostring(status)
  statuses[name] = (statuses[name] or 0) + 1
  if status == 503 and headers['retry-after'] == nil then bare = bare + 1 end
end
function counted()
  local parts = {}
  for status, answers in pairs(threads[1]:get('statuses')) do
    parts[#parts + 1] = string.format('"%s":%d', status, answers)
  end
  return string.format(',"statuses":{%s},"withoutRetryAfter":%d', table.concat(parts, ','), threads[1]:get('bare'))
end
`;

const REPORT = `
function done(summary, latency)
  local e = summary.errors
  local at = function(percent) return latency:percentile(percent) / 1e3 end
  print(string.format('REPORT {"requests":%d,"seconds":%f,"refused":%d,"unanswered":%d,' ..
    '"p50Ms":%f,"p99Ms":%f,"p999Ms":%f,"maxMs":%f%s}',
    summary.requests, summary.duration / 1e6, e.status, e.connect + e.read + e.write + e.timeout,
    at(50), at(99), at(99.9), latency.max / 1e3, counted and counted() or ''))
end
`;
