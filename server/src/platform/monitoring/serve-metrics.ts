import type { AddressInfo } from 'node:net';
import { createServer } from '#base/node-http.ts';

/** A port of its own, or a socket that another process has bound. */
export type Where = { readonly host: string; readonly port: number } | { readonly fd: number };

/** Serves metrics at `/metrics`, and nothing else. `read` returns them in the text format of Prometheus. */
export async function serveMetrics(
  where: Where,
  read: () => Promise<string>,
): Promise<{ port: number; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    if (request.url !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    read().then(
      (text) =>
        response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(where, resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      // A scraper keeps its connection open.
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
