import { languageOf } from '#text/language.ts';
import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import { readCommerce } from '#commerces/commerce.ts';
import { transaction, type Database, type Db } from '#db/database.ts';
import { PATH_PARAMETER_CHARACTERS, Text } from '#http/schema.ts';
import type { App } from '#http/server.ts';
import { readStoppedKinds, storeStoppedKinds } from '#mail/mail-stops.ts';
import { createSettingsLinks, type MailReader } from '#mail/settings-links.ts';
import { findMember } from '#members/lock-members.ts';
import { canStop, MESSAGE_KINDS, type MessageKind } from '#program/messages.ts';
import { readForm, takeForms } from './form-body.ts';
import { writeDeadLinkPage, writeSettingsPage, type SettingsPage } from './settings-page.ts';
import type { SecretKeys } from '#settings/secret-key.ts';

const kindsToStop = MESSAGE_KINDS.filter(canStop);

/**
 * Adds `/mail/{token}`, the address in every mail that a member has not just caused. A person opens it to choose mails; a mail
 * program sends it the POST of RFC 8058, which stops them all. The token says whose mails they are, so nobody signs in. Opening
 * the page changes nothing, because mail scanners open every link.
 */
export function mailSettingsRoutes(app: App, { db, secret }: { db: Database; secret: SecretKeys }): void {
  const links = createSettingsLinks(secret);
  const schema = {
    hide: true,
    params: Type.Object({ token: Text({}, PATH_PARAMETER_CHARACTERS) }),
  } as const;
  void app.register((scope: App, _options: object, done: () => void) => {
    takeForms(scope);
    scope.get(
      '/mail/:token',
      { schema, config: { credential: 'none', rateLimit: 'call', turn: 'read' } },
      async (request, reply) => {
        const reader = links.open(request.params.token);
        return sendPage(reply, reader && (await readPage(db, reader, false)));
      },
    );
    scope.post(
      '/mail/:token',
      {
        schema,
        config: {
          credential: 'none',
          rateLimit: 'call',
          turn: { write: ({ params }) => `mails of ${(params as { token: string }).token}` },
        },
      },
      async (request, reply) => {
        const reader = links.open(request.params.token);
        if (reader === null) return sendPage(reply, null);
        const form = readForm(request.body);
        const isOneClick = form.get('List-Unsubscribe') === 'One-Click';
        const stopped =
          isOneClick || form.get('act') === 'stop' ? kindsToStop : unwanted(form.getAll('kind'));
        if (isOneClick || form.has('act'))
          await transaction(db, (tx) => storeStoppedKinds(tx, reader, stopped));
        return sendPage(reply, await readPage(db, reader, isOneClick || form.has('act')));
      },
    );
    done();
  });
}

function unwanted(wanted: readonly string[]): MessageKind[] {
  return kindsToStop.filter((kind) => !wanted.includes(kind));
}

/** Returns null if the person was erased or the shop is closed. */
async function readPage(db: Db, reader: MailReader, isSaved: boolean): Promise<SettingsPage | null> {
  const { commerceId, memberId: id } = reader;
  const member = await findMember(db, { commerceId, id });
  const commerce = await readCommerce(db, commerceId);
  if (member === undefined || member.email === null || commerce === undefined) return null;
  const stopped = await readStoppedKinds(db, reader);
  const { name, color, locale } = commerce.program;
  return {
    language: languageOf(locale),
    shop: name,
    color,
    kinds: kindsToStop.map((kind) => ({ kind, isWanted: !stopped.includes(kind) })),
    isSaved,
  };
}

function sendPage(reply: FastifyReply, page: SettingsPage | null): FastifyReply {
  const { html, policy } = page === null ? writeDeadLinkPage('en') : writeSettingsPage(page);
  if (page === null) reply.code(404).header('x-error-code', 'not_found');
  return reply.type('text/html; charset=utf-8').header('content-security-policy', policy).send(html);
}
