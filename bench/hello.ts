/** Always answers the same, with node:http alone or with the service's own server and hooks. No route can be faster. */
import { createServer as createHttpServer } from 'node:http';
import { Message } from '../server/src/platform/http/schema.ts';
import { createServer } from '../server/src/platform/http/server.ts';

const port = Number(process.env['PORT']);

if (process.env['KIND'] === 'node') {
  const body = JSON.stringify({ message: 'hello' });
  createHttpServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
  }).listen(port, '127.0.0.1');
} else {
  const app = await createServer({
    log: false,
    lookups: {
      key: () => ({ commerceId: 1, scopes: ['purchases'] }),
      user: () => null,
      commerce: () => null,
      staffSession: () => null,
      staffKey: () => null,
    },
  });
  const options = {
    config: { credential: 'key', scope: 'purchases' },
    schema: { response: { 200: Message } },
  } as const;
  app.get('/', options, () => ({ message: 'hello' }));
  await app.listen({ port, host: '127.0.0.1' });
}
