import { createHash } from 'node:crypto';
import { listCommerces } from '#commerces/list-commerces.ts';
import type { Database } from '#db/database.ts';
import type { App } from '#http/server.ts';
import { isFromThisMachine } from '#http/this-machine.ts';
import { findMember } from '#members/lock-members.ts';
import { NEUTRAL_PAGE, SCRIPT, STYLE, writeStartPage, type DemoFacts } from './write-start-page.ts';

const OPTIONS = {
  schema: { hide: true },
  config: { credential: 'none', turn: 'read' },
} as const;

/**
 * Serves the page at `/`. On a developer's machine it shows what runs, with the demo's API key, under the conditions
 * under which the mailbox shows sign-in codes. Everyone else sees only that a service runs.
 */
export function startPageRoutes(
  app: App,
  { db, devMailbox = false, demo = null }: { db: Database; devMailbox?: boolean; demo?: DemoFacts | null },
): void {
  app.get('/', OPTIONS, async (request, reply) => {
    reply.type('text/html; charset=utf-8');
    if (!devMailbox || !isFromThisMachine(request))
      return reply.header('content-security-policy', policyOf('sandbox')).send(NEUTRAL_PAGE);

    const shops = (await listCommerces(db)).filter(({ status }) => status !== 'closed');
    const shown = demo !== null && shops.some(({ id }) => id === demo.commerceId) ? demo : null;
    const member = shown && (await findMember(db, { commerceId: shown.commerceId, code: shown.clientCode }));
    const page = writeStartPage({
      serviceUrl: request.serviceUrl,
      shops,
      demo: shown && { ...shown, email: member?.email ?? null, username: member?.username ?? null },
    });
    const script = `script-src '${hashOf(SCRIPT)}'`;
    return reply
      .header('content-security-policy', policyOf(`${script}; img-src 'self'; sandbox allow-scripts`))
      .send(page);
  });
}

function policyOf(more: string): string {
  return `default-src 'none'; style-src '${hashOf(STYLE)}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; ${more}`;
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
