import type { SetUp, SetUpAnswers, SetUpLink, StaffSession } from '../admin-wire.ts';
import { changes, fields, number, optional, orNull, text, type Kinds } from '../arguments.ts';
import type { CallOptions } from '../call.ts';
import type { Message } from '../wire.ts';
import { createAdminCalls, type AdminClientOptions } from './calls.ts';

const ANSWERS: Kinds<SetUpAnswers> = {
  step: orNull(text),
  name: orNull(text),
  slug: orNull(text),
  color: orNull(text),
  currency: orNull(text),
  time_zone: orNull(text),
  locale: orNull(text),
  money_per_point: orNull(number),
  benefit: orNull(text),
  title: orNull(text),
  cost: orNull(number),
};

const PROOF = { token: text, email: text, otp: text, time_zone: optional(text), locale: optional(text) };

export type SetUpClient = ReturnType<typeof createSetUpClient>;

/** Creates a client for the way from a set-up link to a shop. The browser knows its set-up by a cookie. */
export function createSetUpClient(options: Pick<AdminClientOptions, 'baseUrl' | 'fetch'>) {
  const { getQuietly, read, signIn, write } = createAdminCalls(options);
  return {
    /** Returns whether a set-up link is valid. `token` stands behind `#` in the link. */
    readSetUpLink: async (token: string, callOptions?: CallOptions) =>
      read<SetUpLink>('/set-up/link', fields({ token }, { token: text }), callOptions),

    /** Sends a code that proves the address of whoever sets up a shop. */
    requestSetUpCode: async (
      asked: { token: string; email: string; locale?: string },
      callOptions?: CallOptions,
    ) =>
      signIn<Message>(
        '/set-up/code',
        fields(asked, { token: text, email: text, locale: optional(text) }),
        callOptions,
      ),

    /** Proves the address with the code, and begins the set-up or goes on with it. */
    claimSetUp: async (
      proof: { token: string; email: string; otp: string; time_zone?: string; locale?: string },
      callOptions?: CallOptions,
    ) => signIn<SetUp>('/set-up/claim', fields(proof, PROOF), callOptions),

    /** Returns what has been answered so far. Rejects with status 401 if this browser has no set-up. */
    getSetUp: (callOptions?: CallOptions) => getQuietly<SetUp>('/set-up', callOptions),

    /** Returns what would follow from other answers. Stores nothing. */
    previewSetUp: async (answers: Partial<SetUpAnswers>, callOptions?: CallOptions) =>
      read<SetUp>('/set-up/preview', fields(answers, ANSWERS), callOptions),

    /** Keeps answers. Only those that are sent change. */
    saveSetUp: async (answers: Partial<SetUpAnswers>, callOptions?: CallOptions) =>
      write<SetUp>('PATCH', '/set-up', changes(answers, ANSWERS), callOptions),

    /** Makes the shop, and signs its owner in. Trying again after a lost answer makes no second shop. */
    openShop: (callOptions?: CallOptions) => read<StaffSession>('/set-up/shop', {}, callOptions),
  };
}
