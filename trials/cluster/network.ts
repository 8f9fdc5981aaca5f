/**
 * A cluster whose machines are not beside each other: `node trials/cluster/network.ts BIN [--delays N,N --seconds N]`. What the coordinator and a worker
 * say to each other takes so many milliseconds each way. Prints how long purchases, purchases of people whom nobody knows, and lists take.
 */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { median, percentile } from '../../bench/statistics.ts';
import { concludeFault } from '../faults/fault.ts';
import { listPurchases, startLoad } from '../faults/journalled-load.ts';
import { makeWorld } from '../faults/world.ts';
import { startCluster } from './cluster.ts';
import { startStrangers } from './strangers.ts';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    delays: { type: 'string', default: '0,1,5' },
    seconds: { type: 'string', default: '6' },
  },
});
const [bin] = positionals;
if (bin === undefined) throw new Error('node trials/cluster/network.ts BIN');
const seconds = Number(values.seconds);
/** Of what is said from now on, in milliseconds each way. */
let delay = 0;

const cluster = await startCluster(bin);
const wires = await Promise.all(
  cluster.workers.map(({ adminUrl }) => startWire(Number(new URL(adminUrl).port))),
);
let failed = 0;
try {
  const world = await makeWorld(cluster.coordinator.adminUrl, {
    members: 60,
    create: (name) =>
      cluster.createDatabase(
        name,
        wires.map(({ port }) => port),
      ),
  });
  try {
    const { base } = await world.startService({ CLUSTER: 'citus' });
    let firstAmount = 1;
    for (const ms of values.delays.split(',').map(Number)) {
      delay = ms;
      for (const workers of [1, 32]) await buy(ms, workers);
      await enrol(ms);
      const times: number[] = [];
      for (let i = 0; i < 60; i++) {
        const since = performance.now();
        const { status } = await listPurchases(base, world.tills[i % world.tills.length]!);
        if (status !== 200) failed++;
        times.push(performance.now() - since);
      }
      say(ms, `a list of purchases: half within ${median(times).toFixed(1)} ms`);
    }

    async function buy(ms: number, workers: number): Promise<void> {
      firstAmount += 1_000_000;
      const load = world.attach(startLoad({ bases: [base], tills: world.tills, workers, firstAmount }));
      await sleep(2_000);
      const from = load.calls.length;
      await sleep(seconds * 1_000);
      const times = load.calls.slice(from).map((call) => call.ms);
      say(
        ms,
        `${workers === 1 ? 'one caller' : `${workers} callers`}: ${Math.round(times.length / seconds)} purchases a second, ` +
          `half within ${median(times).toFixed(1)} ms, 99 % within ${percentile(times, 0.99).toFixed(1)} ms`,
      );
      const { failed: broken } = await concludeFault(
        'network',
        load,
        world.db,
        performance.now(),
        { statuses: [201], longestMs: 10_000 },
        [],
      );
      for (const sentence of broken) console.log(`  FAILED ${sentence}`);
      failed += broken.length;
    }

    async function enrol(ms: number): Promise<void> {
      firstAmount += 1_000_000;
      const strangers = world.attach(startStrangers(base, world.tills, firstAmount));
      await sleep(2_000);
      const from = strangers.acknowledged();
      await sleep(seconds * 1_000);
      const count = strangers.acknowledged() - from;
      await strangers.stop();
      const wrong = await strangers.check(world.db, [201]);
      say(
        ms,
        `people whom nobody knows, one after the other: ${((seconds * 1_000) / count).toFixed(0)} ms each`,
      );
      for (const sentence of wrong) console.log(`  FAILED ${sentence}`);
      failed += wrong.length;
    }
  } finally {
    await world.remove();
  }
} finally {
  for (const wire of wires) await wire.close();
  await cluster.remove();
}
console.log(failed === 0 ? 'all was as promised' : `${failed} promises were not kept`);
process.exitCode = failed === 0 ? 0 : 1;

/** A way to a server on which everything takes `delay`, in order. */
async function startWire(to: number): Promise<{ port: number; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true, allowHalfOpen: true }, (one) => {
    const other = connect({ port: to, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
    pass(one, other);
    pass(other, one);
  });
  const pass = (from: Socket, into: Socket) => {
    sockets.add(from);
    from.on('error', () => into.destroy());
    from.on('close', () => {
      sockets.delete(from);
      into.destroy();
    });
    from.on('data', (bytes) => later(() => into.write(bytes)));
    from.on('end', () => later(() => into.end()));
  };
  const later = (act: () => void) => (delay === 0 ? act() : setTimeout(act, delay));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}

function say(ms: number, words: string): void {
  console.log(`${ms} ms each way: ${words} (load ${loadavg()[0]!.toFixed(1)})`);
}
