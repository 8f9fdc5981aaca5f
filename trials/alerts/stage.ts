/** A service under a light load, with a Prometheus that watches it, for one fault. */
import { connect, type Socket } from 'node:net';
import { findFreePort } from '../../server/src/platform/db/embedded/free-port.ts';
import { startLoad, type Load } from '../faults/journalled-load.ts';
import { startTcpProxy, type TcpProxy } from '../../server/test/tcp-proxy.ts';
import { endService, makeWorld, type Service, type World } from '../faults/world.ts';
import { hasten, RULES, startPrometheus, type Prometheus } from './prometheus.ts';
import { read } from '../../server/test/repository.ts';

export interface Stage {
  readonly world: World;
  /** Between the service and its database. */
  readonly proxy: TcpProxy;
  readonly service: Service;
  readonly load: Load;
  readonly prometheus: Prometheus;
  /** Kills the service and starts it again, with the same port of its metrics. */
  restart(): Promise<void>;
  /** Starts a second service on the same database, which Prometheus watches too. */
  startAnother(): Promise<Service>;
  /** Ends the service and its Prometheus, and drops the database. */
  clear(): Promise<void>;
}

export interface StageOptions {
  readonly serverUrl: string;
  readonly tablespace?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Limits of the rules that would take hours: what is replaced, and by what. */
  readonly limits?: readonly (readonly [string, string])[];
  /** Brings about the fault before the service starts. */
  readonly before?: (world: World) => Promise<void>;
  readonly workers?: number;
  readonly factor?: number;
}

/** On a busy machine, a purchase may take half a second although nothing is wrong. */
const NOISE = [') > 0.5\n          unless', ') > 1\n          unless'] as const;

/** By how much the durations of the rules are divided. */
export const FACTOR = 30;

export async function setStage(options: StageOptions): Promise<Stage> {
  const { serverUrl, env = {}, limits = [], workers = 4, factor = FACTOR } = options;
  const world = await makeWorld(
    serverUrl,
    options.tablespace === undefined ? {} : { tablespace: options.tablespace },
  );
  await options.before?.(world);
  const proxy = await startTcpProxy({ host: world.url.hostname, port: Number(world.url.port) });
  const behind = Object.assign(new URL(world.url), { port: String(proxy.port) });
  const metricsPort = await findFreePort();
  const start = (port = metricsPort) =>
    world.startService({
      DATABASE_URL: behind.href,
      METRICS_PORT: String(port),
      DRAIN_SECONDS: '0',
      ...env,
    });
  const service = await start();
  let rules = read(RULES);
  for (const [from, to] of [NOISE, ...limits]) {
    if (!rules.includes(from)) throw new Error(`the rules do not contain ${from}`);
    rules = rules.replace(from, to);
  }
  const prometheus = await startPrometheus([`127.0.0.1:${metricsPort}`], {
    factor,
    rules: hasten(rules, factor),
  });
  const load = world.attach(startLoad({ bases: [service.base], tills: world.tills, workers, pauseMs: 100 }));
  const stage = {
    world,
    proxy,
    service,
    load,
    prometheus,
    async restart() {
      await endService(stage.service, 'SIGKILL');
      stage.service = await start();
    },
    async startAnother() {
      const port = await findFreePort();
      const another = await start(port);
      prometheus.watch([metricsPort, port].map((one) => `127.0.0.1:${one}`));
      return another;
    },
    async clear() {
      await prometheus.stop();
      await load.stop();
      await proxy.close();
      await world.remove();
    },
  };
  return stage;
}

/** Sends the same call again and again over a few connections, many at once, until `stop`. Cheaper than fetch, for floods. */
export function flood(base: string, request: string, connections: number, atOnce: number): () => void {
  const { hostname, port } = new URL(base);
  const burst = request.repeat(atOnce);
  const sockets = new Set<Socket>();
  let isOver = false;
  const open = () => {
    const socket = connect(Number(port), hostname);
    sockets.add(socket);
    let left = atOnce;
    socket.on('data', (chunk: Buffer) => {
      left -= chunk.toString('latin1').split('HTTP/1.1 ').length - 1;
      if (left > 0) return;
      left = atOnce;
      socket.write(burst);
    });
    socket.on('error', () => {});
    // A caller refused for a limit is told to close the connection.
    socket.on('close', () => {
      sockets.delete(socket);
      if (!isOver) setTimeout(() => isOver || open(), 20);
    });
    socket.write(burst);
  };
  for (let i = 0; i < connections; i++) open();
  return () => {
    isOver = true;
    for (const socket of sockets) socket.destroy();
  };
}
