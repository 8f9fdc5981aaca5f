import type { MessageKind, MessageLanguage, MessagePreview, Messages, Program } from '../admin-wire.ts';
import { fields, object, optional, text } from '../arguments.ts';
import type { CallOptions } from '../call.ts';
import type { Message } from '../wire.ts';
import type { AdminCalls } from './calls.ts';

const MAIL = { kind: text, language: optional(text), program: optional(object) };

/** Which mail to preview or to send to oneself. */
export interface MessageToPreview {
  kind: MessageKind;
  /** By default the language of the commerce's locale. */
  language?: MessageLanguage;
  /** A draft of the whole program. By default the program in force. */
  program?: Program;
}

/** The mails that members get. They are switched on and off in the program. */
export function createMessageMethods({ get, read, post }: AdminCalls) {
  return {
    /** Returns which mails members get, and what became of those of the last 30 days. */
    getMessages: (callOptions?: CallOptions) => get<Messages>('/messages', callOptions),

    /** Returns a mail as a member would get it, with example values, also by a draft of the program. */
    previewMessage: async (message: MessageToPreview, callOptions?: CallOptions) =>
      read<MessagePreview>('/messages/preview', fields(message, MAIL), callOptions),

    /** Sends such a mail to the person who is signed in, at most ten in an hour. */
    sendTestMessage: async (message: MessageToPreview, callOptions?: CallOptions) =>
      post<Message>('/messages/test', fields(message, MAIL), callOptions),
  };
}
