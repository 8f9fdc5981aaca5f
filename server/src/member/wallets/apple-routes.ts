import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Database } from '#db/database.ts';
import { Text } from '#http/schema.ts';
import { route } from '#http/route.ts';
import { createBuckets } from '#http/token-bucket.ts';
import type { HolderReader } from '#points/holder-reader.ts';
import { NothingHere, Problem } from '#problems/problem.ts';
import { isAppleUsable, signApplePass, type AppleContext } from './apple-pass.ts';
import { readCardFacts } from './card-facts.ts';
import {
  findChangedPasses,
  findOwnPass,
  readPassName,
  registerDevice,
  unregisterDevice,
  writePassName,
  type OwnPass,
  type PassName,
} from './store-passes.ts';

/** 401: the token is missing or is not one of this pass. The same for a pass that does not exist. */
class WrongPassToken extends Problem {
  constructor() {
    super(
      401,
      'wrong_credential',
      'the token of the pass is missing or wrong: add the card to the wallet again',
      {
        headers: { 'www-authenticate': 'ApplePass' },
      },
    );
  }
}

const device = Type.String({ pattern: '^[\\w.-]{1,128}$' });
const passType = Text({}, 255);
const serial = Text({}, 100);
const registration = Type.Object({ device, pass_type: passType, serial });
const config = { credential: 'none', rateLimit: 'call', turn: 'none' } as const;

/**
 * The web service that iPhones call to keep a pass up to date, as Apple’s “Adding a Web Service to Update Passes” describes
 * it.
 */
export function appleRoutes({ db, holderOf, apple }: AppleRoutesOptions) {
  // Anyone can send lines for the log.
  const lines = createBuckets(1 / 10, 5);
  return {
    registerDevice: route({
      schema: {
        hide: true,
        params: registration,
        body: Type.Object({ pushToken: Type.String({ pattern: '^[A-Za-z0-9_=+/-]{1,256}$' }) }),
      },
      config,
      handler: async (request, reply) => {
        const { name, token } = await findOwn(request);
        const { device: id } = request.params;
        const isNew = await registerDevice(db, name, { id, pushToken: request.body.pushToken, token });
        return reply.code(isNew ? 201 : 200).send();
      },
    }),

    unregisterDevice: route({
      schema: { hide: true, params: registration },
      config,
      handler: async (request, reply) => {
        const { name } = await findOwn(request);
        await unregisterDevice(db, name, request.params.device);
        return reply.code(200).send();
      },
    }),

    listChangedPasses: route({
      schema: {
        hide: true,
        params: Type.Object({ device, pass_type: passType }),
        querystring: Type.Object({ passesUpdatedSince: Type.Optional(Text({}, 100)) }),
      },
      config,
      handler: async (request, reply) => {
        refuseOtherType(request.params.pass_type);
        const since = Number(request.query.passesUpdatedSince ?? '0');
        const changed = await findChangedPasses(
          db,
          request.params.device,
          new Date(since >= 0 && since < MOST_MS ? since : 0),
        );
        if (changed.length === 0) return reply.code(204).send();
        return reply.send({
          serialNumbers: changed.map(writePassName),
          lastUpdated: String(changed[0]!.changedAt.getTime()),
        });
      },
    }),

    sendPass: route({
      schema: { hide: true, params: Type.Object({ pass_type: passType, serial }) },
      config,
      handler: async (request, reply) => {
        if (!isAppleUsable(apple.apple)) throw new NothingHere();
        const { name, token, pass } = await findOwn(request);
        // HTTP dates have no milliseconds. Two changes of a pass are never in the same second.
        const changedAt = Math.floor(pass.changedAt.getTime() / 1000) * 1000;
        reply.header('last-modified', new Date(changedAt).toUTCString());
        if (Date.parse(request.headers['if-modified-since'] ?? '') >= changedAt)
          return reply.code(304).send();
        const holder = await holderOf({ commerceId: name.commerceId, id: pass.memberId });
        const [facts] = await readCardFacts(db, [holder]);
        if (!facts) throw new WrongPassToken();
        return reply
          .type('application/vnd.apple.pkpass')
          .send(await signApplePass(apple, facts, { serial: writePassName(name), token }));
      },
    }),

    logProblems: route({
      schema: {
        hide: true,
        body: Type.Object({ logs: Type.Array(Text(), { maxItems: 100 }) }),
      },
      config,
      handler: (request, reply) => {
        const { logs } = request.body;
        if (logs.length > 0 && lines.take('') === 0)
          request.log.warn(
            { first: logs[0]!.slice(0, 300), count: logs.length },
            'a phone had trouble with a pass',
          );
        return reply.code(200).send();
      },
    }),
  };

  function refuseOtherType(passTypeId: string): void {
    if (passTypeId !== apple.apple.passTypeId) throw new NothingHere();
  }

  /** Finds the pass that the request names, if its token is right. */
  async function findOwn(
    request: FastifyRequest<{ Params: { pass_type: string; serial: string } }>,
  ): Promise<{ name: PassName; token: string; pass: OwnPass }> {
    refuseOtherType(request.params.pass_type);
    const name = readPassName(request.params.serial);
    const token = readToken(request);
    if (name === null || token === null) throw new WrongPassToken();
    const pass = await findOwnPass(db, name, token);
    if (pass === null) throw new WrongPassToken();
    return { name, token, pass };
  }
}

export interface AppleRoutesOptions {
  readonly db: Database;
  readonly holderOf: HolderReader;
  readonly apple: AppleContext;
}

const MOST_MS = 8e15;
const APPLE_PASS = /^ApplePass ([\w-]{16,100})$/;

function readToken(request: FastifyRequest): string | null {
  if (request.ambiguousCredential) return null;
  return APPLE_PASS.exec(request.headers.authorization ?? '')?.[1] ?? null;
}
