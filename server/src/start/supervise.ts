import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { bindPorts } from './bind-ports.ts';
import { keepChildren, type Children } from './children.ts';
import { forkPart, send } from './fork-part.ts';
import { keepLedger } from './keep-ledger.ts';
import { keepSockets } from './keep-sockets.ts';
import { chooseLead } from './lead.ts';
import type { Begin, FromPreparation, Prepared, Settings, ToPreparation } from './messages.ts';
import { isLogForPeople, openLog } from '#http/log.ts';
import { Refusal } from '#base/refusal.ts';
import { baseOf, forgetAddress, keepAddress } from './running-address.ts';
import { sayGoodbye } from './say-goodbye.ts';
import { writeStartUpBlock } from './start-up-block.ts';
import { endUnlessStarted, waitForStopSignal } from './stop-signal.ts';

/** A process takes as long to end, beyond DRAIN_SECONDS, as a stop of the whole service may take. */
const LONGEST_END_MS = 20_000;

/**
 * Runs the service in several processes on one port. This one loads nothing of the service: it owns the embedded PostgreSQL, has the
 * database prepared, takes the ports, and keeps the processes running. SIGHUP restarts them one after the other.
 * @throws Refusal, or any other error that prevents the start
 */
export async function supervise(
  env: NodeJS.ProcessEnv,
  { envFile, processes }: { envFile: string | null; processes: number },
): Promise<void> {
  const stopping = waitForStopSignal();
  const started = endUnlessStarted(stopping);
  const preparation = startPreparation(env);
  try {
    await superviseFrom(preparation, {
      env,
      envFile,
      processes,
      stopping,
      started,
    });
  } finally {
    // After a failure it would wait for its order for ever.
    preparation.end();
  }
}

async function superviseFrom(
  preparation: Preparation,
  { env, envFile, processes, stopping, started }: Start,
): Promise<void> {
  const settings = await preparation.settings;
  const log = await openLog(settings);
  const talks = isLogForPeople(settings);
  if (envFile !== null) log.info(`settings are read from the environment and from ${envFile}`);
  for (const warning of settings.warnings) log.warn(warning);
  if (talks) void stopping.then(() => process.stdout.write('\nStopping…\n'));
  const ports = await bindPorts(settings);
  const base = baseOf(settings, ports.port);
  const begin = Promise.withResolvers<Begin>();
  const lead = chooseLead(processes, () => children);
  const sockets = keepSockets(
    { ...settings.sockets, ...(settings.rateLimits === null && { perNetwork: 0 }) },
    { processes, tell: (number, news) => children.tell(number, { sockets: news }) },
  );
  const ledger = keepLedger(
    processes,
    (number, answers) => children.tell(number, { ledger: answers }),
    sockets,
  );
  const children: Children = keepChildren({
    count: processes,
    env: withoutOwner(env),
    sockets: ports.sockets,
    begin: begin.promise,
    log,
    onReady: (number) => lead.ready(number),
    onLeave: (number) => lead.left(number),
    onEnd: (number) => ledger.forget(number),
    onMessage(number, message) {
      if ('ledger' in message) ledger.hear(number, message.ledger);
      else if ('restart' in message) void children.restart(number);
      else lead.hear(number, message);
    },
  });
  const folder = makeFolder((sentence) => log.warn(sentence));
  let server: Awaited<ReturnType<typeof startEmbedded>> = null;
  try {
    server = await startEmbedded(settings, (sentence) => log.info(sentence));
    const embeddedUrl = server?.url ?? null;
    const { demo, firstStep, poolSize } = await preparation.finish({ embeddedUrl, processes });
    begin.resolve({ processes, embeddedUrl, poolSize, demo, base, folder });
    await children.ready;
    started();
    keepAddress(settings.dataDir, settings.host, ports.port);
    const consoleBase = settings.consoleUrl ?? base;
    process.stdout.write(
      writeStartUpBlock({ base, consoleBase, firstStep }, demo, settings.mails === 'shown'),
    );
    log.info(`${processes} processes serve on port ${ports.port}`);
    restartOnHangUp(children);
    await stopping;
    // The last process that listens closes the socket, in an instant in which nothing arrives.
    ports.close();
    await children.end(settings.drainSeconds * 1000 + LONGEST_END_MS);
  } finally {
    ports.close();
    children.kill();
    forgetAddress(settings.dataDir);
    if (folder !== null) rmSync(folder, { recursive: true, force: true });
    await server?.stop();
  }
  if (talks) process.stdout.write(sayGoodbye(server === null ? null : dirname(server.folder)));
  else log.info('stopped');
}

/** A socket has its path in 107 bytes, with the number of a process. */
const LONGEST_FOLDER = 100;

/** Makes the folder in which the processes find each other, for this user alone. They can do without it. */
function makeFolder(warn: (sentence: string) => void): string | null {
  try {
    const folder = mkdtempSync(join(tmpdir(), 'loyalty-'));
    if (Buffer.byteLength(folder) <= LONGEST_FOLDER) return folder;
    rmSync(folder, { recursive: true });
    warn(
      `The path of the folder for temporary files is too long for a socket (TMPDIR), so each process writes by itself.`,
    );
  } catch (error) {
    warn(
      `There is no folder for temporary files (TMPDIR), so each process writes by itself: ${(error as Error).message}`,
    );
  }
  return null;
}

/** Loads the database's driver only where it is needed. */
async function startEmbedded(settings: Settings, log: (sentence: string) => void) {
  if (settings.databaseUrl !== null) return null;
  const embedded = await import('#db/embedded/embedded.ts');
  return embedded.startEmbedded({ ...settings, log });
}

/** A terminal that is closed sends the same signal, and then there is nobody left to serve. */
function restartOnHangUp(children: Children): void {
  process.on('SIGHUP', () => {
    if (process.stdout.isTTY) process.kill(process.pid, 'SIGTERM');
    else void children.restartAll();
  });
}

/** Whoever gets into a process that faces the network must not find the address of the role that owns the tables. */
function withoutOwner(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { DATABASE_OWNER_URL: _url, DATABASE_OWNER_URL_FILE: _file, ...others } = env;
  return others;
}

interface Start {
  readonly env: NodeJS.ProcessEnv;
  readonly envFile: string | null;
  readonly processes: number;
  readonly stopping: Promise<unknown>;
  /** To be called when everything has started. */
  readonly started: () => void;
}

/** The process that prepares everything. */
interface Preparation {
  readonly settings: Promise<Settings>;
  finish(order: ToPreparation): Promise<Prepared>;
  /** Ends the process, if it has not ended. */
  end(): void;
}

/** Starts it. It checks the settings first. */
function startPreparation(env: NodeJS.ProcessEnv): Preparation {
  const child = forkPart(new URL('./preparation.js', import.meta.url), env);
  const settings = Promise.withResolvers<Settings>();
  const prepared = Promise.withResolvers<Prepared>();
  const fail = (reason: string) => {
    settings.reject(new Refusal(reason));
    prepared.reject(new Refusal(reason));
  };
  prepared.promise.catch(() => {});
  child.on('message', (message: FromPreparation) => {
    if ('settings' in message) settings.resolve(message.settings);
    else if ('prepared' in message) prepared.resolve(message.prepared);
    else fail(message.failed);
  });
  child.once('exit', (code, signal) =>
    fail(`The process that prepares the database has ended (${signal ?? `exit code ${code}`}).`),
  );
  return {
    settings: settings.promise,
    async finish(order) {
      send(child, order);
      return prepared.promise;
    },
    end: () => void child.kill('SIGKILL'),
  };
}
