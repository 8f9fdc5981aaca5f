import { Type } from 'typebox';
import type { Database } from '#db/database.ts';
import { clientNetworkOf } from '#http/client-network.ts';
import { Int64, Message, Nullable } from '#http/schema.ts';
import { route } from '#http/route.ts';
import { ACCESS_SECONDS, type AccessTokens } from './access-token.ts';
import { countCall } from './count-call.ts';
import { handleOf } from './refresh-token.ts';
import { logOut } from './log-out.ts';
import { deriveCodeKey } from './one-time-code.ts';
import { refreshSession } from './refresh-session.ts';
import { requestCode } from './request-code.ts';
import { answerInSteps } from './answer-in-steps.ts';
import { verifyCode } from './verify-code.ts';

export interface SignInDeps {
  readonly db: Database;
  readonly secret: string;
  readonly accessTokens: AccessTokens;
  /** Whether to limit calls by client network. Limits by address always apply. */
  readonly limitNetworks: boolean;
  /** Called after a mail was put into the outbox. */
  readonly onMailQueued: () => void;
}

const access = Type.String({ description: 'The bearer token for My account.' });
const refresh = Type.String({ description: 'Each refresh returns its replacement.' });
const expiresIn = Int64({ description: 'Seconds until the access token expires.', examples: [900] });

export const Session = Type.Object(
  {
    access,
    refresh,
    expires_in: expiresIn,
    user_id: Int64({ examples: [7] }),
    username: Nullable(Type.String({ examples: ['eva'] })),
    email: Nullable(Type.String({ examples: ['eva@example.com'] })),
    phone: Nullable(Type.String({ examples: ['+5491122334455'] })),
  },
  { title: 'Session' },
);

export const RefreshedSession = Type.Object(
  { access, refresh, expires_in: expiresIn },
  { title: 'RefreshedSession' },
);

/** Members sign in with a code sent by mail, and stay signed in with refresh tokens. */
export function signInRoutes(deps: SignInDeps) {
  const { db, accessTokens, limitNetworks, onMailQueued } = deps;
  const keys = { codes: deriveCodeKey(deps.secret), tokens: accessTokens };
  const contract = { credential: 'header', rateLimit: 'none', document: 'contract' } as const;
  const tooMany = { 429: 'Too many calls from this network.' };

  return {
    requestOneTimeCode: route({
      schema: {
        operationId: 'requestOneTimeCode',
        summary: 'Send a sign-in code by e-mail',
        description: 'Returns 200 whether or not the address has an account.',
        tags: ['Authentication'],
        body: Type.Object({ email: Type.String({ examples: ['eva@example.com'] }) }),
        response: { 200: Message },
      },
      config: { ...contract, turn: 'none', unknownCommerce: 'allowed', refusals: tooMany },
      handler: async (request) => {
        await answerInSteps(async () => {
          if (limitNetworks) await countCall(db, clientNetworkOf(request.ip));
          const commerceId = request.commerce?.id ?? null;
          if (await requestCode(db, keys.codes, { commerceId, email: request.body.email })) onMailQueued();
        });
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
          email: Type.String({ examples: ['eva@example.com'] }),
          otp: Type.String({ description: 'The 6-digit code.', examples: ['204816'] }),
        }),
        response: { 200: Session },
      },
      config: {
        ...contract,
        turn: 'none',
        refusals: { 400: 'The code is not valid or has expired.', ...tooMany },
      },
      handler: async (request) => {
        const network = clientNetworkOf(request.ip);
        if (limitNetworks) await countCall(db, network);
        const { email, otp: code } = request.body;
        const session = await verifyCode(db, keys, { commerceId: request.commerceId, email, code, network });
        const { userId, ...rest } = session;
        return { ...rest, user_id: userId, expires_in: ACCESS_SECONDS };
      },
    }),

    refreshSession: route({
      schema: {
        operationId: 'refreshSession',
        summary: 'Get a new access token',
        tags: ['Authentication'],
        body: Type.Object({ refresh: Type.String() }),
        response: { 200: RefreshedSession },
      },
      config: {
        ...contract,
        turn: { signIn: sessionOf },
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
        body: Type.Object({ refresh: Type.String() }),
        response: { 200: Message },
      },
      config: { ...contract, turn: { signIn: sessionOf }, document: 'extensions' },
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
