import { once } from 'node:events';
import { startBackground, type Background } from './background.ts';
import { BACKLOG, buildService } from './build-service.ts';
import type { Config } from '#settings/config.ts';
import { openDatabase } from '#db/database.ts';
import { endAll } from './end-all.ts';
import { endGently, leaveGently } from '#http/end.ts';
import { problemOfDatabase } from '#http/errors.ts';
import { METRICS_FD, PORT_FD, type Begin, type Place, type ToChild } from './messages.ts';
import { isLogForPeople, openLog } from '#http/log.ts';
import { Problem } from '#problems/problem.ts';
import { releaseIdleMemory } from '#base/idle-memory.ts';
import { openMetrics } from './open-metrics.ts';
import { openTracing } from './open-tracing.ts';
import { addressOfCalls } from './prepare-database.ts';
import { shareLedger } from './share-ledger.ts';
import { shareMetrics } from './share-metrics.ts';
import { shareWriter } from './share-writer.ts';

/** Serves HTTP beside other processes, on the socket that all of them inherit, until the supervisor ends it or is gone. */
export async function serveBeside(config: Config, begin: Begin, place: Place): Promise<void> {
  const { number, tell } = place;
  const ending = Promise.withResolvers<'all' | 'one' | 'orphaned'>();
  process.once('disconnect', () => ending.resolve('orphaned'));
  const log = await openLog(config, number);
  const tracing = await openTracing(config);
  const db = openDatabase({
    ...addressOfCalls(config, begin.embeddedUrl),
    poolSize: begin.poolSize,
    log,
    slowStatementMs: config.slowStatementMs,
    tracing,
  });
  const metrics = await openMetrics(config, db, log);
  const shared = metrics && shareMetrics(metrics, place, METRICS_FD);
  let background: Background | undefined;
  const calls = isLogForPeople(config) ? 'calls' : 'all';
  const ledger = shareLedger({
    processes: begin.processes,
    tell: (entries) => tell({ ledger: entries }),
  });
  process.on('message', (message: ToChild) => {
    if ('ledger' in message) ledger.hear(message.ledger);
    else if ('sockets' in message) ledger.hearOfSockets(message.sockets);
  });
  const writer = shareWriter(begin.folder, place, (error) =>
    error instanceof Problem ? error : problemOfDatabase(error, (one) => db.trouble.note(one, 1)),
  );
  const app = await buildService(config, db, log, {
    ledger,
    writer,
    metrics: metrics?.shown ?? null,
    demo: begin.demo,
    onMailQueued: () => (background === undefined ? tell({ wake: 'mails' }) : background.wakeMails()),
    onClockMove: () => (background === undefined ? tell({ wake: 'clocks' }) : background.wakeClocks()),
    accessLog: config.accessLog ? calls : 'none',
  });
  const memory = releaseIdleMemory();
  process.on('message', (message: ToChild) => {
    if ('end' in message) ending.resolve(message.end);
    else if ('lead' in message) lead();
    else if ('wake' in message) wake(message.wake);
    else if ('writers' in message) writer.hear(message);
    else shared?.hear(message);
  });
  try {
    const listening = once(app.server, 'listening');
    app.server.listen({ fd: PORT_FD }, BACKLOG);
    await listening;
    await writer
      .open()
      .catch((error: unknown) => log.error({ err: error }, 'this process cannot take calls of the others'));
    tell({ ready: true });
    const how = await ending.promise;
    writer.leave();
    if (how === 'one') await leaveGently(app);
    else await endGently(app, how === 'all' ? config.drainSeconds : 0);
  } finally {
    memory.stop();
    await endAll([app.close(), shared?.close(), writer.close(), background?.stop()]);
    await db.destroy();
    await tracing?.stop();
  }

  function lead(): void {
    background ??= startBackground(config, db, log, begin.base, metrics?.counts);
    shared?.lead().catch((error: unknown) => log.error({ err: error }, 'the metrics cannot be served'));
  }

  function wake(work: 'mails' | 'clocks'): void {
    if (work === 'mails') background?.wakeMails();
    else background?.wakeClocks();
  }
}
