import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { importSPKI, jwtVerify } from 'jose';
import type { GoogleServer } from '#wallets/google-api.ts';
import { onEnd } from '#test/database.ts';

/** Stands in for Google: gives tokens to the service account, and stores classes and objects for callers with a token. */
export interface FakeGoogle extends GoogleServer {
  /** Classes and objects by id. */
  readonly stored: ReadonlyMap<string, Record<string, unknown>>;
  /** `PATCH loyaltyObject 200` and so on, in the order of the calls about this id. */
  callsAbout(id: string): readonly string[];
  /** Refuses the next calls with this status. */
  refuse(status: number, times: number): void;
  readonly tokens: string;
  tokensGiven(): number;
}

export async function startGoogleServer(publicKey: string): Promise<FakeGoogle> {
  const key = await importSPKI(publicKey, 'RS256');
  const stored = new Map<string, Record<string, unknown>>();
  const calls: [id: string, call: string][] = [];
  let given = 0;
  let refusal = { status: 0, times: 0 };

  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8');
    request.on('data', (part: string) => (text += part));
    request.on('end', () => {
      answer(request.method!, request.url!, request.headers.authorization, text).then(
        ({ status, body }) =>
          response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
        (error: unknown) => response.writeHead(500).end(String(error)),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onEnd(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const tokens = `${base}/token`;

  return {
    tokens,
    wallets: `${base}/v1`,
    stored,
    callsAbout: (id) => calls.filter(([about]) => about === id).map(([, call]) => call),
    refuse: (status, times) => void (refusal = { status, times }),
    tokensGiven: () => given,
  };

  async function answer(method: string, path: string, authorization: string | undefined, text: string) {
    if (path === '/token') {
      const assertion = new URLSearchParams(text).get('assertion') ?? '';
      await jwtVerify(assertion, key, { audience: tokens, issuer: 'club@example.iam.gserviceaccount.com' });
      given += 1;
      return { status: 200, body: { access_token: `token-${given}`, expires_in: 3600 } };
    }
    if (!/^Bearer token-\d+$/.test(authorization ?? '')) return { status: 401, body: {} };
    if (refusal.times > 0) {
      refusal.times -= 1;
      return { status: refusal.status, body: {} };
    }
    const [, , kind, named] = path.split('/');
    const content = JSON.parse(text) as Record<string, unknown>;
    const id = decodeURIComponent(named ?? String(content['id']));
    const isKnown = stored.has(id);
    const status = method === 'PATCH' ? (isKnown ? 200 : 404) : isKnown ? 409 : 200;
    calls.push([id, `${method} ${kind} ${status}`]);
    if (status === 200) stored.set(id, { ...stored.get(id), ...content });
    return { status, body: {} };
  }
}
