import { createHash } from 'node:crypto';
import { Type } from 'typebox';
import { sql, type Database, type Db } from '#db/database.ts';
import { Instant, Int64, Nullable } from '#http/schema.ts';
import type { App } from '#http/server.ts';
import { refuseStrangers } from '#http/this-machine.ts';
import { escapeHtml } from './escape-html.ts';
import {
  joinCommerceOfMail,
  messageId,
  queuedMailColumns,
  senderName,
  writeQueuedMail,
  type QueuedMail,
} from './queued-mail.ts';

const MailSchema = Type.Object({
  id: Type.String(),
  commerce_id: Int64(),
  kind: Type.String(),
  from: Type.String(),
  to: Type.String(),
  subject: Type.String(),
  /** The sign-in code; null in mails of other kinds. */
  code: Nullable(Type.String()),
  text: Type.String(),
  html: Type.String(),
  created_at: Instant(),
});

/**
 * Adds a mailbox for developers. It shows every mail, newest first: at `/dev/mail` as a page and at `/dev/mail.json`
 * for tools. It shows everyone's sign-in codes, so the configuration decides where it is added at all, and each request
 * must come from this machine.
 */
export function addDevMailbox(app: App, { db }: { db: Database }): void {
  const hidden = { config: { credential: 'none', turn: 'read' }, onRequest: refuseStrangers } as const;
  app.get(
    '/dev/mail.json',
    { schema: { hide: true, response: { 200: Type.Array(MailSchema) } }, ...hidden },
    (request) => readMails(db, baseOf(request)),
  );
  app.get('/dev/mail', { schema: { hide: true }, ...hidden }, async (request, reply) => {
    const page = writeMailboxPage(await readMails(db, baseOf(request)));
    return reply
      .type('text/html; charset=utf-8')
      .header(
        'content-security-policy',
        `default-src 'none'; style-src '${STYLE_HASH}'; frame-ancestors 'none'; sandbox`,
      )
      .send(page);
  });
}

function baseOf({ protocol, host }: { protocol: string; host: string }): string {
  return `${protocol}://${host}`;
}

async function readMails(db: Db, base: string) {
  const { rows } = await sql<QueuedMail>`
    select ${queuedMailColumns}
      from outbox o ${joinCommerceOfMail}
     where o.kind = 'invitation' or o.content <> '{}'
     order by o.id desc
     limit 200`.execute(db);
  return rows.map((mail) => ({
    id: messageId(mail),
    commerce_id: mail.commerceId,
    kind: mail.kind,
    from: senderName(mail),
    to: mail.recipient,
    code: 'code' in mail.content ? String(mail.content.code) : null,
    created_at: mail.createdAt,
    ...writeQueuedMail(mail, base),
  }));
}

const STYLE = `
:root { color-scheme: light dark }
body { max-width: 44rem; margin: 2rem auto; padding: 0 1rem; font: 16px/1.5 system-ui, sans-serif }
article { border: 1px solid #8888; border-radius: 8px; padding: 1rem; margin: 1rem 0 }
h2 { font-size: 1rem; margin: 0 0 .25rem }
p { margin: 0 }
.code { font: bold 2rem ui-monospace, monospace; letter-spacing: .15em; user-select: all }
pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: 1rem 0 0 }
`;
const STYLE_HASH = `sha256-${createHash('sha256').update(STYLE).digest('base64')}`;

function writeMailboxPage(mails: Awaited<ReturnType<typeof readMails>>): string {
  const articles = mails.map(
    (mail) => `<article>
<h2>${escapeHtml(mail.subject)}</h2>
<p>${escapeHtml(mail.from)} to ${escapeHtml(mail.to)}, <time datetime="${mail.created_at.toISOString()}">${mail.created_at.toISOString()}</time></p>
${mail.code === null ? '' : `<p class="code">${escapeHtml(mail.code)}</p>`}
<pre>${escapeHtml(mail.text)}</pre>
</article>`,
  );
  const nothing = '<p>No mail yet. Ask for a sign-in code, then reload this page to see it.</p>';
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Mailbox</title><style>${STYLE}</style></head>
<body>
<h1>Mailbox</h1>
<p>No mail server is configured, so mails are shown here instead of being sent.</p>
${articles.join('\n') || nothing}
</body>
</html>
`;
}
