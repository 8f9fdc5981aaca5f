/** PostgreSQL and the mail server show certificates that must not be trusted. Nobody may fall back to plain text. */
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import tls from 'node:tls';
import { SMTPServer } from 'smtp-server';
import { sql } from '../../server/src/platform/db/database.ts';
import { KINDS, makeCertificates, type Certificates, type Kind } from './certificates.ts';
import {
  becomesReady,
  concludeFault,
  sleepUntilAcknowledged,
  waitForAcknowledgements,
  type Outcome,
} from './fault.ts';
import { createClient } from './http-client.ts';
import { startLoad } from './journalled-load.ts';
import { startOwnPostgres, type OwnPostgres } from './own-postgres.ts';
import { makeWorld, sentenceIfEnded, type World } from './world.ts';

const WRONG = KINDS.filter((kind) => kind !== 'right');

/** While a service runs, PostgreSQL gets a wrong certificate and all connections are lost. Then it gets the right one. */
export async function wrongCertificateOfPostgres(): Promise<Outcome> {
  const certificates = makeCertificates();
  const postgres = await startOwnPostgres({
    settings: ['ssl = on', "ssl_cert_file = 'server.crt'", "ssl_key_file = 'server.key'"],
    prepare: async (cluster, runAs) => writePair(cluster, certificates, 'right', runAs),
  });
  const world = await makeWorld(postgres.adminUrl);
  try {
    const url = `${world.url.href}?sslmode=verify-full&sslrootcert=${certificates.authority}`;
    const service = await world.startService({ DATABASE_URL: url });
    const load = world.attach(startLoad({ bases: [service.base], tills: world.tills }));
    await waitForAcknowledgements(load, 50);
    const others: (string | null)[] = [
      (await countEncrypted(world)) > 0 ? null : 'connections of the service are not encrypted',
    ];
    const endedAt: number[] = [];
    for (const kind of WRONG) {
      await changeCertificate(postgres, certificates, kind, world);
      await endConnections(world);
      const isUnready = await becomesReady(service.base, 503);
      const from = load.calls.length;
      others.push(isUnready ? null : `/readyz stayed 200 with a certificate that is ${kind}`);
      const refusal = await world.startService({ DATABASE_URL: url }).then(
        () => 'it started',
        (error: Error) => error.message,
      );
      others.push(
        /certificate|altnames/i.test(refusal)
          ? null
          : `a start with a certificate that is ${kind}: ${refusal}`,
      );
      const passed = load.calls.slice(from).filter(({ status }) => status === 201).length;
      others.push(passed === 0 ? null : `${passed} purchases passed with a certificate that is ${kind}`);
      await changeCertificate(postgres, certificates, 'right', world);
      endedAt.push(performance.now());
      await sleepUntilAcknowledged(load, endedAt.at(-1)!);
    }
    return await concludeFault('wrong certificate of PostgreSQL', load, world.db, endedAt, {}, [
      ...others,
      sentenceIfEnded(service),
    ]);
  } finally {
    await world.remove();
    await postgres.remove();
    certificates.remove();
  }
}

/** A mail is sent only to a server that shows the right certificate, whether TLS comes first or by STARTTLS. */
export async function wrongCertificateOfMailServer(serverUrl: string): Promise<Outcome> {
  const certificates = makeCertificates();
  const world = await makeWorld(serverUrl);
  const client = createClient();
  const received: string[] = [];
  const failed: (string | null)[] = [];
  const servers: SMTPServer[] = [];
  try {
    const { base } = await world.startService();
    const load = world.attach(startLoad({ bases: [base], tills: world.tills, workers: 2 }));
    await waitForAcknowledgements(load, 20);
    for (const secure of [true, false]) {
      for (const kind of KINDS) {
        const server = openServer(certificates, kind, secure, received);
        servers.push(server);
        const port = await listen(server);
        const service = await world.startService({
          SMTP_URL: `smtp${secure ? 's' : ''}://127.0.0.1:${port}`,
          NODE_EXTRA_CA_CERTS: certificates.authority,
        });
        const email = `${secure ? 'tls' : 'starttls'}-${KINDS.indexOf(kind)}@example.com`;
        await client.send(
          'POST',
          `${service.base}/v1/auth/otp/request`,
          { 'x-commerce-id': String(world.tills[0]!.commerceId) },
          { email },
        );
        const error = await waitForAttempt(world, email);
        const isReceived = received.includes(email);
        if (kind === 'right' && !isReceived) failed.push(`no mail with the right certificate: ${error}`);
        if (kind !== 'right' && isReceived)
          failed.push(`a mail was sent although the certificate is ${kind}`);
        if (kind !== 'right' && !/certificate|altnames/i.test(error ?? ''))
          failed.push(`the reason for a certificate that is ${kind} is told as: ${error}`);
        service.child.kill('SIGKILL');
        await sql`delete from outbox`.execute(world.db);
      }
    }
    return await concludeFault('wrong certificate of the mail server', load, world.db, [], {}, failed);
  } finally {
    client.close();
    await world.remove();
    for (const server of servers) await new Promise<void>((resolve) => server.close(resolve));
    certificates.remove();
  }
}

