/** Stands between the coordinator and a worker, reads what the coordinator says, and lets a trial act at chosen moments of a commit. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** What the coordinator says to a worker at the end of a transaction: in one phase, or in two. */
export type Word = 'COMMIT' | 'PREPARE TRANSACTION' | 'COMMIT PREPARED';

export interface CommitProxy {
  readonly port: number;
  /**
   * Calls `act` once, at the next such word: before it is passed on, or when the worker has answered it. Neither the word nor the answer is passed
   * on until `act` is done; nothing more is passed on if it returns `cut`.
   */
  at(word: Word, moment: 'before' | 'answered', act: () => Promise<'cut' | 'go on'>): void;
  /** How many such words have passed. */
  seen(word: Word): number;
  close(): Promise<void>;
}

// A word is the text of a simple query, so it stands alone and ends with a zero byte, or with what it names.
const PATTERNS: Readonly<Record<Word, RegExp>> = {
  COMMIT: /Q....COMMIT(?! PREPARED)/s,
  'PREPARE TRANSACTION': /Q....PREPARE TRANSACTION/s,
  'COMMIT PREPARED': /Q....COMMIT PREPARED/s,
};

export async function startCommitProxy(workerPort: number): Promise<CommitProxy> {
  const sockets = new Set<Socket>();
  const counts = new Map<Word, number>();
  let armed: { word: Word; moment: 'before' | 'answered'; act: () => Promise<'cut' | 'go on'> } | null = null;
  const server = createServer((coordinator) => {
    const worker = connect(workerPort, '127.0.0.1');
    for (const socket of [coordinator, worker]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        for (const other of [coordinator, worker]) other.destroy();
      });
    }
    let waiting: typeof armed = null;
    coordinator.on('data', (bytes) => {
      const text = bytes.toString('latin1');
      for (const word of Object.keys(PATTERNS) as Word[])
        if (PATTERNS[word].test(text)) {
          counts.set(word, (counts.get(word) ?? 0) + 1);
          if (armed?.word !== word) continue;
          const mine = armed;
          armed = null;
          if (mine.moment === 'answered') waiting = mine;
          else {
            coordinator.pause();
            void goOnAfter(mine.act, worker, () => {
              worker.write(bytes);
              coordinator.resume();
            });
            return;
          }
        }
      worker.write(bytes);
    });
    worker.on('data', (bytes) => {
      const mine = waiting;
      if (mine === null) {
        coordinator.write(bytes);
        return;
      }
      waiting = null;
      worker.pause();
      void goOnAfter(mine.act, worker, () => {
        coordinator.write(bytes);
        worker.resume();
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    at(word, moment, act) {
      armed = { word, moment, act };
    },
    seen: (word) => counts.get(word) ?? 0,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

async function goOnAfter(
  act: () => Promise<'cut' | 'go on'>,
  worker: Socket,
  goOn: () => void,
): Promise<void> {
  if ((await act()) === 'cut') worker.destroy();
  else goOn();
}
