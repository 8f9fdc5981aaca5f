import type { LedgerAnswer, LedgerEntry, SocketNews } from './messages.ts';
import { createBoundedCache } from '#base/bounded-cache.ts';
import type { Semaphore } from '#http/semaphore.ts';
import type { Ledger } from '#http/ledger.ts';
import { createBuckets, type Buckets } from '#http/token-bucket.ts';

/** A ledger that the supervisor keeps for all processes. */
export interface SharedLedger extends Ledger {
  /** Takes the answers of the supervisor. */
  hear(answers: readonly LedgerAnswer[]): void;
  /** Takes news about the sockets of all processes. */
  hearOfSockets(news: SocketNews): void;
}

export interface SharedLedgerOptions {
  readonly processes: number;
  readonly tell: (entries: readonly LedgerEntry[]) => void;
  /** A monotonic clock in milliseconds. */
  readonly now?: () => number;
  /** How long an answer may take. */
  readonly longestMs?: number;
}

/** What is known here about the bucket of a name. */
interface Known {
  /** Tokens that the supervisor has handed out, and until when they are good. */
  advance: number;
  advanceUntil: number;
  /** So many tokens are not there before. */
  refusedTokens: number;
  refusedUntil: number;
  /** The question that is under way, or null. Calls that come meanwhile wait for its answer. */
  asking: { more: number; readonly waiting: (() => void)[] } | null;
}

interface Asked {
  readonly at: number;
  readonly longestMs: number;
  readonly answer: (answer: LedgerAnswer) => void;
  /** What holds if the supervisor does not answer. */
  readonly alone: () => void;
}

const MOST_NAMES = 20_000;
/** Longer than a bucket takes to fill up by what was handed out in advance, so a caller who is idle loses nothing. */
const ADVANCE_MS = 1_000;
const LONGEST_MS = 250;
const LOOK_EVERY_MS = 100;

/**
 * Shares limits with the other processes: asks the supervisor for tokens and for places, all of one turn of the event loop in one message.
 * A caller who is refused is refused from memory until there can be a token again. If the supervisor does not answer, this process goes on
 * by itself, with its share of each limit.
 */
