import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Caps } from '#base/caps.ts';
import { transaction, type Database, type Tx } from '#db/database.ts';
import { route } from '#http/route.ts';
import { Message, Text } from '#http/schema.ts';
import { clearSessionCookie, readSessionCookie, setSessionCookie } from '#http/session-cookie.ts';
import { createNetworkLimit, networkOf } from '#sign-in/limit-networks.ts';
import { deriveNetworkKeys } from '#sign-in/known-network.ts';
import { deriveCodeKeys, STAFF_SIGN_IN, STAFF_STEP_UP } from '#sign-in/one-time-code.ts';
import { requestCode, type NewCode } from '#sign-in/request-code.ts';
import { verifyCode } from '#sign-in/verify-code.ts';
import { verifyLink } from '#sign-in/verify-link.ts';
import { enterAgain, enterAsStaff, mailStaffCode, type SignedInStaff } from './staff-sign-in.ts';
import { endStaffSession, endStaffSessionsOf, type StaffSessionReader } from './staff-session.ts';
import { readStaffSession, StaffSessionSchema, type SessionLinks } from './wire.ts';
import type { SecretKeys } from '#settings/secret-key.ts';

export interface StaffDeps {
  readonly db: Database;
  readonly secret: SecretKeys;
  readonly sessionOf: StaffSessionReader;
  readonly caps: Caps;
  /** Whether to limit calls and failures by client network. */
  readonly limitNetworks: boolean;
  /** Called after a mail was put into the outbox. */
  readonly onMailQueued: () => void;
  /** The addresses that an answer about a session has. */
  readonly linksOf: (request: FastifyRequest) => SessionLinks;
}

/** People of the staff sign in with a code sent by mail, and stay signed in with a cookie. */
export function staffSignInRoutes({
  db,
  secret,
  sessionOf,
  caps,
  limitNetworks,
  onMailQueued,
  linksOf,
}: StaffDeps) {
  const keys = { ...deriveCodeKeys(secret), networks: deriveNetworkKeys(secret) };
  const { refuseKnownFlood, countCall } = createNetworkLimit(db, caps, { limitNetworks });
  const anyone = { credential: 'none', rateLimit: 'none', document: 'admin' } as const;
  const signedIn = { credential: 'staff', role: 'signed-in', document: 'admin' } as const;
  const fromNetwork = { turn: { signIn: networkOf }, steady: true } as const;
  const refusals = { 429: 'Too many calls from this network.' };

  /** Returns the session that a code has opened or renewed. */
  async function readSignedIn({ token }: SignedInStaff, request: FastifyRequest) {
    const session = await sessionOf(token, null);
    if (session === null) throw new Error('a session ended in the moment in which it was opened');
    return readStaffSession(db, session, linksOf(request));
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
        return readSignedIn(opened, request);
      },
    }),

    verifyStaffLink: route({
      schema: {
        operationId: 'verifyStaffLink',
        summary: 'Sign in with the link',
        description:
          'The e-mail with the code also has a link. It works once and as long as the code, even if wrong codes were tried.',
        tags: ['Session'],
        body: Type.Object({
          token: Text({
            description: 'The part of the link after `#link=`.',
            examples: ['pQ3xk1cVn0aTq7yZ2mJ8bg'],
          }),
        }),
        response: { 200: StaffSessionSchema },
      },
      config: {
        ...anyone,
        ...fromNetwork,
        refusals: { 400: 'The link is not valid or has expired.', ...refusals },
      },
      onRequest: refuseKnownFlood,
      handler: async (request, reply) => {
        const network = await countCall(request);
        const press = { commerceId: STAFF_SIGN_IN, token: request.body.token, network };
        const opened = await verifyLink(db, press, keys, enterAsStaff);
        setSessionCookie(request, reply, opened.token);
        return readSignedIn(opened, request);
      },
    }),

    requestStepUpCode: route({
      schema: {
        operationId: 'requestStepUpCode',
        summary: 'Send a fresh code to the person who is signed in',
        description:
          'Large adjustments, erasing a person and changing the team need a code that is at most 15 minutes old. A sign-in counts as one.',
        tags: ['Session'],
        response: { 200: Message },
      },
      config: { ...signedIn, ...fromNetwork, refusals },
      onRequest: refuseKnownFlood,
      handler: async (request) => {
        const network = await countCall(request);
        const asked = { commerceId: STAFF_STEP_UP, email: request.staffSession!.email, network };
        const mail = async (tx: Tx, code: NewCode) => void (await mailStaffCode(tx, 'step-up', code));
        if (await requestCode(db, keys, asked, { caps, limitNetworks, mail })) onMailQueued();
        return { message: 'a code is on its way' };
      },
    }),

    verifyStepUpCode: route({
      schema: {
        operationId: 'verifyStepUpCode',
        summary: 'Show the fresh code',
        description: 'The session gets a new cookie, and the old one is worth nothing any more.',
        tags: ['Session'],
        body: Type.Object({
          otp: Text({ description: 'The six digits from the mail.', examples: ['204816'] }),
        }),
        response: { 200: StaffSessionSchema },
      },
      config: {
        ...signedIn,
        ...fromNetwork,
        refusals: { 400: 'The code is not valid or has expired.', ...refusals },
      },
      onRequest: refuseKnownFlood,
      handler: async (request, reply) => {
        const network = await countCall(request);
        const session = request.staffSession!;
        const attempt = {
          commerceId: STAFF_STEP_UP,
          email: session.email,
          code: request.body.otp,
          network,
        };
        const entered = await verifyCode(db, attempt, { keys, caps, limitNetworks }, enterAgain(session));
        setSessionCookie(request, reply, entered.token);
        return readSignedIn(entered, request);
      },
    }),

    logOutStaff: route({
      schema: {
        operationId: 'logOutStaff',
        summary: 'Sign out',
        description: 'Returns 200 even if nobody is signed in.',
        tags: ['Session'],
        body: Type.Object({
          everywhere: Type.Optional(
            Type.Boolean({ description: 'Whether to end all sessions of the person, on every device.' }),
          ),
        }),
        response: { 200: Message },
      },
      config: { ...anyone, rateLimit: 'call', turn: { session: networkOf } },
      handler: async (request, reply) => {
        const token = readSessionCookie(request);
        const session = token === null ? null : await sessionOf(token, null);
        if (session !== null)
          await transaction(db, (tx) =>
            request.body.everywhere === true
              ? endStaffSessionsOf(tx, session.personId)
              : endStaffSession(tx, session.sessionId),
          );
        clearSessionCookie(request, reply);
        return { message: 'signed out' };
      },
    }),

    getStaffSession: route({
      schema: {
        operationId: 'getStaffSession',
        summary: 'Who is signed in, and where',
        tags: ['Session'],
        response: { 200: StaffSessionSchema },
      },
      config: { ...signedIn, turn: 'read' },
      handler: async (request) => readStaffSession(db, request.staffSession!, linksOf(request)),
    }),
  };
}
