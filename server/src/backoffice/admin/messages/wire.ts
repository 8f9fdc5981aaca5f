import { LANGUAGES } from '#text/language.ts';
import { Type, type Static } from 'typebox';
import { Instant, Int64, Nullable, StrEnum } from '#http/schema.ts';
import type { MessageFacts } from '#messages/read-messages.ts';
import type { WrittenMail } from '#mail/write-mail.ts';
import { MESSAGE_KINDS } from '#program/messages.ts';
import type { Program } from '#program/program.ts';

export const messageKind = StrEnum(MESSAGE_KINDS, {
  description:
    '`expiring`: points are about to end. `level`: the member reached a tier. `reward`: the member bought the most in a month.',
});
const language = StrEnum(LANGUAGES);

export const MessagesSchema = Type.Object(
  {
    language,
    sender: Type.String({ description: 'The name that the mails come from.', examples: ['Café Luna'] }),
    messages: Type.Array(
      Type.Object(
        {
          kind: messageKind,
          on: Type.Boolean(),
          idle: Nullable(
            StrEnum(['no_reward', 'points_do_not_expire', 'no_levels'], {
              description: 'Why none is sent although it may be on.',
            }),
          ),
          can_stop: Type.Boolean({ description: 'True if a member may stop it.' }),
          sent: Int64({ description: 'In the last 30 days.', examples: [1204] }),
          failed: Int64({
            description:
              'In the last 30 days: the mail server refused them, or the address bounced or complained before.',
            examples: [3],
          }),
          last_sent_at: Nullable(Instant()),
        },
        { title: 'MessageState' },
      ),
    ),
  },
  { title: 'Messages' },
);

/** A mail to preview, and the draft that it is written with. */
export const messageToPreview = Type.Object({
  kind: messageKind,
  language: Type.Optional(
    StrEnum(LANGUAGES, { description: 'By default the language of the commerce’s locale.' }),
  ),
  program: Type.Optional(
    Type.Unsafe<Program>({
      type: 'object',
      additionalProperties: true,
      description: 'A draft of the whole program. By default, the program in force.',
    }),
  ),
});

export const MessagePreviewSchema = Type.Object(
  {
    from: Type.String({ examples: ['Café Luna'] }),
    subject: Type.String({ examples: ['Welcome to Café Luna'] }),
    text: Type.String(),
    html: Type.String({ description: 'A whole document without scripts. Show it in a sandboxed frame.' }),
  },
  { title: 'MessagePreview' },
);

export function messageToWire({
  kind,
  isOn,
  idle,
  canStop,
  sent,
  failed,
  lastSentAt,
}: MessageFacts): Static<typeof MessagesSchema>['messages'][number] {
  return { kind, on: isOn, idle, can_stop: canStop, sent, failed, last_sent_at: lastSentAt };
}

export function previewToWire({
  from,
  subject,
  text,
  html,
}: WrittenMail): Static<typeof MessagePreviewSchema> {
  return { from, subject, text, html };
}
