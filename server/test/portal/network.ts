/** The network between phones and a service: it can fail, be slow, and stand for another release of the service. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onEnd } from '#test/database.ts';

export interface Reply {
  status: number;
  headers: Record<string, string>;
  body: string;
}

export interface Network {
  /** The address that phones know. It ends in the path that the service is mounted at. */
  readonly url: string;
  /** The address of the service. Changing it is a deployment. */
  target: string;
  isUp: boolean;
  /** How long every response takes. */
  delayMs: number;
  /** Changes a response. Returns null to leave it as it is. */
  change: ((path: string, reply: Reply) => Reply | null) | null;
  /** The paths that were asked for, without that of the mount. */
  readonly asked: string[];
}

/** Starts a proxy in front of a service, under a path of its own. */
export async function startNetwork(target: string, mount = ''): Promise<Network> {
  const network = {
    url: '',
    target,
    isUp: true,
    delayMs: 0,
    change: null as Network['change'],
    asked: [] as string[],
  };
  const server = createServer((request, response) => {
    forward(network, mount, request, response).catch(() => request.socket.destroy());
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onEnd(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  network.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${mount}`;
  return network;
}

async function forward(
  network: Network,
  mount: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (!network.isUp) return void request.socket.destroy();
  const path = (request.url ?? '/').slice(mount.length);
  network.asked.push(path);
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  if (network.delayMs > 0) await new Promise((resolve) => setTimeout(resolve, network.delayMs));
  const { host: _, connection: __, 'accept-encoding': ___, ...headers } = request.headers;
  const answer = await fetch(network.target + path, {
    method: request.method ?? 'GET',
    headers: headers as Record<string, string>,
    redirect: 'manual',
    ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
  });
  const reply: Reply = {
    status: answer.status,
    headers: Object.fromEntries(answer.headers),
    body: await answer.text(),
  };
  const { status, headers: sent, body } = network.change?.(path, reply) ?? reply;
  for (const name of ['content-length', 'content-encoding', 'connection', 'keep-alive', 'transfer-encoding'])
    delete sent[name];
  if (!network.isUp) return void request.socket.destroy();
  response.writeHead(status, sent).end(body);
}
