import { createHash } from 'node:crypto';
import { Type } from 'typebox';
import { sql, type Database, type Db } from '#db/database.ts';
import { Instant, Int64, Nullable, PATH_PARAMETER_CHARACTERS, Text } from '#http/schema.ts';
import type { App } from '#http/server.ts';
import { refuseStrangers } from '#http/this-machine.ts';
import { NothingHere } from '#problems/problem.ts';
import { PICTURE_SOURCE } from '#text/web-address.ts';
import { Html, markup } from '#text/markup.ts';
import { messageId, writeQueuedMail } from './queued-mail.ts';
import { outboxColumns, readByShop, type OutboxRow } from './take-mails.ts';
import { createSettingsLinks, type SettingsLinks } from './settings-links.ts';
import type { SecretKeys } from '#settings/secret-key.ts';

const MailSchema = Type.Object({
  id: Type.String(),
  commerce_id: Nullable(Int64()),
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
 * Adds a mailbox for developers. It shows every mail that a mail server would have got, newest first: at `/dev/mail` as a page, where each can be opened as
 * its reader sees it, and at `/dev/mail.json` for tools. It shows everyone's sign-in codes, so the configuration decides where it is added at all, and each request
 * must come from this machine.
 */
export function addDevMailbox(app: App, { db, secret }: { db: Database; secret: SecretKeys }): void {
  const settingsLinks = createSettingsLinks(secret);
  const hidden = { config: { credential: 'none', turn: 'read' }, onRequest: refuseStrangers } as const;
  app.get(
    '/dev/mail.json',
    { schema: { hide: true, response: { 200: Type.Array(MailSchema) } }, ...hidden },
    (request) => readMails(db, baseOf(request), settingsLinks),
  );
  app.get('/dev/mail', { schema: { hide: true }, ...hidden }, async (request, reply) => {
    const page = writeMailboxPage(await readMails(db, baseOf(request), settingsLinks));
    return reply
      .type('text/html; charset=utf-8')
      .header(
        'content-security-policy',
        `default-src 'none'; style-src '${STYLE_HASH}'; frame-ancestors 'none'; sandbox`,
      )
      .send(page);
  });
  app.get(
    '/dev/mail/:id',
    { schema: { hide: true, params: Type.Object({ id: Text({}, PATH_PARAMETER_CHARACTERS) }) }, ...hidden },
    async (request, reply) => {
      const mails = await readMails(db, baseOf(request), settingsLinks);
      const mail = mails.find(({ id }) => id === request.params.id);
      if (mail === undefined) throw new NothingHere();
      return reply
        .type('text/html; charset=utf-8')
        .header(
          'content-security-policy',
          `default-src 'none'; style-src 'unsafe-inline'; img-src ${PICTURE_SOURCE}; frame-ancestors 'none'; sandbox`,
        )
        .send(mail.html);
    },
  );
}

function baseOf({ protocol, host }: { protocol: string; host: string }): string {
  return `${protocol}://${host}`;
}

async function readMails(db: Db, base: string, settingsLinks: SettingsLinks) {
  const { rows } = await sql<OutboxRow & { isSent: boolean }>`
    select ${outboxColumns}, sent_at is not null as "isSent"
      from outbox
     where (kind = 'invitation' or content <> '{}') and failed_at is null
       and (sent_at is not null or coalesce(expires_at > now(), true))
     order by id desc
     limit 200`.execute(db);
  const sent = new Set(rows.filter(({ isSent }) => isSent).map(({ id }) => id));
  const mails = (await readByShop(db, rows)).filter(({ id, heldBack }) => heldBack === null || sent.has(id));
  return mails
    .toSorted((a, b) => b.id - a.id)
    .map((mail) => ({
      id: messageId(mail),
      commerce_id: mail.commerceId,
      kind: mail.kind,
      to: mail.recipient,
      code: 'code' in mail.content ? String(mail.content.code) : null,
      created_at: mail.createdAt,
      ...writeQueuedMail(mail, { base, settingsLinks }),
    }));
}

const STYLE = `
:root { color-scheme: light dark; --ground: #f5f6f8; --card: #fff; --ink: #15181d; --soft: #565e6a; --line: #e3e6ea; --brand: #0f5c6e; --on-brand: #fff; --code: #f0f3f5 }
@media (prefers-color-scheme: dark) { :root { --ground: #101417; --card: #1a2024; --ink: #eef1f3; --soft: #a9b3bc; --line: #2c353b; --brand: #7cc9d8; --on-brand: #101417; --code: #12181b } }
* { box-sizing: border-box }
body { max-width: 760px; margin: 0 auto; padding: 40px 20px; background: var(--ground); color: var(--ink); font: 450 15px/1.55 Inter, system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; overflow-wrap: anywhere }
h1 { margin: 0 0 4px; font-size: 32px; letter-spacing: -.02em; line-height: 1.15 }
h2 { margin: 0; font-size: 18px; letter-spacing: -.01em }
p { margin: 0; color: var(--soft) }
a { color: var(--brand); font-weight: 600; text-underline-offset: 3px }
:focus-visible { outline: 3px solid #f3a33b; outline-offset: 2px }
article { margin: 20px 0 0; padding: 24px; border-radius: 16px; background: var(--card); box-shadow: 0 1px 2px #0d17210d, 0 6px 20px #0d17210f }
.code { margin: 16px 0 0; color: var(--ink); font: bold 34px/1.2 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; letter-spacing: .15em; user-select: all }
.acts { display: flex; flex-wrap: wrap; align-items: center; gap: 12px 20px; margin-top: 16px }
.button { display: inline-flex; align-items: center; min-height: 44px; padding: 0 18px; border-radius: 12px; background: var(--brand); color: var(--on-brand); text-decoration: none }
pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: 16px 0 0; padding: 14px 16px; border-radius: 12px; background: var(--code); font: 13px/1.6 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace }
`;
const STYLE_HASH = `sha256-${createHash('sha256').update(STYLE).digest('base64')}`;

function writeMailboxPage(mails: Awaited<ReturnType<typeof readMails>>): string {
  const articles = mails.map(
    (mail) => markup`<article>
<h2>${mail.subject}</h2>
<p>${mail.from} to ${mail.to}, <time datetime="${mail.created_at.toISOString()}">${mail.created_at.toISOString().slice(0, 19).replace('T', ' ')} UTC</time></p>
${mail.code === null ? '' : markup`<p class="code">${mail.code}</p>`}
<p class="acts">${writeLink(mail)}<a href="mail/${mail.id}">See it as the member does</a></p>
<pre>${mail.text}</pre>
</article>
`,
  );
  const nothing = markup`<article><h2>No mail yet</h2><p>Ask for a sign-in code in a club, then reload this page to see it.</p></article>
`;
  return String(markup`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Mailbox</title><style>${new Html(STYLE)}</style></head>
<body>
<main>
<h1>Mailbox</h1>
<p>No mail server is configured, so mails are shown here instead of being sent. <a href="../">Start page</a></p>
${articles.length === 0 ? nothing : articles}</main>
</body>
</html>
`);
}

/** The link of a mail stands on a line of its own. */
function writeLink({ text, kind }: { text: string; kind: string }): Html | null {
  const link = /^https?:\/\/\S+$/m.exec(text)?.[0];
  if (link === undefined) return null;
  const label = kind === 'sign-in-code' ? 'Sign in' : 'Open its link';
  return markup`<a class="button" href="${link}">${label}</a>`;
}
