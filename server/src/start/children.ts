import type { ChildProcess } from 'node:child_process';
import type { Logger } from 'pino';
import { forkPart, send } from './fork-part.ts';
import type { Begin, FromChild, ToChild } from './messages.ts';
import type { ProcessCounts } from '#monitoring/metrics.ts';
import { Refusal } from '#base/refusal.ts';

/** The processes that serve, by their numbers from 1 on. A process that is started again keeps its number. */
export interface Children {
  /** Resolves once all are ready for the first time. @throws Refusal with the reason if one cannot start */
  readonly ready: Promise<void>;
  /** Ends one process after the other and starts it again. The others serve meanwhile. */
  restartAll(): Promise<void>;
  /** The same for one. */
  restart(number: number): Promise<void>;
  /** Ends all, each after its calls. */
  end(longestMs: number): Promise<void>;
  kill(): void;
  tell(number: number, message: ToChild): void;
  readyOnes(): readonly number[];
  counts(): ProcessCounts;
}

export interface ChildrenOptions {
  readonly count: number;
  readonly env: NodeJS.ProcessEnv;
  /** The file descriptors of the sockets that they listen on. */
  readonly sockets: readonly number[];
  /** Processes load the program meanwhile. */
  readonly begin: Promise<Begin>;
  readonly log: Logger;
  readonly onReady: (number: number) => void;
  /** The process ends or has ended: it gets no new work. */
  readonly onLeave: (number: number) => void;
  readonly onEnd: (number: number) => void;
  readonly onMessage: (number: number, message: FromChild) => void;
}

interface Slot {
  readonly number: number;
  child: ChildProcess;
  state: 'starting' | 'ready' | 'ending' | 'gone';
  startedAt: number;
  /** How often in a row the process ended soon after its start. */
  earlyEnds: number;
  /** Seconds without a word from it. */
  silentSeconds: number;
  /** Why it could not start, as it said itself. */
  failure: string | null;
  /** Settled when it is ready, or has ended before. */
  starting: PromiseWithResolvers<void>;
  ended: Promise<void>;
}

/** A process that did not end for so long is not among those that end at once. */
const LONG_LIFE_MS = 60_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 10_000;
/** A process says every second that it is alive. One that says nothing for so long hangs, and its calls with it. */
const LONGEST_SILENCE_SECONDS = 20;
const LONGEST_START_SECONDS = 90;
/** A process that leaves lingers for two seconds and gives its calls ten; then it closes its connections. */
const LONGEST_LEAVE_MS = 30_000;

/**
 * Starts processes that serve, and keeps as many of them: one that ends is started again, after a pause that grows if it ends again and
 * again. One that hangs is killed first.
 */
