import { createSecureServer, type Http2SecureServer, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { PushServer } from '#wallets/apple-push.ts';
import { onEnd } from '#test/database.ts';
import { makeCertificate } from './certificates.ts';

/** A push that arrived. */
export interface Push {
  readonly pushToken: string;
  readonly topic: string;
  readonly body: string;
  /** The pass type in the certificate of the caller. */
  readonly certifiedFor: string;
}

/** Stands in for Apple’s push service: HTTP/2 over TLS, for callers with a certificate of a pass type. */
export interface AppleServer extends PushServer {
  readonly pushes: readonly Push[];
  /** Answers pushes to a token in this way from now on. */
  answer(pushToken: string, status: number, reason?: string): void;
  pushesTo(pushToken: string): number;
}

export async function startAppleServer(clientAuthority: string): Promise<AppleServer> {
  const { certificate, key } = makeCertificate({
    subject: [{ type: '2.5.4.3', value: 'localhost' }],
    host: 'localhost',
  });
  const pushes: Push[] = [];
  const answers = new Map<string, { status: number; body: string }>();
  const server: Http2SecureServer = createSecureServer({
    cert: certificate,
    key,
    ca: clientAuthority,
    requestCert: true,
    rejectUnauthorized: true,
  });
  server.on('stream', (stream: ServerHttp2Stream, headers) => {
    let body = '';
    stream.setEncoding('utf8');
    stream.on('data', (text: string) => (body += text));
    stream.on('end', () => {
      const pushToken = String(headers[':path']).replace('/3/device/', '');
      const { subject } = (stream.session!.socket as TLSSocket).getPeerCertificate();
      pushes.push({
        pushToken,
        topic: String(headers['apns-topic']),
        body,
        certifiedFor: String((subject as unknown as Record<string, unknown>)['UID']),
      });
      const answer = answers.get(pushToken) ?? { status: 200, body: '' };
      stream.respond({ ':status': answer.status });
      stream.end(answer.body);
    });
  });
  const sessions = new Set<{ destroy(): void }>();
  server.on('session', (session) => void sessions.add(session));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onEnd(async () => {
    for (const session of sessions) session.destroy();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });
  return {
    origin: `https://localhost:${(server.address() as AddressInfo).port}`,
    authority: certificate,
    pushes,
    answer: (pushToken, status, reason) =>
      void answers.set(pushToken, { status, body: reason === undefined ? '' : JSON.stringify({ reason }) }),
    pushesTo: (pushToken) => pushes.filter((push) => push.pushToken === pushToken).length,
  };
}
