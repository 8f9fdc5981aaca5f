import { readCommerce } from '#commerces/commerce.ts';
import type { Db } from '#db/database.ts';
import { Message } from '#http/schema.ts';
import type { WrittenMail } from '#mail/write-mail.ts';
import { previewMessage } from '#messages/preview-message.ts';
import { readMessages } from '#messages/read-messages.ts';
import { NoMailbox, sendTestMessage } from '#messages/send-test-message.ts';
import { checkMailFields, checkProgram } from '#program/check-program.ts';
import { mailLanguageOf, type MailLanguage, type MessageKind } from '#program/messages.ts';
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

/** What an owner sees of the mails to members. They are switched on and off in the program. */
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
          language: mailLanguageOf(locale),
          sender: mail.sender ?? name,
          messages: (await readMessages(db, commerce)).map(messageToWire),
        };
      },
    }),

    previewMessage: adminRead({
      role: 'owner',
      bodyBytes: PROGRAM_BYTES,
      schema: {
        operationId: 'previewMessage',
        summary: 'A mail as a member would get it',
        description: 'With example values, and with the program in force or a draft. Nothing is sent.',
        tags,
        body: messageToPreview,
        response: { 200: MessagePreviewSchema },
      },
      read: async (db, request) => previewToWire((await writePreview(db, request)).mail),
    }),

    sendTestMessage: adminAct({
      role: 'owner',
      bodyBytes: PROGRAM_BYTES,
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
      act: async (tx, request) => {
        const { commerceId, staff, staffSession } = request;
        if (staff?.by.kind !== 'staff' || staffSession === null) throw new NoMailbox();
        const { mail, ...preview } = await writePreview(tx, request);
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
    readonly language?: MailLanguage;
    readonly program?: unknown;
  };
}

/** @throws ProgramNotValid if the draft says something about mails that no program may say */
async function writePreview(
  db: Db,
  { commerceId, serviceUrl, body }: PreviewRequest,
): Promise<{ kind: MessageKind; language: MailLanguage; mail: WrittenMail }> {
  const commerce = (await readCommerce(db, commerceId))!;
  const program = body.program === undefined ? commerce.program : readDraft(commerce.program, body.program);
  const { kind, language = mailLanguageOf(program.locale) } = body;
  return { kind, language, mail: previewMessage(commerce, { kind, language, program }, serviceUrl) };
}

/** A draft may be unfinished elsewhere. The mail then has examples from the program in force. */
function readDraft(inForce: Program, said: unknown): Program {
  const checked = checkProgram(said);
  if (checked.ok) return checked.program;
  const mail = checkMailFields(said);
  if (!mail.ok) throw new ProgramNotValid(mail.problems);
  return { ...inForce, ...mail.fields };
}
