import { createServer } from 'node:net';
import type { Config } from '#settings/config.ts';
import { Refusal } from '#base/refusal.ts';

/**
 * Checks that the service will be able to listen, before anything is built or started for it. Another program may still
 * take the port afterwards.
 * @throws Refusal
 */
export async function checkPorts({ host, port, metricsPort }: Config): Promise<void> {
  const issues = [
    await checkPort(host, port, 'PORT'),
    metricsPort === null ? null : await checkPort(host, metricsPort, 'METRICS_PORT'),
  ].filter((issue) => issue !== null);
  if (issues.length > 0) throw new Refusal([...new Set(issues)].join('\n'));
}

/** Returns why the service cannot listen there, or null. */
async function checkPort(host: string, port: number, name: 'PORT' | 'METRICS_PORT'): Promise<string | null> {
  if (port === 0) return null;
  const probe = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      probe.once('error', reject).listen({ host, port }, resolve);
    });
  } catch (error) {
    return whyNoPort(error as NodeJS.ErrnoException, host, port, name);
  }
  await new Promise((resolve) => probe.close(resolve));
  return null;
}

/** Returns why the service cannot listen somewhere, and what to do. */
export function whyNoPort(error: NodeJS.ErrnoException, host: string, port: number, name: string): string {
  if (error.code === 'EADDRINUSE') {
    const another = `${name}=${port < 65_535 ? port + 1 : port - 1}`;
    return `Port ${port} on ${host} is taken, perhaps by this service in another terminal. Stop that program or choose another port: ${another} npm start`;
  }
  if (error.code === 'EACCES')
    return `Port ${port} needs more rights than this user has. Choose a ${name} from 1024 to 65535, or 0 for a free one.`;
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND' || error.code === 'EAI_AGAIN')
    return `HOST is "${host}", which is no address of this machine. 127.0.0.1 is for this machine only, 0.0.0.0 for all its addresses.`;
  return `The service cannot listen on ${host}, port ${port}: ${error.message}.`;
}
