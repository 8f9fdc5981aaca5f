import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Caps } from '#base/caps.ts';
import { transaction, type Database, type Tx } from '#db/database.ts';
import { clientNetworkOf } from '#http/client-network.ts';
import { whyForeign } from '#http/own-origin.ts';
import { route } from '#http/route.ts';
import { Message, Text } from '#http/schema.ts';
import { readSessionCookie, setSessionCookie } from '#http/session-cookie.ts';
import { isFromThisMachine } from '#http/this-machine.ts';
import { createNetworkLimit, networkOf } from '#sign-in/limit-networks.ts';
import { deriveNetworkKeys } from '#sign-in/known-network.ts';
import { deriveCodeKeys, SET_UP } from '#sign-in/one-time-code.ts';
import { requestCode, type NewCode } from '#sign-in/request-code.ts';
import { verifyCode } from '#sign-in/verify-code.ts';
import type { StaffSessionReader } from '#staff/staff-session.ts';
import { readStaffSession, StaffSessionSchema, type SessionLinks } from '#staff/wire.ts';
import { normaliseEmail } from '#text/email-address.ts';
import { checkAnswers, guessAnswers } from './answers.ts';
import { claimSetUp, LinkTaken, mailSetUpCode } from './claim-set-up.ts';
import { openShop } from './open-shop.ts';
import { readSetUpLink } from './set-up-link.ts';
import { readSetUp, saveAnswers } from './set-up.ts';
import { SetUpAnswersBody, SetUpLinkSchema, SetUpSchema, setUpToWire, withTyped } from './wire.ts';
import type { SecretKeys } from '#settings/secret-key.ts';

export interface SetUpDeps {
  readonly db: Database;
  readonly secret: SecretKeys;
  readonly sessionOf: StaffSessionReader;
  readonly caps: Caps;
  /** Whether to limit calls and failures by client network. */
  readonly limitNetworks: boolean;
  /** Called after a mail was put into the outbox. */
  readonly onMailQueued: () => void;
  /** True if `/dev/mail` shows mails to this machine. */
  readonly devMailbox: boolean;
  /** The addresses that an answer about a session has. */
  readonly linksOf: (request: FastifyRequest) => SessionLinks;
}

/**
 * The way from a set-up link to a shop. The token of the link and a code from the mail together open a set-up, which the
 * browser then knows by a cookie. Nobody works anywhere yet, so these routes have no role.
 */
