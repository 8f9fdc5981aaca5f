/**
 * Loaded into the service before its own code (`node --import`). It counts what goes over the connections to
 * PostgreSQL and takes processor profiles, and the bench asks it over the channel between the processes.
 */
import { Session } from 'node:inspector/promises';
import { Socket } from 'node:net';
import { isMainThread } from 'node:worker_threads';
import { createWireCount, type WireUse } from './wire-count.ts';
import type { Profile } from './profile-parts.ts';

/** The answer to `stop`; to `start`, without the profile. */
export interface Inside {
  readonly uses: Readonly<Record<string, WireUse>>;
  readonly profile?: Profile;
}

const SAMPLE_MICROS = 500;

const uses = new Map<string, WireUse>();
const databasePort = Number(new URL(process.env['DATABASE_URL'] ?? 'postgres://none').port);

if (isMainThread) {
  watchSockets();
  process.on('message', (question) => void answer(question as 'start' | 'stop'));
  // The channel must not keep the service alive.
  process.channel?.unref();
}

const session = new Session();

async function answer(question: 'start' | 'stop'): Promise<void> {
  const told = { uses: Object.fromEntries(uses) };
  if (question === 'start') {
    session.connect();
    await session.post('Profiler.enable');
    await session.post('Profiler.setSamplingInterval', { interval: SAMPLE_MICROS });
    await session.post('Profiler.start');
    process.send!(told satisfies Inside);
  } else {
    const { profile } = await session.post('Profiler.stop');
    session.disconnect();
    process.send!({ ...told, profile } satisfies Inside);
  }
}

/** Counts on every socket that connects to the port of the database. */
function watchSockets(): void {
  // oxlint-disable-next-line typescript/unbound-method -- it is called on the socket below
  const { connect } = Socket.prototype;
  Socket.prototype.connect = function watched(this: Socket, ...args: unknown[]) {
    Reflect.apply(connect, this, args);
    // After the call, because it gives the socket its own `write` back.
    if (Number(args[0]) === databasePort) watchSocket(this);
    return this;
  };
}

function watchSocket(socket: Socket): void {
  const count = createWireCount(uses);
  const write = socket.write.bind(socket);
  socket.write = (...args: unknown[]) => {
    count.sent(args[0] as Buffer);
    return Reflect.apply(write, socket, args);
  };
  socket.on('data', (chunk: Buffer) => count.received(chunk));
}
