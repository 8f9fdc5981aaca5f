import { readInstallationIds } from '#batching/wire-ids.ts';
import { Type } from 'typebox';
import type { Caps } from '#base/caps.ts';
import type { Database, Tx } from '#db/database.ts';
import { Int64, Message, Nullable, Text } from '#http/schema.ts';
import { route } from '#http/route.ts';
import { ACCESS_SECONDS, type AccessTokens } from './access-token.ts';
import { createNetworkLimit, networkOf } from './limit-networks.ts';
import { deriveNetworkKeys } from './known-network.ts';
import { handleOf } from './refresh-token.ts';
import { logOut } from './log-out.ts';
import { deriveCodeKeys } from './one-time-code.ts';
import { openSession, signAccess, type OpenedSession } from './open-session.ts';
import { refreshSession } from './refresh-session.ts';
import { mailCode } from './mail-code.ts';
import { requestCode, type NewCode } from './request-code.ts';
import { verifyCode, type Enter } from './verify-code.ts';
import { verifyLink } from './verify-link.ts';
import type { SecretKeys } from '#settings/secret-key.ts';

export interface SignInDeps {
  readonly db: Database;
  readonly secret: SecretKeys;
  readonly accessTokens: AccessTokens;
  readonly caps: Caps;
  /** Whether to limit calls and failures by client network. Limits by address always apply. */
  readonly limitNetworks: boolean;
  /** Called after a mail was put into the outbox. */
  readonly onMailQueued: () => void;
}

export const access = Type.String({
  description: 'The access token: the bearer token of the calls below `/v1/me`.',
  examples: ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI3In0.c2lnbmF0dXJl'],
});
const refresh = Type.String({
  description: 'Gets the next access token, once. Store the one that comes back instead.',
  examples: ['lr_Wm3nTz6qfYb1Xk8vR5cJ2g'],
});
const refreshToken = Text({
  description: 'The refresh token that you stored.',
  examples: ['lr_Wm3nTz6qfYb1Xk8vR5cJ2g'],
  'x-hint': 'It is the "refresh" of the session, which begins with "lr_".',
});
export const expiresIn = Int64({
  description: 'The seconds for which the access token is good.',
  examples: [900],
});

export const Session = Type.Object(
  {
    access,
    refresh,
    expires_in: expiresIn,
    user_id: Int64({
      description: 'The person, at all shops of this installation.',
      examples: [281474976710663],
    }),
    username: Nullable(Type.String({ examples: ['Eva'] })),
    email: Nullable(Type.String({ examples: ['eva@example.com'] })),
    phone: Nullable(Type.String({ description: 'In E.164 format.', examples: ['+351912345678'] })),
  },
  { title: 'Session' },
);

export const RefreshedSession = Type.Object(
  { access, refresh, expires_in: expiresIn },
  { title: 'RefreshedSession' },
);

