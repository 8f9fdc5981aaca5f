import type {
  ApiKey,
  ExampleCalls,
  IgnoredFields,
  KeyScope,
  NewApiKey,
  ProblemCalls,
  ShopClock,
  StaffRole,
} from '../admin-wire.ts';
import { digits, fields, id, number, optional, orNull, queryOf, text, texts } from '../arguments.ts';
import type { CallOptions } from '../call.ts';
import type { AdminCalls } from './calls.ts';

/** The keys of the shop's servers and scripts, and what helps to write them. */
export function createDeveloperMethods({ get, post }: AdminCalls) {
  return {
    /** Returns the API keys, newest first: all that are accepted, and the newest that have ended. */
    listKeys: (callOptions?: CallOptions) => get<ApiKey[]>('/keys', callOptions),

    /**
     * Creates a key: of the contract, with the scopes of a till and an online shop or with those that are named, or, with a role, of the
     * back office. Its text is not shown again.
     */
    createKey: async (
      key: { name: string; role?: StaffRole | null; scopes?: (KeyScope | 'default')[] | null },
      callOptions?: CallOptions,
    ) =>
      post<NewApiKey>(
        '/keys',
        fields(key, { name: text, role: orNull(text), scopes: orNull(texts) }),
        callOptions,
      ),

    /** Creates a key in the place of another one, which is accepted for some hours more: 24 by default. */
    rotateKey: async (keyId: number, rotation: { overlap_hours?: number } = {}, callOptions?: CallOptions) =>
      post<NewApiKey>(
        `/keys/${id(keyId)}/rotation`,
        fields(rotation, { overlap_hours: optional(number) }),
        callOptions,
      ),

    /** Revokes a key for good. */
    revokeKey: async (keyId: number, callOptions?: CallOptions) =>
      post<ApiKey>(`/keys/${id(keyId)}/revocation`, {}, callOptions),

    /** Returns a page of the calls that failed, of one key or of all, newest first. */
    listProblemCalls: async (
      page: { key_id?: number | null; cursor?: string | null } = {},
      callOptions?: CallOptions,
    ) =>
      get<ProblemCalls>(
        `/problem-calls${queryOf(page, { key_id: orNull(digits), cursor: orNull(text) })}`,
        callOptions,
      ),

    /** Returns what calls with a key, or with any, sent and the service does not know, with the number of calls. */
    listIgnoredFields: async (of: { key_id?: number | null } = {}, callOptions?: CallOptions) =>
      get<IgnoredFields>(`/ignored-fields${queryOf(of, { key_id: orNull(digits) })}`, callOptions),

    /** Returns each operation of the contract as a command with the ids of this commerce. */
    listExampleCalls: (callOptions?: CallOptions) => get<ExampleCalls>('/example-calls', callOptions),

    /** Returns the time of the commerce's program, and how it was moved. */
    getClock: (callOptions?: CallOptions) => get<ShopClock>('/clock', callOptions),

    /** Asks for the clock of a sandbox to be moved forward. `getClock` tells when it has arrived. */
    moveClock: async (
      move: { count: number; unit: 'hours' | 'days' | 'weeks' | 'months' | 'years' },
      callOptions?: CallOptions,
    ) => post<ShopClock>('/clock/moves', fields(move, { count: number, unit: text }), callOptions),
  };
}
