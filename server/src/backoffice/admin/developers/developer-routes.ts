import { Type, type Static } from 'typebox';
import { readWireIds } from '#batching/wire-ids.ts';
import { listClockMoves, requestClockMove, type ListedMove } from '#commerces/clock-moves.ts';
import { readCommerce } from '#commerces/commerce.ts';
import type { Db } from '#db/database.ts';
import { createCursors } from '#http/cursor.ts';
import { Int64, StrEnum } from '#http/schema.ts';
import { actorOf, type AdminRoutes } from '../admin-routes.ts';
import { auditActorToWire } from '../audit/audit-actor.ts';
import { readKeyId } from './key-routes.ts';
import { writeExampleCalls, type ContractDocument } from './example-calls.ts';
import { readExampleValues } from './read-example-values.ts';
import { readIgnoredFields } from './read-ignored-fields.ts';
import { readProblemCalls } from './read-problem-calls.ts';
import {
  ExampleCallsSchema,
  IgnoredFieldsSchema,
  keyId,
  ProblemCallsSchema,
  ShopClockSchema,
} from './wire.ts';
import type { SecretKeys } from '#settings/secret-key.ts';

const MOST_MOVES = 20;

const tags = ['Developers'];

/** The pages for a shop's developers: calls that failed, the calls of the contract as commands, and the sandbox's clock. */
export function developerRoutes(
  { adminRead, adminAct }: AdminRoutes,
  deps: {
    readonly secret: SecretKeys;
    /** The contract's document. */
    readonly contract: () => ContractDocument;
    /** Writes the failed calls that this process still has in memory. */
    readonly noteCalls: () => Promise<void>;
    readonly onClockMove: () => void;
  },
) {
  return {
    listProblemCalls: adminRead({
      role: 'owner',
      schema: {
        operationId: 'listProblemCalls',
        summary: 'List the calls with a key that failed',
        description:
          'Newest first, of the last seven days and at most 1,000: refusals and failures, with neither bodies nor values nor addresses. A call appears after a few seconds. In a flood some are left out, and a process that is killed forgets the last seconds.',
        tags,
        querystring: Type.Object({
          key_id: Type.Optional({ ...keyId, description: 'Only those of this key.' }),
          cursor: Type.Optional(
            Type.String({ maxLength: 512, description: 'Omit it to get the first page.' }),
          ),
        }),
        response: { 200: ProblemCallsSchema },
      },
      refusals: { 404: 'The commerce has no key with this id.' },
      read: async (db, { commerceId, query: { key_id: wireId, cursor = '' } }) => {
        await deps.noteCalls();
        const ofKey = wireId === undefined ? null : await readKeyId(db, commerceId, wireId);
        const cursors = createCursors(deps.secret, `problem-calls/${commerceId}/${ofKey}`);
        const keyIds = await readWireIds(db, commerceId, 'key');
        const opened = cursor === '' ? null : cursors.open(cursor);
        const position = opened && { ...opened, id: keyIds.fromWire(opened.id) ?? opened.id };
        const { calls, next } = await readProblemCalls(db, commerceId, ofKey, position);
        return {
          results: calls.map(({ at, method, route, status, code, requestId, keyId, keyName }) => ({
            at,
            method,
            route,
            status,
            code,
            request_id: requestId,
            key_id: keyIds.toWire(keyId),
            key_name: keyName,
          })),
          next_cursor: next && cursors.seal({ ...next, id: keyIds.toWire(next.id) }),
        };
      },
    }),

    listIgnoredFields: adminRead({
      role: 'owner',
      schema: {
        operationId: 'listIgnoredFields',
        summary: 'List the fields that calls with a key sent in vain',
        description:
          'Fields, query parameters and headers that the service does not know and ignored, with the number of calls that sent them, of the last thirty days, the newest 100. Names only: values are not kept. A call counts after a few seconds; a process that is killed forgets the last ones.',
        tags,
        querystring: Type.Object({
          key_id: Type.Optional({ ...keyId, description: 'Only those of this key.' }),
        }),
        response: { 200: IgnoredFieldsSchema },
      },
      refusals: { 404: 'The commerce has no key with this id.' },
      read: async (db, { commerceId, query: { key_id: wireId } }) => {
        await deps.noteCalls();
        const ofKey = wireId === undefined ? null : await readKeyId(db, commerceId, wireId);
        const keyIds = await readWireIds(db, commerceId, 'key');
        const ignored = await readIgnoredFields(db, commerceId, ofKey);
        return {
          results: ignored.map(({ name, method, route, calls, firstAt, lastAt, keyId, keyName }) => ({
            name,
            method,
            route,
            calls,
            first_at: firstAt,
            last_at: lastAt,
            key_id: keyIds.toWire(keyId),
            key_name: keyName,
          })),
        };
      },
    }),

    listExampleCalls: adminRead({
      role: 'owner',
      schema: {
        operationId: 'listExampleCalls',
        summary: 'List the calls of the contract as commands',
        description:
          'One command for each operation, with the ids of this commerce. Credentials are variables of the shell: `$API_KEY`, `$ACCESS_TOKEN` and `$REFRESH_TOKEN`.',
        tags,
        response: { 200: ExampleCallsSchema },
      },
      read: async (db, { commerceId, serviceUrl }) => ({
        base_url: serviceUrl,
        results: writeExampleCalls(deps.contract(), serviceUrl, await readExampleValues(db, commerceId)),
      }),
    }),

    getClock: adminRead({
      role: 'owner',
      schema: {
        operationId: 'getClock',
        summary: 'The time of the commerce, and how it was moved',
        tags,
        response: { 200: ShopClockSchema },
      },
      read: (db, { commerceId }) => readClock(db, commerceId),
    }),

    moveClock: adminAct({
      role: 'owner',
      schema: {
        operationId: 'moveClock',
        summary: 'Move the clock of a sandbox forward',
        description:
          'By its calendar. What falls due on the way happens in order, as if the time had passed. That takes a while: the answer comes before, and `GET /admin/v1/clock` shows how far it is.',
        tags,
        body: Type.Object({
          count: Int64({ minimum: 1, maximum: 10_000, examples: [3] }),
          unit: StrEnum(['hours', 'days', 'weeks', 'months', 'years'], { examples: ['months'] }),
        }),
        response: { 202: ShopClockSchema },
      },
      refusals: { 409: 'The commerce is no sandbox, or its clock is on its way.' },
      turn: { write: () => 'clock' },
      act: async (tx, request) => {
        const { commerceId, body } = request;
        const duration = Temporal.Duration.from({ [body.unit]: body.count });
        const { entry } = await requestClockMove(tx, commerceId, duration, actorOf(request, 'owner'));
        return { answer: await readClock(tx, commerceId), entry };
      },
      done: deps.onClockMove,
    }),
  };
}

async function readClock(db: Db, commerceId: number): Promise<Static<typeof ShopClockSchema>> {
  const commerce = (await readCommerce(db, commerceId))!;
  const moves = await listClockMoves(db, commerceId, MOST_MOVES);
  return {
    sandbox: commerce.sandbox,
    now: commerce.now,
    today: commerce.today,
    is_moving: moves.some(({ hasArrived }) => hasArrived === null),
    moves: moves.map(moveToWire),
  };
}

function moveToWire({ at, actor, from, to, due, failures, hasArrived }: ListedMove) {
  return {
    at,
    by: auditActorToWire(actor),
    from,
    to,
    state: hasArrived === null ? ('moving' as const) : hasArrived ? ('done' as const) : ('stopped' as const),
    due: Object.entries(due).map(([job, count]) => ({ job, count })),
    failures,
  };
}