/** Members sign in with a code sent by mail, and stay signed in with refresh tokens. */
export function signInRoutes(deps: SignInDeps) {
  const { db, accessTokens, caps, limitNetworks, onMailQueued } = deps;
  const keys = { ...deriveCodeKeys(deps.secret), networks: deriveNetworkKeys(deps.secret) };
  const { scope } = accessTokens;
  const { refuseKnownFlood, countCall } = createNetworkLimit(db, caps, { limitNetworks });
  const contract = { credential: 'header', rateLimit: 'none', document: 'contract' } as const;
  const fromNetwork = { turn: { signIn: networkOf }, steady: true } as const;
  const tooMany = { 429: 'Too many calls from this network.' };

  const enter: Enter<OpenedSession> = (tx, owner, network) => openSession(tx, scope, owner, network);

  /** Opens a session and returns it. The ids are read first, so that nothing can fail once the code is used up. */
  async function answerSession(open: () => Promise<OpenedSession>) {
    const ids = await readInstallationIds(db, 'user');
    const { userId, ...session } = await signAccess(accessTokens, await open());
    return { ...session, user_id: ids.toWire(userId), expires_in: ACCESS_SECONDS };
  }

  return {
    requestOneTimeCode: route({
      schema: {
        operationId: 'requestOneTimeCode',
        summary: 'Send a sign-in code by e-mail',
        description:
          'Returns 200 whether or not the address has an account. A mailbox gets at most one code in 60 seconds, 5 in an hour and 10 in a day. Past that nothing is sent, and the last code stays good for its 10 minutes.',
        tags: ['Authentication'],
        body: Type.Object({
          email: Text({ description: 'The person’s e-mail address.', examples: ['eva@example.com'] }),
        }),
        response: { 200: Message },
      },
      config: { ...contract, ...fromNetwork, unknownCommerce: 'allowed', refusals: tooMany },
      onRequest: refuseKnownFlood,
      handler: async (request) => {
        const network = await countCall(request);
        const asked = { commerceId: request.commerce?.id ?? null, email: request.body.email, network };
        const { commerceId } = asked;
        const mail = (tx: Tx, code: NewCode) => mailCode(tx, commerceId!, code);
        if (await requestCode(db, keys, asked, { caps, limitNetworks, mail })) onMailQueued();
        return { message: 'if the address is valid, a code is on its way' };
      },
    }),

    verifyOneTimeCode: route({
      schema: {
        operationId: 'verifyOneTimeCode',
        summary: 'Sign in with the code',
        description: 'Creates an account if there is none, and joins the program of the commerce.',
        tags: ['Authentication'],
        body: Type.Object({
          email: Text({ description: 'The person’s e-mail address.', examples: ['eva@example.com'] }),
          otp: Text({
            description: 'The six digits from the mail.',
            examples: ['204816'],
            'x-hint': 'It is the 6 digits of the mail, as a text: "204816".',
          }),
        }),
        response: { 200: Session },
      },
      config: {
        ...contract,
        ...fromNetwork,
        refusals: { 400: 'The code is not valid or has expired.', ...tooMany },
      },
      onRequest: refuseKnownFlood,
      handler: async (request) => {
        const network = await countCall(request);
        const { email, otp: code } = request.body;
        const attempt = { commerceId: request.commerceId, email, code, network };
        return answerSession(() => verifyCode(db, attempt, { keys, caps, limitNetworks }, enter));
      },
    }),

    verifySignInLink: route({
      schema: {
        operationId: 'verifySignInLink',
        summary: 'Sign in with the link',
        description:
          'The e-mail with the code also has a link. It works once and as long as the code, even if wrong codes were tried. Otherwise like signing in with the code.',
        tags: ['Authentication'],
        body: Type.Object({
          token: Text({
            description: 'The part of the link after `#link=`.',
            examples: ['pQ3xk1cVn0aTq7yZ2mJ8bg'],
          }),
        }),
        response: { 200: Session },
      },
      config: {
        ...contract,
        ...fromNetwork,
        document: 'extensions',
        refusals: { 400: 'The link is not valid or has expired.', ...tooMany },
      },
      onRequest: refuseKnownFlood,
      handler: async (request) => {
        const network = await countCall(request);
        const press = { commerceId: request.commerceId, token: request.body.token, network };
        return answerSession(() => verifyLink(db, press, keys, enter));
      },
    }),

    refreshSession: route({
      schema: {
        operationId: 'refreshSession',
        summary: 'Get a new access token',
        description:
          'Replaces the refresh token too. If the answer is lost, the old one can be sent again until the new one is used.',
        tags: ['Authentication'],
        body: Type.Object({ refresh: refreshToken }),
        response: { 200: RefreshedSession },
      },
      config: {
        credential: 'header',
        turn: { session: sessionOf },
        document: 'contract',
        refusals: { 401: 'The refresh token is not valid, has expired or was revoked.' },
      },
      handler: async (request) => {
        const refreshed = await refreshSession(db, accessTokens, {
          commerceId: request.commerceId,
          refresh: request.body.refresh,
        });
        return { ...refreshed, expires_in: ACCESS_SECONDS };
      },
    }),

    logOut: route({
      schema: {
        operationId: 'logOut',
        summary: 'End the session of a refresh token',
        description: 'Returns 200 for any token.',
        tags: ['Authentication'],
        body: Type.Object({ refresh: refreshToken }),
        response: { 200: Message },
      },
      config: { credential: 'header', turn: { session: sessionOf }, document: 'extensions' },
      handler: async (request) => {
        await logOut(db, accessTokens, {
          commerceId: request.commerceId,
          refresh: request.body.refresh,
        });
        return { message: 'logged out' };
      },
    }),
  };
}

/** Calls with the tokens of one session go one after the other. */
function sessionOf({ body }: { body: unknown }): string {
  return `session ${handleOf((body as { refresh: string }).refresh)}`;
}
