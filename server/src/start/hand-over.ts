import { connect, type Socket } from 'node:net';
import type { BatchName } from '#batching/writer.ts';
import { ReportedProblem } from '#problems/plain-problem.ts';
import { OutcomeUnknown } from '#problems/problem.ts';
import {
  readFrames,
  sendFrame,
  unpackOutcome,
  type FrameFromWriter,
  type HandedAnswer,
  type HandedCall,
} from './call-frames.ts';

/** Hands calls of this process to another one that writes. */
export interface CallHander {
  /** True while calls may be handed over. */
  readonly takes: boolean;
  /** @param keep runs the call in this process after all */
  hand<Outcome extends object>(
    batch: BatchName,
    call: unknown,
    keep: () => Promise<Outcome>,
  ): Promise<Outcome>;
  /** Hands calls to the process at this path from now on, or to nobody. */
  to(path: string | null): void;
  /** Resolves when no call waits for its answer. */
  idle(): Promise<void>;
  /** Resolves once every call that was handed over is answered. */
  close(): Promise<void>;
}

const TICK_MS = 250;
/** After so many ticks without a word the writer is asked for one, and after twice as many it hangs. */
const QUIET_TICKS = 2;
const RECONNECT_MS = 500;

interface Handed {
  readonly resolve: (outcome: object) => void;
  readonly reject: (error: unknown) => void;
}

/** A call that goes out at the end of this turn of the event loop. */
interface Outgoing extends Handed {
  readonly batch: BatchName;
  readonly call: unknown;
  /** Runs it here after all. */
  readonly keep: () => void;
}

/**
 * Books do not depend on who runs a call, so a process whose calls nobody takes runs them itself: before it knows the writer, while the
 * writer is away or leaves, and while it hangs. What was handed to a writer that died has an unknown outcome.
 */
export function createCallHander(): CallHander {
  let path: string | null = null;
  let line: Line | null = null;
  let isClosed = false;
  let retry: NodeJS.Timeout | undefined;
  /** The connections on which answers may still come. */
  const lines = new Set<Line>();

  return {
    get takes() {
      return line?.takes ?? false;
    },

    hand: (batch, call, keep) => (line === null ? keep() : line.hand(batch, call, keep)),

    to(next) {
      if (next === path) return;
      path = next;
      clearTimeout(retry);
      line?.finish();
      line = null;
      if (path !== null && !isClosed) void open(path);
    },

    async idle() {
      await Promise.all(Array.from(lines, (one) => one.idle()));
    },

    async close() {
      isClosed = true;
      clearTimeout(retry);
      line?.finish();
      await Promise.all([...lines].map((one) => one.ended));
    },
  };

  async function open(where: string): Promise<void> {
    const opened = new Line(where);
    line = opened;
    lines.add(opened);
    await opened.ended;
    lines.delete(opened);
    if (line !== opened) return;
    line = null;
    // The supervisor may not know yet, or a writer that was too busy to answer is back.
    if (path !== null && !isClosed) retry = setTimeout(() => void open(where), RECONNECT_MS);
  }
}

/** A connection to the process that writes. */
class Line {
  /** Resolves when nothing more comes. */
  readonly ended: Promise<void>;
  readonly #socket: Socket;
  readonly #handed = new Map<number, Handed>();
  #state: 'greeting' | 'open' | 'finishing' = 'greeting';
  #quietTicks = 0;
  #lastId = 0;
  #heard = 0;
  #outgoing: Outgoing[] = [];
  #whenIdle: (() => void)[] = [];

  constructor(path: string) {
    const socket = connect(path);
    this.#socket = socket;
    const ticking = setInterval(() => this.#tick(), TICK_MS).unref();
    socket.on('error', () => {});
    this.ended = new Promise((resolve) =>
      socket.once('close', () => {
        clearInterval(ticking);
        this.#state = 'finishing';
        for (const { reject } of this.#handed.values()) reject(new OutcomeUnknown());
        this.#handed.clear();
        this.#noteIdle();
        resolve();
      }),
    );
    readFrames(socket, (frame: FrameFromWriter) => this.#hear(frame));
  }

  /** True while calls may be handed over. */
  get takes(): boolean {
    return this.#state === 'open' && this.#quietTicks < 2 * QUIET_TICKS;
  }

  hand<Outcome extends object>(
    batch: BatchName,
    call: unknown,
    keep: () => Promise<Outcome>,
  ): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      this.#outgoing.push({
        batch,
        call,
        resolve: resolve as (outcome: object) => void,
        reject,
        keep: () => void keep().then(resolve, reject),
      });
      if (this.#outgoing.length === 1) setImmediate(() => this.#send());
    });
  }

  /** Hands over nothing more, and ends once all is answered. */
  finish(): void {
    this.#state = 'finishing';
    this.#noteIdle();
  }

  /** Resolves when no call waits for its answer. */
  idle(): Promise<void> {
    return this.#isIdle() ? Promise.resolve() : new Promise((resolve) => this.#whenIdle.push(resolve));
  }

  #send(): void {
    const outgoing = this.#outgoing;
    this.#outgoing = [];
    if (outgoing.length === 0) return;
    if (!this.takes) {
      for (const { keep } of outgoing) keep();
      this.#noteIdle();
      return;
    }
    const calls = outgoing.map(({ batch, call, resolve, reject }): HandedCall => {
      const id = ++this.#lastId;
      this.#handed.set(id, { resolve, reject });
      return [id, batch, call];
    });
    sendFrame(this.#socket, { calls, heard: this.#heard });
  }

  #hear(frame: FrameFromWriter): void {
    this.#quietTicks = 0;
    if ('hello' in frame) {
      if (this.#state === 'greeting') this.#state = 'open';
    } else if ('leaving' in frame) this.finish();
    else {
      for (const answer of frame.answers) this.#answer(answer);
      if (frame.answers.length > 0) setImmediate(() => setImmediate(() => this.#echo()));
      this.#noteIdle();
    }
  }

  /** Callers who were answered have had two turns of the event loop to call again. */
  #echo(): void {
    this.#heard += 1;
    if (this.#outgoing.length > 0 && this.takes) this.#send();
    else sendFrame(this.#socket, { calls: [], heard: this.#heard });
  }

  #answer([id, kind, content]: HandedAnswer): void {
    const { resolve, reject } = this.#handed.get(id)!;
    this.#handed.delete(id);
    if (kind === 'outcome') resolve(unpackOutcome(content));
    else
      reject(
        kind === 'problem'
          ? new ReportedProblem(content)
          : new Error(`in the process that writes: ${content}`),
      );
  }

  #isIdle(): boolean {
    return this.#handed.size === 0 && this.#outgoing.length === 0;
  }

  #noteIdle(): void {
    if (!this.#isIdle()) return;
    for (const resolve of this.#whenIdle.splice(0)) resolve();
    // A writer that hangs would not close its side.
    if (this.#state === 'finishing') this.#socket.destroy();
  }

  /** Ticks are counted, not time: a process that is held up itself must not think so of the other. */
  #tick(): void {
    if (this.#handed.size === 0 && this.#quietTicks < 2 * QUIET_TICKS) this.#quietTicks = 0;
    else if (++this.#quietTicks % QUIET_TICKS === 0) sendFrame(this.#socket, { isThere: true });
  }
}