export function shareLedger({
  processes,
  tell,
  now = performance.now.bind(performance),
  longestMs = LONGEST_MS,
}: SharedLedgerOptions): SharedLedger {
  const asked = new Map<number, Asked>();
  /** Places that came too late. They are given back. */
  const tooLate = new Map<number, LedgerEntry>();
  let entries: (() => LedgerEntry)[] = [];
  let lastId = 0;
  let isSilent = false;
  const otherSockets = new Map<string, number>();
  const socketChanges = new Map<string, number>();
  let closeIdle: (network: string) => boolean = () => false;
  setInterval(look, LOOK_EVERY_MS).unref();

  return {
    sockets: {
      changed(network, by) {
        const before = socketChanges.get(network);
        socketChanges.set(network, (before ?? 0) + by);
        if (before === undefined) say(() => ['sockets', network, takeChange(network)]);
      },
      others: (network) => otherSockets.get(network) ?? 0,
      onTrim: (close) => void (closeIdle = close),
    },

    hearOfSockets({ others, trim }) {
      for (const [network, open] of others)
        if (open > 0) otherSockets.set(network, open);
        else otherSockets.delete(network);
      for (const [network, count] of trim) {
        for (let closed = 0; closed < count && closeIdle(network); closed += 1);
        say(() => ['trimmed', network, count]);
      }
    },

    buckets(limit, perSecond, burst): Buckets {
      say(() => ['buckets', limit, perSecond, burst]);
      const names = createBoundedCache<string | number, Known>(MOST_NAMES);
      const own = createBuckets(perSecond / processes, burst / processes, now);
      return {
        perSecond,
        take,
        charge: (name, tokens, longestSeconds) =>
          say(() => ['charge', limit, name, tokens, longestSeconds ?? null]),
        giveBack(name) {
          const known = names.get(name);
          if (known !== undefined) known.refusedUntil = 0;
          say(() => ['give back', limit, name]);
        },
      };

      function take(name: string | number, tokens = 1): number | Promise<number> {
        const at = now();
        const known = names.get(name) ?? nothingKnown();
        if (at < known.advanceUntil && tokens <= known.advance) {
          known.advance -= tokens;
          return 0;
        }
        if (at < known.refusedUntil && tokens >= known.refusedTokens) return (known.refusedUntil - at) / 1000;
        if (isSilent) return own.take(name, tokens);
        names.set(name, known);
        return known.asking === null ? askFor(name, known, tokens) : waitFor(known, name, tokens);
      }

      function waitFor(known: Known, name: string | number, tokens: number): Promise<number> {
        const { more, waiting } = known.asking!;
        known.asking!.more = more + tokens;
        return new Promise((resolve) => waiting.push(() => resolve(take(name, tokens))));
      }

      function askFor(name: string | number, known: Known, tokens: number): Promise<number> {
        const id = ++lastId;
        const asking = { more: 0, waiting: [] as (() => void)[] };
        known.asking = asking;
        const { promise, resolve } = Promise.withResolvers<number>();
        const settle = (waitSeconds: number) => {
          known.asking = null;
          resolve(waitSeconds);
          for (const goOn of asking.waiting) goOn();
        };
        const answer = ([, waitSeconds, advance, nextSeconds]: LedgerAnswer) => {
          const after = now();
          if (advance > 0) {
            known.advance = (after < known.advanceUntil ? known.advance : 0) + advance;
            known.advanceUntil = after + ADVANCE_MS;
          }
          known.refusedTokens = waitSeconds > 0 ? tokens : 1;
          known.refusedUntil = after + (waitSeconds || nextSeconds) * 1000;
          settle(waitSeconds);
        };
        asked.set(id, { at: now(), longestMs, answer, alone: () => settle(own.take(name, tokens)) });
        say(() => ['take', id, limit, name, tokens, asking.more]);
        return promise;
      }
    },

    semaphore(limit, most): Semaphore {
      say(() => ['semaphore', limit, most]);
      return {
        enter: (name, untilMs) => enter(limit, name, Math.max(0, untilMs - performance.now())),
        leave: (name) => say(() => ['leave', limit, name]),
      };
    },

    hear(answers) {
      isSilent = false;
      for (const answer of answers) {
        const [id, waitSeconds] = answer;
        const one = asked.get(id);
        asked.delete(id);
        const back = tooLate.get(id);
        tooLate.delete(id);
        if (one !== undefined) one.answer(answer);
        else if (back !== undefined && waitSeconds === 0) say(() => back);
      }
    },
  };

  function takeChange(network: string): number {
    const by = socketChanges.get(network) ?? 0;
    socketChanges.delete(network);
    return by;
  }

  /** Adds an entry to the message of this turn, as it will be at its end. */
  function say(entry: () => LedgerEntry): void {
    entries.push(entry);
    if (entries.length > 1) return;
    setImmediate(() => {
      const all = entries;
      entries = [];
      tell(all.map((write) => write()));
    });
  }

  function enter(limit: string, name: string, waitMs: number): Promise<boolean> {
    const id = ++lastId;
    return new Promise((resolve) => {
      asked.set(id, {
        at: now(),
        longestMs: waitMs + longestMs,
        answer: ([, waitSeconds]) => resolve(waitSeconds === 0),
        alone() {
          tooLate.set(id, ['leave', limit, name]);
          resolve(false);
        },
      });
      say(() => ['enter', id, limit, name, waitMs]);
    });
  }

  /** Looks for questions that have waited for too long. */
  function look(): void {
    const at = now();
    for (const [id, one] of asked) {
      if (at - one.at < one.longestMs) continue;
      isSilent = true;
      asked.delete(id);
      one.alone();
    }
  }
}

function nothingKnown(): Known {
  return { advance: 0, advanceUntil: 0, refusedTokens: 0, refusedUntil: 0, asking: null };
}