export function setUpRoutes(deps: SetUpDeps) {
  const { db, secret, sessionOf, caps, limitNetworks, onMailQueued, devMailbox, linksOf } = deps;
  const keys = { ...deriveCodeKeys(secret), networks: deriveNetworkKeys(secret) };
  const { refuseKnownFlood, countCall } = createNetworkLimit(db, caps, { limitNetworks });
  const anyone = { credential: 'none', document: 'admin' } as const;
  const tags = ['Set-up'];
  const wrongLink = { 404: 'The link is not valid any more.' };
  const noSetUp = { 401: 'The browser has no set-up.', ...wrongLink };
  const foreign = { 403: 'The call comes from a page of another origin.' };

  const guarded = {
    config: { ...anyone, rateLimit: 'none', turn: { signIn: networkOf } } as const,
    onRequest: [refuseKnownFlood, refuseForeign],
  };
  const withCookie = { ...anyone, rateLimit: 'call' } as const;
  const token = Text({ description: 'What stands behind `#` in the link.', examples: ['fG3k…'] });
  const email = Text({ description: 'The person’s e-mail address.', examples: ['marta@example.com'] });

  return {
    readSetUpLink: route({
      schema: {
        operationId: 'readSetUpLink',
        summary: 'Whether a set-up link is valid',
        tags,
        body: Type.Object({ token }),
        response: { 200: SetUpLinkSchema },
      },
      ...guarded,
      config: { ...guarded.config, refusals: { ...wrongLink, ...foreign, 429: TOO_MANY } },
      handler: async (request) => {
        await countCall(request);
        const link = await readSetUpLink(db, request.body.token);
        return {
          is_opened: link.email !== null,
          expires_at: link.expiresAt,
          mailbox_url: devMailbox && isFromThisMachine(request) ? `${request.serviceUrl}/dev/mail` : null,
        };
      },
    }),

    requestSetUpCode: route({
      schema: {
        operationId: 'requestSetUpCode',
        summary: 'Send a code to whoever sets up a shop',
        description: 'The code proves the address. The limits are those of a member’s sign-in.',
        tags,
        body: Type.Object({
          token,
          email,
          locale: Type.Optional(Text({ description: 'The language of the mail.', examples: ['es-AR'] })),
        }),
        response: { 200: Message },
      },
      ...guarded,
      config: {
        ...guarded.config,
        refusals: { ...wrongLink, ...foreign, 409: 'The link belongs to another address.', 429: TOO_MANY },
      },
      handler: async (request) => {
        const network = await countCall(request);
        const { body } = request;
        const link = await readSetUpLink(db, body.token);
        if (link.email !== null && link.email !== normaliseEmail(body.email)) throw new LinkTaken();
        const asked = { commerceId: SET_UP, email: body.email, network };
        const mail = (tx: Tx, code: NewCode) =>
          mailSetUpCode(tx, code, /^es\b/i.test(body.locale ?? '') ? 'es' : 'en');
        if (await requestCode(db, keys, asked, { caps, limitNetworks, mail })) onMailQueued();
        return { message: 'a code is on its way' };
      },
    }),

    claimSetUp: route({
      schema: {
        operationId: 'claimSetUp',
        summary: 'Prove the address, and begin or go on',
        description:
          'Sets a cookie by which the browser goes on. From then on, the link works for this address only. In another browser it opens the same set-up, and the first one has to ask again.',
        tags,
        body: Type.Object({
          token,
          email,
          otp: Text({ description: 'The six digits from the mail.', examples: ['204816'] }),
          time_zone: Type.Optional(
            Text({ description: 'Where the browser is, for the first guess.', examples: ['Europe/Lisbon'] }),
          ),
          locale: Type.Optional(Text({ description: 'The browser’s language.', examples: ['es-AR'] })),
        }),
        response: { 200: SetUpSchema },
      },
      ...guarded,
      config: {
        ...guarded.config,
        refusals: {
          400: 'The code is not valid or has expired.',
          ...wrongLink,
          ...foreign,
          409: 'The link belongs to another address.',
          429: TOO_MANY,
        },
      },
      handler: async (request, reply) => {
        const network = await countCall(request);
        const { token, email, otp: code, time_zone, locale } = request.body;
        const attempt = { commerceId: SET_UP, email, code, network };
        const claim = claimSetUp(token, guessAnswers(time_zone, locale));
        const cookie = await verifyCode(db, attempt, { keys, caps, limitNetworks }, claim);
        setSessionCookie(request, reply, cookie, 'set-up');
        return setUpToWire(db, await readSetUp(db, cookie), request.serviceUrl);
      },
    }),

    getSetUp: route({
      schema: {
        operationId: 'getSetUp',
        summary: 'What has been answered so far',
        tags,
        response: { 200: SetUpSchema },
      },
      config: { ...withCookie, turn: 'read', refusals: noSetUp },
      handler: async (request) => setUpToWire(db, await readSetUp(db, tokenOf(request)), request.serviceUrl),
    }),

    previewSetUp: route({
      schema: {
        operationId: 'previewSetUp',
        summary: 'What would follow from other answers',
        description: 'By the rules that the shop would have. Nothing is stored.',
        tags,
        body: SetUpAnswersBody,
        response: { 200: SetUpSchema },
      },
      config: { ...withCookie, turn: 'read', refusals: { ...noSetUp, ...foreign } },
      onRequest: refuseForeign,
      handler: async (request) => {
        const setUp = await readSetUp(db, tokenOf(request));
        return setUpToWire(db, withTyped(setUp, checkAnswers(request.body)), request.serviceUrl);
      },
    }),

    saveSetUp: route({
      schema: {
        operationId: 'saveSetUp',
        summary: 'Keep answers',
        description: 'Only the answers that are sent change. Null takes one back.',
        tags,
        body: SetUpAnswersBody,
        response: { 200: SetUpSchema },
      },
      config: { ...withCookie, turn: { session: networkOf }, refusals: { ...noSetUp, ...foreign } },
      onRequest: refuseForeign,
      handler: async (request) => {
        const saved = await transaction(db, (tx) => saveAnswers(tx, tokenOf(request), request.body));
        return setUpToWire(db, saved, request.serviceUrl);
      },
    }),

    openShop: route({
      schema: {
        operationId: 'openShop',
        summary: 'Open the shop',
        description:
          'Makes the commerce from the answers, and the person its owner, who is signed in by the cookie of the answer. Repeating the call within five minutes makes no second shop.',
        tags,
        body: Type.Object({}),
        response: { 201: StaffSessionSchema },
      },
      config: { ...withCookie, turn: { session: networkOf }, refusals: { ...noSetUp, ...foreign } },
      onRequest: refuseForeign,
      handler: async (request, reply) => {
        const network = clientNetworkOf(request.ip);
        const opened = await transaction(db, (tx) => openShop(tx, tokenOf(request), network));
        setSessionCookie(request, reply, opened.token);
        reply.code(201);
        const session = await sessionOf(opened.token, null);
        if (session === null) throw new Error('a session ended in the moment in which it was opened');
        return readStaffSession(db, session, linksOf(request));
      },
    }),
  };
}

const TOO_MANY = 'Too many calls from this network.';

const tokenOf = (request: FastifyRequest) => readSessionCookie(request, 'set-up');

/** A hook that runs before the body is read. */
function refuseForeign(request: FastifyRequest, _reply: unknown, done: (error?: Error) => void): void {
  done(whyForeign(request));
}