export function keepChildren(options: ChildrenOptions): Children {
  const { count, log } = options;
  let isEnding = false;
  let restarts = 0;
  const slots = Array.from({ length: count }, (_, i) => startSlot(i + 1));
  const watch = setInterval(() => slots.forEach(countSilence), 1_000);
  const ready = allReady();
  // It is awaited later, once the database is ready.
  ready.catch(() => {});
  let restarting: Promise<void> = Promise.resolve();

  return {
    ready,
    restartAll: () => inTurn(slots),
    restart: (number) => inTurn([slots[number - 1]!]),

    async end(longestMs) {
      isEnding = true;
      clearInterval(watch);
      for (const slot of slots) leave(slot, 'all');
      const late = setTimeout(kill, longestMs);
      await Promise.all(slots.map(({ ended }) => ended));
      clearTimeout(late);
    },

    kill() {
      isEnding = true;
      clearInterval(watch);
      kill();
    },

    tell: (number, message) => send(slots[number - 1]!.child, message),
    readyOnes: () => slots.filter(({ state }) => state === 'ready').map(({ number }) => number),
    counts: () => ({
      wanted: count,
      ready: slots.filter(({ state }) => state === 'ready').length,
      restarts,
    }),
  };

  async function allReady(): Promise<void> {
    await Promise.all(slots.map(({ starting }) => starting.promise));
  }

  function kill(): void {
    for (const { child } of slots) child.kill('SIGKILL');
  }

  function startSlot(number: number): Slot {
    const slot = { number, earlyEnds: 0 } as Slot;
    start(slot);
    return slot;
  }

  function start(slot: Slot): void {
    const child = forkPart(new URL('./child.js', import.meta.url), options.env, options.sockets);
    const starting = Promise.withResolvers<void>();
    starting.promise.catch(() => {});
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    Object.assign(slot, { child, state: 'starting', silentSeconds: 0, failure: null, starting, ended });
    slot.startedAt = performance.now();
    // Nothing is taken from a process whose end is known: others may have its number and its places.
    child.on(
      'message',
      (message: FromChild) => slot.child === child && slot.state !== 'gone' && hear(slot, message),
    );
    child.on('error', (error) => log.error({ err: error }, `process ${slot.number} cannot be reached`));
    child.once('exit', (code, signal) => {
      notice(slot, signal ?? `exit code ${code}`);
      end();
    });
    options.begin.then(
      (begin) => send(child, { begin, process: slot.number } satisfies ToChild),
      () => child.kill('SIGKILL'),
    );
  }

  function hear(slot: Slot, message: FromChild): void {
    slot.silentSeconds = 0;
    if ('failed' in message) slot.failure = message.failed;
    else if ('ready' in message) {
      if (slot.state !== 'starting') return;
      slot.state = 'ready';
      slot.starting.resolve();
      options.onReady(slot.number);
    } else if (!('alive' in message)) options.onMessage(slot.number, message);
  }

  /** A process has ended: as it was told to, or by itself. */
  function notice(slot: Slot, how: string): void {
    const { state, failure } = slot;
    slot.state = 'gone';
    options.onEnd(slot.number);
    slot.starting.reject(new Refusal(failure ?? `A process ended while it was starting (${how}).`));
    if (state === 'ready') options.onLeave(slot.number);
    if (isEnding || state === 'ending') return;
    if (performance.now() - slot.startedAt > LONG_LIFE_MS) slot.earlyEnds = 0;
    const pauseMs =
      slot.earlyEnds === 0 ? 0 : Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** slot.earlyEnds);
    slot.earlyEnds += 1;
    log.error(
      `process ${slot.number} has ended (${failure ?? how}) and starts again${pauseMs === 0 ? '' : ` in ${pauseMs / 1000} s`}`,
    );
    setTimeout(() => startAgain(slot), pauseMs);
  }

  function startAgain(slot: Slot): void {
    if (isEnding || slot.state !== 'gone') return;
    restarts += 1;
    start(slot);
  }

  function countSilence(slot: Slot): void {
    slot.silentSeconds += 1;
    const longest = slot.state === 'starting' ? LONGEST_START_SECONDS : LONGEST_SILENCE_SECONDS;
    if (slot.state === 'ending' || slot.state === 'gone' || slot.silentSeconds <= longest) return;
    log.error(`process ${slot.number} hangs: it has said nothing for ${longest} seconds`);
    slot.child.kill('SIGKILL');
  }

  /** Tells a process to end. One that has not begun has nothing to finish. */
  function leave(slot: Slot, end: 'all' | 'one'): void {
    const { state } = slot;
    if (state === 'gone') return;
    slot.state = 'ending';
    if (state === 'ready') options.onLeave(slot.number);
    if (state === 'starting') slot.child.kill('SIGKILL');
    else send(slot.child, { end } satisfies ToChild);
  }

  /** Restarts processes one after the other, also if this is asked for again meanwhile. */
  function inTurn(some: readonly Slot[]): Promise<void> {
    const before = restarting;
    restarting = renewAll();
    return restarting;

    async function renewAll(): Promise<void> {
      await before;
      for (const slot of some) if (!isEnding) await renew(slot);
    }
  }

  async function renew(slot: Slot): Promise<void> {
    // One that is away or starts anyway begins anew by itself.
    if (slot.state !== 'ready') return slot.starting.promise.catch(() => {});
    const { child } = slot;
    leave(slot, 'one');
    const late = setTimeout(() => child.kill('SIGKILL'), LONGEST_LEAVE_MS);
    await slot.ended;
    clearTimeout(late);
    if (isEnding) return;
    start(slot);
    await slot.starting.promise.catch((error: Error) =>
      log.error(`process ${slot.number} did not start again: ${error.message}`),
    );
  }
}
