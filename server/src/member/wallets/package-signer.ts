import { Worker } from 'node:worker_threads';
import { Overloaded } from '#problems/problem.ts';
import type { AppleSettings } from '#settings/wallet-settings.ts';

/** Signs packages for Apple Wallet, without keeping other calls waiting. */
export interface PackageSigner {
  /** @throws Overloaded if too many packages wait */
  sign(pass: object, color: string): Promise<Buffer>;
  close(): Promise<void>;
}

/** The messages to the thread, and from it. */
export interface PackageToSign {
  readonly id: number;
  readonly pass: string;
  readonly color: string;
}
export type SignedPackage =
  | { readonly id: number; readonly bytes: Uint8Array }
  | { readonly id: number; readonly failure: string };

/** After a change of a shop’s name, all its phones come at once. They try again by themselves. */
const MOST_WAITING = 50;

/** Starts the thread when it is first needed, and again if it has ended. */
export function createPackageSigner(apple: AppleSettings): PackageSigner {
  const waiting = new Map<number, PromiseWithResolvers<Buffer>>();
  let worker: Worker | null = null;
  let lastId = 0;

  return {
    sign(pass, color) {
      if (waiting.size >= MOST_WAITING) return Promise.reject(new Overloaded('too many cards at once'));
      lastId += 1;
      const signed = Promise.withResolvers<Buffer>();
      waiting.set(lastId, signed);
      const message: PackageToSign = { id: lastId, pass: JSON.stringify(pass), color };
      worker ??= start();
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
      worker.postMessage(message);
      return signed.promise;
    },
    async close() {
      await worker?.terminate();
    },
  };

  function start(): Worker {
    const started = new Worker(new URL('./sign-worker.ts', import.meta.url), { workerData: apple });
    started.unref();
    started.on('message', (answer: SignedPackage) => {
      const signed = waiting.get(answer.id);
      waiting.delete(answer.id);
      if ('bytes' in answer) signed?.resolve(Buffer.from(answer.bytes));
      else signed?.reject(new Error(`a card could not be signed: ${answer.failure}`));
    });
    started.on('error', (error) => end(started, error));
    started.on('exit', () => end(started, new Error('the thread that signs cards has ended')));
    return started;
  }

  /** A thread that fails says so twice, and another one may have started in between. */
  function end(ended: Worker, error: unknown): void {
    if (worker !== ended) return;
    worker = null;
    for (const signed of waiting.values()) signed.reject(error);
    waiting.clear();
  }
}
