import type { Caps } from '#base/caps.ts';
import { ownLedger, type Ledger } from '#http/ledger.ts';
import { UnusablePicture, type WrittenPicture } from '#pictures/write-anew.ts';
import { Overloaded } from '#problems/problem.ts';
import {
  checkMailFields,
  checkProgram,
  type CheckedMailFields,
  type CheckedProgram,
} from '#program/check-program.ts';
import type { Program } from '#program/program.ts';
import type { ReadProgram } from '#program/read-program.ts';
import { startHelper, type Helper } from './helper.ts';
import type { Task, Tasks } from './tasks.ts';

/**
 * Does the work that grows with what one caller sends, without keeping the calls of others waiting: small pieces at once, large
 * ones in a process of their own. A commerce has one large piece done at a time, and all have two.
 * Each throws `Overloaded` if it would have to wait too long.
 */
export interface Aside {
  checkProgram(commerceId: number, said: unknown): Promise<CheckedProgram>;
  checkMailFields(commerceId: number, said: unknown): Promise<CheckedMailFields>;
  readProgram(commerceId: number, text: string): Promise<ReadProgram>;
  writeProgram(commerceId: number, program: Program): Promise<string>;
  /** @throws UnusablePicture */
  writeAnew(commerceId: number, picture: Buffer): Promise<WrittenPicture>;
  /** Ends the processes, whatever they do. */
  close(): void;
}

export interface AsideLimits {
  /** The longest time of one piece of work. The largest program takes a second on a machine that is not busy. */
  readonly longestMs: number;
  readonly longestWaitMs: number;
  /** A process that nobody needs for so long ends, and its memory is free. */
  readonly idleMs: number;
}

const LIMITS: AsideLimits = { longestMs: 10_000, longestWaitMs: 5_000, idleMs: 15_000 };

/** A commerce must not take both. */
const MOST_AT_ONCE = 2;
/** Of one commerce. The bodies that they have sent are in memory. */
const MOST_WAITING = 8;
/** The check of such a program takes about two milliseconds. */
const SMALL_CHARACTERS = 8 * 1024;
const TOO_DEEP = 'is nested too deeply';
const TOO_MUCH = 'takes too long or too much memory to check: make it smaller';

export function createAside(
  caps: Caps,
  limits: Partial<AsideLimits> = {},
  ledger: Pick<Ledger, 'semaphore'> = ownLedger,
): Aside {
  const { longestMs, longestWaitMs, idleMs } = { ...LIMITS, ...limits };
  const commerces = ledger.semaphore('large work of a commerce', 1);
  const all = ledger.semaphore('large work', MOST_AT_ONCE);
  const waiting = new Map<string, number>();
  const helpers = new Set<Helper>();
  const free: Helper[] = [];
  const retiring = new Map<Helper, NodeJS.Timeout>();

  return {
    async checkProgram(commerceId, said) {
      const json = toJson(said);
      if (json === null) return refuse(TOO_DEEP);
      if (json.length <= SMALL_CHARACTERS) return checkProgram(said);
      return (await inTurn(commerceId, 'checkProgram', json)) ?? refuse(TOO_MUCH);
    },
    async checkMailFields(commerceId, said) {
      const json = toJson(said);
      if (json === null) return refuse(TOO_DEEP);
      if (json.length <= SMALL_CHARACTERS) return checkMailFields(said);
      return (await inTurn(commerceId, 'checkMailFields', json)) ?? refuse(TOO_MUCH);
    },
    // Even a short text can take YAML long.
    async readProgram(commerceId, text) {
      const read = await inTurn(commerceId, 'readProgram', text);
      if (read !== null) return read;
      const message = 'the file takes too long to read, or is too much to read';
      return { ok: false, problems: [{ line: 1, column: 1, path: '', message }] };
    },
    async writeProgram(commerceId, program) {
      const text = await inTurn(commerceId, 'writeProgram', program);
      if (text === null) throw new Overloaded('the program took too long to write');
      return text;
    },
    async writeAnew(commerceId, picture) {
      const written = await inTurn(commerceId, 'writeAnew', picture);
      if (written === null)
        throw new UnusablePicture('the picture takes too long to decode: save it smaller and send that file');
      return { ...written, large: Buffer.from(written.large), small: Buffer.from(written.small) };
    },
    close() {
      for (const timer of retiring.values()) clearTimeout(timer);
      for (const helper of helpers) helper.end();
      helpers.clear();
    },
  };

  /** Returns null if the work had to be ended. */
  async function inTurn<T extends Task>(
    commerceId: number,
    task: T,
    given: Parameters<Tasks[T]>[0],
  ): Promise<Awaited<ReturnType<Tasks[T]>> | null> {
    const commerce = String(commerceId);
    const ahead = waiting.get(commerce) ?? 0;
    if (ahead > MOST_WAITING) throw tooMany('large drafts or pictures of this commerce are being read');
    waiting.set(commerce, ahead + 1);
    try {
      const until = performance.now() + longestWaitMs;
      if (!(await commerces.enter(commerce, until)))
        throw tooMany('a large draft or picture of this commerce is being read');
      try {
        if (!(await all.enter('', until)))
          throw tooMany('large drafts or pictures of other shops are being read');
        try {
          return (await help(task, given)) as Awaited<ReturnType<Tasks[T]>> | null;
        } finally {
          all.leave('');
        }
      } finally {
        commerces.leave(commerce);
      }
    } finally {
      if (ahead === 0 || waiting.get(commerce) === 1) waiting.delete(commerce);
      else waiting.set(commerce, waiting.get(commerce)! - 1);
    }
  }

  async function help(task: Task, given: unknown): Promise<unknown> {
    const helper = takeHelper();
    try {
      const told = await helper.run({ task, given }, longestMs);
      if (told === null) return null;
      if ('unusable' in told) throw new UnusablePicture(told.unusable);
      if ('failure' in told) throw new Error(`work aside failed: ${told.failure}`);
      return told.done;
    } finally {
      putBack(helper);
    }
  }

  function takeHelper(): Helper {
    for (let helper = free.pop(); helper !== undefined; helper = free.pop()) {
      clearTimeout(retiring.get(helper));
      retiring.delete(helper);
      if (!helper.hasEnded()) return helper;
      helpers.delete(helper);
    }
    const started = startHelper();
    helpers.add(started);
    return started;
  }

  function putBack(helper: Helper): void {
    if (helper.hasEnded()) {
      helpers.delete(helper);
      return;
    }
    free.push(helper);
    const retire = () => {
      retiring.delete(helper);
      free.splice(free.indexOf(helper), 1);
      helpers.delete(helper);
      helper.end();
    };
    retiring.set(helper, setTimeout(retire, idleMs).unref());
  }

  function tooMany(why: string): Overloaded {
    caps.refused('calls-of-a-commerce');
    return new Overloaded(why);
  }
}

/** A value that parsed without trouble may be nested deeper than it can be written. */
function toJson(said: unknown): string | null {
  try {
    return JSON.stringify(said) ?? 'null';
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function refuse(message: string): { ok: false; problems: { path: []; message: string; at: 'value' }[] } {
  return { ok: false, problems: [{ path: [], message, at: 'value' }] };
}
