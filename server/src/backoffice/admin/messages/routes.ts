import { languageOf, type Language } from '#text/language.ts';
import type { Aside } from '#aside/aside.ts';
import { readCommerce } from '#commerces/commerce.ts';
import type { Db } from '#db/database.ts';
import { Message } from '#http/schema.ts';
import type { WrittenMail } from '#mail/write-mail.ts';
import { previewMessage } from '#messages/preview-message.ts';
import { readMessages } from '#messages/read-messages.ts';
import { NoMailbox, sendTestMessage } from '#messages/send-test-message.ts';
import { type MessageKind } from '#program/messages.ts';
import type { Program } from '#program/program.ts';
import type { AdminRoutes } from '../admin-routes.ts';
import { ProgramNotValid } from '../program/publish-draft.ts';
import { PROGRAM_BYTES } from '../program/wire.ts';
import {
  MessagePreviewSchema,
  MessagesSchema,
  messageToPreview,
  messageToWire,
  previewToWire,
} from './wire.ts';

const tags = ['Messages'];

/** An owner's view of the mails to members. They are switched on and off in the program. */
export function messageRoutes({
  admin: { adminRead, adminAct },
  onMailQueued,
}: {
  admin: AdminRoutes;
  onMailQueued: () => void;
}) {
  return {
    getMessages: adminRead({
      role: 'owner',
      schema: {
        operationId: 'getMessages',
        summary: 'Which mails members get',
        description: 'And how many were sent in the last 30 days.',
        tags,
        response: { 200: MessagesSchema },
      },
      read: async (db, { commerceId }) => {
        const commerce = (await readCommerce(db, commerceId))!;
        const { name, locale, mail } = commerce.program;
        return {
          language: languageOf(locale),
          sender: mail.sender ?? name,
          messages: (await readMessages(db, commerce)).map(messageToWire),
        };
      },
    }),

    previewMessage: adminRead({
      role: 'owner',
      large: { bytes: PROGRAM_BYTES, work: checkMails },
      schema: {
        operationId: 'previewMessage',
        summary: 'A mail as a member would get it',
        description: 'With example values, and with the program in force or a draft. Nothing is sent.',
        tags,
        body: messageToPreview,
        response: { 200: MessagePreviewSchema },
      },
      read: async (db, request, _reply, draft) =>
        previewToWire((await writePreview(db, request, draft)).mail),
    }),

    sendTestMessage: adminAct({
      role: 'owner',
      large: { bytes: PROGRAM_BYTES, work: checkMails },
      schema: {
        operationId: 'sendTestMessage',
        summary: 'Send oneself a mail as a member would get it',
        description: 'At most ten in an hour.',
        tags,
        body: messageToPreview,
        response: { 200: Message },
      },
      refusals: { 400: 'A key has no mailbox, or ten mails were sent in this hour.' },
      turn: { write: ({ staff }) => `test mails of ${JSON.stringify(staff?.by)}` },
      act: async (tx, request, _reply, draft) => {
        const { commerceId, staff, staffSession } = request;
        if (staff?.by.kind !== 'staff' || staffSession === null) throw new NoMailbox();
        const { mail, ...preview } = await writePreview(tx, request, draft);
        const tester = { commerceId, staffId: staff.by.staffId, email: staffSession.email };
        const { answer, entry } = await sendTestMessage(tx, tester, preview, mail);
        return { answer: { message: `a mail to ${answer.recipient} is on its way` }, entry };
      },
      done: onMailQueued,
    }),
  };
}

interface PreviewRequest {
  readonly commerceId: number;
  readonly serviceUrl: string;
  readonly body: {
    readonly kind: MessageKind;
    readonly language?: Language;
    readonly program?: unknown;
  };
}

/** A draft may be unfinished elsewhere. The mail then has examples from the program in force. */
type MailDraft = Partial<Program>;

/**
 * Returns what a draft says, as far as mails need it.
 * @throws ProgramNotValid if the draft says something about mails that no program may say
 */
async function checkMails(aside: Aside, { commerceId, body }: PreviewRequest): Promise<MailDraft> {
  if (body.program === undefined) return {};
  const checked = await aside.checkProgram(commerceId, body.program);
  if (checked.ok) return checked.program;
  const mail = await aside.checkMailFields(commerceId, body.program);
  if (!mail.ok) throw new ProgramNotValid(mail.problems);
  return mail.fields;
}

async function writePreview(
  db: Db,
  { commerceId, serviceUrl, body }: PreviewRequest,
  draft: MailDraft,
): Promise<{ kind: MessageKind; language: Language; mail: WrittenMail }> {
  const commerce = (await readCommerce(db, commerceId))!;
  const program: Program = { ...commerce.program, ...draft };
  const { kind, language = languageOf(program.locale) } = body;
  return { kind, language, mail: previewMessage(commerce, { kind, language, program }, serviceUrl) };
}
