import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Caps } from '#caps.ts';
import type { Database, Tx } from '#db/database.ts';
import { clientNetworkOf } from '#http/client-network.ts';
import { route } from '#http/route.ts';
import { Message, Text } from '#http/schema.ts';
import { setSessionCookie } from '#http/session-cookie.ts';
import { createCallCounter } from '#sign-in/count-call.ts';
import { deriveNetworkKey } from '#sign-in/known-network.ts';
import { deriveCodeKeys, STAFF_SIGN_IN } from '#sign-in/one-time-code.ts';
import { requestCode, type NewCode } from '#sign-in/request-code.ts';
import { verifyCode } from '#sign-in/verify-code.ts';
import { enterAsStaff, mailStaffCode, type SignedInStaff } from './staff-sign-in.ts';
import { createStaffSessionReader } from './staff-session.ts';
import { readStaffSession, StaffSessionSchema } from './wire.ts';

export interface StaffDeps {
  readonly db: Database;
  readonly secret: string;
  readonly caps: Caps;
  /** Whether to limit calls and failures by client network. */
  readonly limitNetworks: boolean;
  /** Called after a mail was put into the outbox. */
  readonly onMailQueued: () => void;
}

/** People of the staff sign in with a code sent by mail, and stay signed in with a cookie. */
export function staffSignInRoutes({ db, secret, caps, limitNetworks, onMailQueued }: StaffDeps) {
  const keys = { ...deriveCodeKeys(secret), networks: deriveNetworkKey(secret) };
  const calls = createCallCounter(db, caps);
  const sessionOf = createStaffSessionReader(db);
  const anyone = { credential: 'none', rateLimit: 'none', document: 'admin' } as const;
  const fromNetwork = { turn: { signIn: networkOf }, steady: true } as const;
  const refusals = {
    403: 'The call does not come from a page of the console.',
    429: 'Too many calls from this network.',
  };

  /** Runs before the body is read. */
  function refuseKnownFlood(request: FastifyRequest, _reply: unknown, done: (error?: Error) => void): void {
    done(limitNetworks ? calls.refusalOf(clientNetworkOf(request.ip)) : undefined);
  }

  async function countCall(request: FastifyRequest): Promise<string> {
    const network = clientNetworkOf(request.ip);
    if (limitNetworks) await calls.count(network);
    return network;
  }

  /** Returns the session that a code has opened or renewed. */
  async function readSignedIn({ token }: SignedInStaff, serviceUrl: string) {
    const session = await sessionOf(token, null);
    if (session === null) throw new Error('a session ended in the moment in which it was opened');
    return readStaffSession(db, session, serviceUrl);
  }

  return {
    requestStaffCode: route({
      schema: {
        operationId: 'requestStaffCode',
        summary: 'Send a sign-in code by e-mail',
        description:
          'Returns 200 whether or not the address belongs to the staff of a commerce. The limits are those of a member’s sign-in.',
        tags: ['Session'],
        body: Type.Object({
          email: Text({ description: 'The person’s e-mail address.', examples: ['marta@example.com'] }),
        }),
        response: { 200: Message },
      },
      config: { ...anyone, ...fromNetwork, refusals },
      onRequest: refuseKnownFlood,
      handler: async (request) => {
        const network = await countCall(request);
        const asked = { commerceId: STAFF_SIGN_IN, email: request.body.email, network };
        const mail = async (tx: Tx, code: NewCode) => void (await mailStaffCode(tx, 'staff', code));
        if (await requestCode(db, keys, asked, { caps, limitNetworks, mail })) onMailQueued();
        return { message: 'if the address belongs to the staff, a code is on its way' };
      },
    }),

    verifyStaffCode: route({
      schema: {
        operationId: 'verifyStaffCode',
        summary: 'Sign in with the code',
        description: 'Sets the cookie of a new session.',
        tags: ['Session'],
        body: Type.Object({
          email: Text({ description: 'The person’s e-mail address.', examples: ['marta@example.com'] }),
          otp: Text({ description: 'The six digits from the mail.', examples: ['204816'] }),
        }),
        response: { 200: StaffSessionSchema },
      },
      config: {
        ...anyone,
        ...fromNetwork,
        refusals: { 400: 'The code is not valid or has expired.', ...refusals },
      },
      onRequest: refuseKnownFlood,
      handler: async (request, reply) => {
        const network = await countCall(request);
        const { email, otp: code } = request.body;
        const attempt = { commerceId: STAFF_SIGN_IN, email, code, network };
        const opened = await verifyCode(db, attempt, { keys, caps, limitNetworks }, enterAsStaff);
        setSessionCookie(request, reply, opened.token);
        return readSignedIn(opened, request.serviceUrl);
      },
    }),

    getStaffSession: route({
      schema: {
        operationId: 'getStaffSession',
        summary: 'Who is signed in, and where',
        tags: ['Session'],
        response: { 200: StaffSessionSchema },
      },
      config: { credential: 'staff', role: 'signed-in', turn: 'read', document: 'admin' },
      handler: async (request) => readStaffSession(db, request.staffSession!, request.serviceUrl),
    }),
  };
}

/** Calls of one client network go one after the other, as for members. */
function networkOf({ ip }: FastifyRequest): string {
  return `network ${clientNetworkOf(ip)}`;
}
