import type { MessagePreview, Messages, MessageToPreview } from '../admin-wire-messages.ts';
import type { CallOptions } from '../call.ts';
import type { Message } from '../wire.ts';
import type { AdminCalls } from './calls.ts';

/** The mails that members get. They are switched on and off in the program. */
export function createMessageMethods({ get, read, post }: AdminCalls) {
  return {
    /** Returns which mails members get, and what became of those of the last 30 days. */
    getMessages: (callOptions?: CallOptions) => get<Messages>('/messages', callOptions),

    /** Returns a mail as a member would get it, with example values, also by a draft of the program. */
    previewMessage: (message: MessageToPreview, callOptions?: CallOptions) =>
      read<MessagePreview>('/messages/preview', message, callOptions),

    /** Sends such a mail to the person who is signed in, at most ten in an hour. */
    sendTestMessage: (message: MessageToPreview, callOptions?: CallOptions) =>
      post<Message>('/messages/test', message, callOptions),
  };
}
