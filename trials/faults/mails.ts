/** The mail server fails at every step in every way, while members ask for codes and shops sell. */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from '../../server/src/platform/db/database.ts';
import { concludeFault, waitForAcknowledgements, type Outcome } from './fault.ts';
import { startFailingSmtp, STEPS, WAYS } from './failing-smtp.ts';
import { createClient } from './http-client.ts';
import { startLoad } from './journalled-load.ts';
import type { Random } from '../../server/test/create-random.ts';
import { makeWorld, sentenceIfEnded, type World } from './world.ts';

/** Codes expire after ten minutes. Attempts are made after 1, 2, 4, 8 … seconds. */
const PATIENCE_MS = 300_000;

export async function failingMailServer(serverUrl: string, codes: number, random: Random): Promise<Outcome> {
  let isHealthy = false;
  const smtp = await startFailingSmtp(() =>
    isHealthy || random.next() < 0.3 ? null : { step: random.pick(STEPS), way: random.pick(WAYS) },
  );
  const world = await makeWorld(serverUrl);
  const client = createClient();
  try {
    const service = await world.startService({ SMTP_URL: smtp.url, TRUST_PROXY: '127.0.0.1' });
    const load = world.attach(startLoad({ bases: [service.base], tills: world.tills, workers: 4 }));
    await waitForAcknowledgements(load, 50);
    const waits: number[] = [];
    const statuses: number[] = [];
    const [till] = world.tills as [World['tills'][0]];
    for (let i = 0; i < codes; i++) {
      const startedAt = performance.now();
      const answer = await client.send(
        'POST',
        `${service.base}/v1/auth/otp/request`,
        { 'x-commerce-id': String(till.commerceId), 'x-forwarded-for': `10.${i >> 8}.${i & 255}.1` },
        { email: emailOf(i) },
      );
      statuses.push(answer.status);
      waits.push(performance.now() - startedAt);
    }
    await sleep(10_000);
    isHealthy = true;
    const healthyAt = performance.now();
    while ((await countWaiting(world)) > 0 && performance.now() - healthyAt < PATIENCE_MS) await sleep(250);
    const waiting = await countWaiting(world);
    const all = Array.from({ length: codes }, (_, i) => emailOf(i));
    const missing = all.filter((email) => !smtp.accepted.has(email) && !smtp.refused.has(email)).length;
    const ids = [...smtp.accepted.values()];
    const repeated = ids.reduce((sum, each) => sum + each.length - 1, 0);
    const different = ids.filter((each) => new Set(each).size > 1).length;
    const failed = statuses.filter((status) => status !== 200).length;
    return await concludeFault(
      'the mail server fails',
      load,
      world.db,
      healthyAt,
      { statuses: [201] },
      [
        sentenceIfEnded(service),
        failed === 0 ? null : `${failed} requests for a code were refused`,
        missing === 0 ? null : `${missing} mails never arrived`,
        waiting === 0 ? null : `${waiting} mails still wait`,
        different === 0 ? null : `${different} people got two different mails for one request`,
        repeated <= smtp.unanswered()
          ? null
          : `${repeated} mails came twice, ${smtp.unanswered()} were unanswered`,
      ],
      {
        figures: {
          'mails asked for': codes,
          'mails refused for good': smtp.refused.size,
          'mails that came twice': repeated,
          'acceptances without an answer': smtp.unanswered(),
          'longest request for a code, ms': Math.round(Math.max(...waits)),
        },
      },
    );
  } finally {
    client.close();
    await world.remove();
    await smtp.close();
  }
}

function emailOf(i: number): string {
  return `member-${i}@shop-${i}.example`;
}

async function countWaiting({ db }: World): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from outbox where sent_at is null and failed_at is null`.execute(db);
  return rows[0]!.count;
}
