// Takes webhooks with Node and the package of the specification: npm install standardwebhooks
//
//   WEBHOOK_SECRET=whsec_… node receiver.mjs
//
// While you change over to another secret, set WEBHOOK_SECRET to both, separated by a blank.
import { createServer } from 'node:http';
import { Webhook } from 'standardwebhooks';

const MOST_BYTES = 32_768;
const { PORT = '8787', WEBHOOK_SECRET = '' } = process.env;
const webhooks = WEBHOOK_SECRET.split(' ').map((secret) => new Webhook(secret));
// A program of yours keeps the ids in its database, with a unique key, in the transaction that handles the event.
const seen = new Set();

createServer((request, response) => {
  const parts = [];
  let bytes = 0;
  request.on('data', (part) => {
    bytes += part.length;
    if (bytes > MOST_BYTES) request.destroy();
    else parts.push(part);
  });
  request.on('end', () => {
    const event = verify(Buffer.concat(parts).toString(), request.headers);
    if (event === null) {
      response.writeHead(401).end();
      return;
    }
    // Answer soon, and work afterwards: an answer that takes over 15 seconds counts as none.
    response.writeHead(204).end();
    const id = request.headers['webhook-id'];
    if (seen.has(id)) return;
    seen.add(id);
    console.log(JSON.stringify({ id, type: event.type, data: event.data.data }));
  });
}).listen(Number(PORT), '127.0.0.1');

function verify(body, headers) {
  for (const webhook of webhooks) {
    try {
      return webhook.verify(body, headers);
    } catch {
      // Perhaps it was signed with the other secret.
    }
  }
  return null;
}
