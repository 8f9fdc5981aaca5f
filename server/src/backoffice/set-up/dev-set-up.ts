import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Database } from '#db/database.ts';
import { refuseStrangers } from '#http/this-machine.ts';
import type { App } from '#http/server.ts';
import { makeSetUpLink } from './set-up-link.ts';
import { setUpUrl } from './set-up-url.ts';

/** The way from the demo to a shop of one's own. */
export const DEV_SET_UP = '/dev/set-up';

/**
 * Adds an address that makes a set-up link and leads to it. It exists where the mailbox exists and only for this machine: anyone who reads
 * the mailbox can be anybody here, so there is nothing to protect from people. A page of another site that sends a browser here gets a page
 * with a button, and no link is made.
 */
export function addDevSetUp(app: App, { db }: { db: Database }): void {
  app.get(
    DEV_SET_UP,
    {
      schema: { hide: true },
      config: { credential: 'none', turn: { session: () => 'set-up link' } },
      onRequest: refuseStrangers,
    },
    async (request, reply) =>
      isAskedForHere(request)
        ? reply.redirect(setUpUrl(request.consoleUrl, await makeSetUpLink(db)), 303)
        : reply
            .type('text/html; charset=utf-8')
            .header(
              'content-security-policy',
              `default-src 'none'; style-src '${STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
            )
            .send(PAGE),
  );
}

/**
 * True if a person has typed the address or followed a link of one of our pages. The browser says so in headers that no page can
 * write. The start page and the mailbox have no origin, so from there the button takes a second press.
 */
function isAskedForHere({ raw: { headers } }: FastifyRequest): boolean {
  const { 'sec-fetch-site': site, 'sec-fetch-mode': mode } = headers;
  return (site === 'none' || site === 'same-origin') && mode === 'navigate';
}

const STYLE = `
:root { color-scheme: light dark; --ground: #f5f6f8; --card: #fff; --ink: #15181d; --soft: #565e6a; --brand: #0f5c6e; --on-brand: #fff }
@media (prefers-color-scheme: dark) { :root { --ground: #101417; --card: #1a2024; --ink: #eef1f3; --soft: #a9b3bc; --brand: #7cc9d8; --on-brand: #101417 } }
body { display: grid; place-items: center; min-height: 100vh; margin: 0; background: var(--ground); color: var(--ink); font: 450 15px/1.55 system-ui, sans-serif }
main { box-sizing: border-box; max-width: 460px; margin: 20px; padding: 32px; border-radius: 16px; background: var(--card) }
h1 { margin: 0 0 8px; font-size: 28px; line-height: 1.2 }
p { color: var(--soft) }
a { display: inline-flex; align-items: center; min-height: 46px; padding: 0 20px; border-radius: 12px; background: var(--brand); color: var(--on-brand); font-weight: 650; text-decoration: none }
:focus-visible { outline: 3px solid #f3a33b; outline-offset: 2px }
`;
const STYLE_HASH = `sha256-${createHash('sha256').update(STYLE).digest('base64')}`;

const PAGE = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Make your own shop</title><style>${STYLE}</style></head>
<body>
<main>
<h1>Make your own shop</h1>
<p>In the browser, in about three minutes: its name and color, how points are earned, a first benefit, a poster to print.</p>
<a href="set-up">Begin</a>
<p>In a terminal, <code>npx --no-install loyalty setup-link</code> prints a link, too.</p>
</main>
</body>
</html>
`;
