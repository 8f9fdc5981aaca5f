import type { onSendAsyncHookHandler } from 'fastify';
import { createBatch } from '#calls/batch.ts';
import { sql, type Db } from '#db/database.ts';
import type { App } from '#http/server.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The commerce's time, if the handler has read it. */
    commerceTime: Date | null;
  }
}

/**
 * Adds `X-Commerce-Time` to the response to every valid call of a member: the instant by the commerce's own clock. A phone's clock may be
 * wrong, and the clock of a sandbox can be moved, so pages judge due dates by this header. Handlers that have read the
 * commerce set `request.commerceTime`; for the others it is read here.
 */
export function tellCommerceTime(app: App, db: Db): void {
  const clockOf = createClockReader(db);
  app.decorateRequest('commerceTime', null);
  app.addHook('onRoute', (route) => {
    if (route.config?.credential !== 'user') return;
    const tell: onSendAsyncHookHandler = async (request, reply) => {
      const { commerceId, commerceTime } = request;
      // The call was refused before its commerce was looked up.
      if (commerceId === 0) return;
      // A response without its time is better than none.
      const now = commerceTime ?? (await clockOf(commerceId).catch(() => null));
      if (now !== null) reply.header('x-commerce-time', now.toISOString());
    };
    route.onSend = [tell, ...[route.onSend ?? []].flat()];
  });
}

/** Reads that arrive while another statement is running share the next one. */
function createClockReader(db: Db): (commerceId: number) => Promise<Date | null> {
  const batch = createBatch<number, Date | null>({
    run: async (ids) => {
      const { rows } = await sql<{ id: number; now: Date }>`-- read-clocks
        select c.id, program_now(c) as now from commerces c where c.id = any(${[...ids]}::bigint[])`.execute(
        db,
      );
      const clocks = new Map(rows.map(({ id, now }) => [id, now]));
      return ids.map((id) => clocks.get(id) ?? null);
    },
    commerceOf: (id) => id,
    mayRepeat: () => true,
  });
  return (commerceId) => batch.submit(commerceId);
}