function writePair(
  cluster: string,
  certificates: Certificates,
  kind: Kind,
  runAs: OwnPostgres['runAs'],
): void {
  for (const [file, text] of [
    ['server.key', certificates.key[kind]],
    ['server.crt', certificates.certificate[kind]],
  ] as const) {
    writeFileSync(join(cluster, file), text, { mode: 0o600 });
    if (runAs) chownSync(join(cluster, file), runAs.uid, runAs.gid);
  }
}

/** Gives the server another certificate, for connections to come. */
async function changeCertificate(
  postgres: OwnPostgres,
  certificates: Certificates,
  kind: Kind,
  { db }: World,
): Promise<void> {
  writePair(join(postgres.folder, 'cluster'), certificates, kind, postgres.runAs);
  await sql`select pg_reload_conf()`.execute(db);
  await waitForCertificate(postgres, certificates.certificate[kind]);
}

/** Ends every connection that was made until now. */
async function endConnections({ db }: World): Promise<void> {
  const { rows } = await sql<{ now: string }>`select clock_timestamp()::text as now`.execute(db);
  // One that is just being made appears a moment later, and under load that is a long one.
  for (let i = 0; i < 10; i++) {
    await sql`
      select pg_terminate_backend(pid)
        from pg_stat_activity
        join pg_stat_ssl using (pid)
       where ssl and backend_start <= ${rows[0]!.now}::timestamptz and pid <> pg_backend_pid()`.execute(db);
    await sleep(100);
  }
}

/** Waits until new connections see this certificate: the server reads its files some time after it was told to. */
async function waitForCertificate({ port }: OwnPostgres, certificate: string): Promise<void> {
  const expected = new X509Certificate(certificate).fingerprint256;
  const until = performance.now() + 30_000;
  while (performance.now() < until) {
    const socket = tls.connect({
      host: '127.0.0.1',
      port,
      ALPNProtocols: ['postgresql'],
      rejectUnauthorized: false,
    });
    await once(socket, 'secureConnect');
    const shown = socket.getPeerX509Certificate()?.fingerprint256;
    socket.destroy();
    if (shown === expected) return;
    await sleep(50);
  }
  throw new Error('PostgreSQL did not read its new certificate within 30 seconds');
}

async function countEncrypted({ db }: World): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count
      from pg_stat_ssl
      join pg_stat_activity using (pid)
     where ssl and application_name = 'loyalty'`.execute(db);
  return rows[0]!.count;
}

function openServer(certificates: Certificates, kind: Kind, secure: boolean, received: string[]): SMTPServer {
  const server = new SMTPServer({
    secure,
    key: certificates.key[kind],
    cert: certificates.certificate[kind],
    authOptional: true,
    onData(stream, { envelope }, done) {
      stream.resume();
      stream.on('end', () => {
        received.push(...envelope.rcptTo.map(({ address }) => address));
        done();
      });
    },
  });
  server.on('error', () => {});
  return server;
}

async function listen(server: SMTPServer): Promise<number> {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return (server.server.address() as AddressInfo).port;
}

/** Waits until the mail was sent or an attempt has failed. Returns the error of the attempt. */
async function waitForAttempt({ db }: World, email: string): Promise<string | null> {
  const until = performance.now() + 60_000;
  while (performance.now() < until) {
    const { rows } = await sql<{ sent: boolean; error: string | null }>`
      select sent_at is not null as sent, last_error as error from outbox where recipient = ${email}`.execute(
      db,
    );
    if (rows[0]?.sent === true || (rows[0]?.error ?? null) !== null) return rows[0]!.error;
    await sleep(50);
  }
  return 'no attempt was made';
}
