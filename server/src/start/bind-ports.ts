import { lookup } from 'node:dns/promises';
import { BoundSocket } from 'node:net';
import { whyNoPort } from './check-ports.ts';
import { Refusal } from '#base/refusal.ts';

/** The sockets of the service, which several processes listen on. */
export interface Ports {
  readonly port: number;
  /** Their file descriptors, of PORT and, if it is set, of METRICS_PORT. */
  readonly sockets: readonly number[];
  /** Closes them here. A second time, does nothing. */
  close(): void;
}

/**
 * Takes the ports without listening: callers are refused until a process that can answer them listens. From then on the sockets stay open
 * whichever process comes and goes, so no caller is refused or reset. (With a socket for each process, the kernel gives new connections
 * to one that is about to close.)
 * @throws Refusal
 */
export async function bindPorts({
  host,
  port,
  metricsPort,
}: {
  host: string;
  port: number;
  metricsPort: number | null;
}): Promise<Ports> {
  const { address } = await lookup(host);
  const bind = (number: number, name: 'PORT' | 'METRICS_PORT') => {
    try {
      return new BoundSocket({ host: address, port: number });
    } catch (error) {
      throw new Refusal(whyNoPort(error as NodeJS.ErrnoException, host, number, name));
    }
  };
  const bound = [bind(port, 'PORT'), ...(metricsPort === null ? [] : [bind(metricsPort, 'METRICS_PORT')])];
  const open = new Set(bound);
  return {
    port: bound[0]!.address().port,
    sockets: bound.map((socket) => socket.fd()),
    close() {
      for (const socket of open) socket.close();
      open.clear();
    },
  };
}
