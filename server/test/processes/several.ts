/** Runs the service in several processes, watches them, and calls them in ways that a restart could break. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, request, type IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { findFreePort } from '#db/embedded/free-port.ts';
import { clusterSettings, onEnd } from '#test/database.ts';
import { SECRET } from '#test/harness.ts';

const START = fileURLToPath(new URL('../../src/start/start.js', import.meta.url));

export interface Several {
  readonly supervisor: ChildProcess;
  readonly base: string;
  readonly metricsUrl: string;
  /** What it has printed so far, line by line. */
  readonly lines: readonly string[];
  /** Waits for a line that it has printed or will print. */
  line(wanted: RegExp): Promise<string>;
  /** Resolves with its exit code. */
  readonly ended: Promise<number | null>;
}

/** Starts the service in production mode in so many processes, and waits until all are ready. `more` is added to its environment. */
export async function startSeveral(
  databaseUrl: string,
  processes: number,
  more: Readonly<Record<string, string>> = {},
): Promise<Several> {
  const [port, metricsPort] = [await findFreePort(), await findFreePort()];
  const supervisor = spawn(process.execPath, [START], {
    env: {
      PATH: process.env['PATH'],
      ENV_FILE: 'off',
      NODE_ENV: 'production',
      DATABASE_URL: databaseUrl,
      ...clusterSettings(),
      DATABASE_POOL_SIZE: '4',
      SECRET_KEY: SECRET[0],
      PUBLIC_URL: 'https://luna.example',
      SMTP_URL: 'smtp://127.0.0.1:1',
      HOST: '127.0.0.1',
      PORT: String(port),
      METRICS_PORT: String(metricsPort),
      PROCESSES: String(processes),
      ...more,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onEnd(async () => void supervisor.kill('SIGKILL'));
  const ended = once(supervisor, 'exit').then(([code]) => code as number | null);
  const lines: string[] = [];
  let told = (): void => {};
  createInterface({ input: supervisor.stdout }).on('line', (line) => {
    lines.push(line);
    told();
  });
  const line = async (wanted: RegExp): Promise<string> => {
    for (;;) {
      const found = lines.find((one) => wanted.test(one));
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => (told = resolve));
    }
  };
  const ready = line(/processes serve on port/);
  const code = await Promise.race([ready.then(() => null), ended]);
  if (code !== null)
    throw new Error(`the service exited with ${code} while it was starting:\n${lines.join('\n')}`);
  const base = `http://127.0.0.1:${port}`;
  return { supervisor, base, metricsUrl: `http://127.0.0.1:${metricsPort}/metrics`, lines, line, ended };
}

/** Returns the ids of the processes that serve, the oldest first. */
export function childrenOf({ supervisor }: Several): number[] {
  const { pid } = supervisor;
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .filter(Boolean)
    .map(Number);
}

export function isAlive(pid: number): boolean {
  try {
    // A process that has ended stays in the list until its parent has noticed.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

/** Waits until something is so. The runner of the tests ends a wait that never ends. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(20);
}

/** Reads one figure of the metrics, summed up over all processes that show it. */
export async function figure({ metricsUrl }: Several, name: string, labels = ''): Promise<number> {
  const answer = await (await fetch(metricsUrl)).text();
  const samples = answer.split('\n').filter((line) => line.startsWith(name) && line.includes(labels));
  return samples.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
}

/** Makes a call, on a new connection or on one that `agent` keeps. */
export async function call(
  url: string,
  {
    agent = false,
    key,
    idempotencyKey,
    body,
  }: { agent?: Agent | false; key?: string; idempotencyKey?: string; body?: object } = {},
): Promise<{ status: number; text: string }> {
  const sent = body === undefined ? undefined : JSON.stringify(body);
  const asked = request(url, {
    agent,
    method: sent === undefined ? 'GET' : 'POST',
    headers: {
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      ...(sent !== undefined && {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(sent),
      }),
    },
  });
  asked.end(sent);
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  return { status: answer.statusCode!, text: await text(answer) };
}

/** Calls without a pause until `stop`, on new and on kept connections. */
export function keepCalling(
  base: string,
  { key, clientCode, callers = 4 }: { key: string; clientCode: number; callers?: number },
): { stop(): Promise<{ calls: number; failed: string[] }> } {
  const failed: string[] = [];
  let calls = 0;
  const over = new AbortController();
  const running = Array.from({ length: callers }, async (_, i) => {
    const agent = i % 2 === 0 ? false : new Agent({ keepAlive: true, maxSockets: 1 });
    while (!over.signal.aborted) {
      calls += 1;
      const url = calls % 2 === 0 ? '/v1/clients/list?limit=1' : '/v1/consumptions/client-code';
      const body = calls % 2 === 0 ? {} : { body: { client_code: clientCode, amount: 1 } };
      const outcome = await call(base + url, { agent, key, ...body }).then(
        ({ status, text: said }) => (status === 200 || status === 201 ? null : `${status} ${said}`),
        (error: Error) => error.message,
      );
      if (outcome !== null) failed.push(`${agent === false ? 'new' : 'kept'}: ${outcome}`);
    }
    if (agent !== false) agent.destroy();
  });
  return {
    async stop() {
      over.abort();
      await Promise.all(running);
      return { calls, failed };
    },
  };
}
