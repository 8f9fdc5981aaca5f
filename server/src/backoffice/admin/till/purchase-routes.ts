import type { FastifyRequest } from 'fastify';
import { wholeOf, type Line } from '#points/line.ts';
import { NOWHERE } from '#points/purchase-facts.ts';
import { Type } from 'typebox';
import { keyedRequest } from '#batching/keyed-request.ts';
import { readWireIds } from '#batching/wire-ids.ts';
import { requiredIdempotencyHeader } from '#http/idempotency-header.ts';
import { Int64 } from '#http/schema.ts';
import type { InvitationLimit } from '#members/invite-people.ts';
import type { MemberRef } from '#members/lock-members.ts';
import { InvalidRequest } from '#problems/invalid-request.ts';
import { Lines } from '#purchases/lines-wire.ts';
import { previewPurchase } from '#purchases/preview-purchase.ts';
import { recordPurchases } from '#purchases/record-purchases.ts';
import { readRecorded } from '#purchases/recorded-purchases.ts';
import { assertAddUp, assertNamedOnce } from '#purchases/said-lines.ts';
import type { AdminRoutes } from '../admin-routes.ts';
import { markReplayed, replayedHeader } from '../replayed.ts';
import { factorsToWire } from './factors-to-wire.ts';
import type { View } from './member-to-wire.ts';
import { registerId } from './register-id.ts';
import { storedMemberOf, viewFor } from './till-view.ts';
import { previewedStampsToWire } from '#stamps/wire.ts';
import { memberId, PurchasePreviewSchema, RecordedPurchaseSchema } from './wire.ts';

const amount = Int64({
  description: 'Whole units of the commerce currency, no decimals.',
  examples: [26],
  'x-hint': 'Amounts are whole currency units: 18, not "18.00" or 18.50.',
});
const cents = Type.Optional(
  Int64({
    minimum: 0,
    maximum: 999,
    description:
      'What was paid above `amount`, in the smallest unit of the currency. It earns nothing, and a return of a part counts it.',
    examples: [40],
  }),
);
/** More than the buttons of a till can make. */
const MOST_LINES_OF_A_TILL = 30;
const lines = Lines(MOST_LINES_OF_A_TILL);

const buyer = {
  member_id: Type.Optional(memberId),
  client_email: Type.Optional(
    Type.String({
      format: 'email',
      description: 'Instead of `member_id`: an address, also one without an account. Its points wait.',
      examples: ['eva@example.com'],
    }),
  ),
};
const unknownMember = { 404: 'Nobody here has this id.' };
const tags = ['Till'];

/** A purchase at a till: what it would earn, and recording it. */
export function tillPurchaseRoutes({ adminRead, adminAct }: AdminRoutes, invitations: InvitationLimit) {
  return {
    previewPurchase: adminRead({
      role: 'cashier',
      schema: {
        operationId: 'previewPurchase',
        summary: 'Preview what a purchase would earn',
        description: 'By the rule that records it. Nothing is recorded.',
        tags,
        body: Type.Object({ ...buyer, amount, lines, register_id: registerId, branch_id: registerId }),
        response: { 200: PurchasePreviewSchema },
      },
      refusals: { 400: 'The purchase could not be recorded.', ...unknownMember },
      read: async (db, request) => {
        const {
          amount,
          lines = null,
          register_id: atRegister = null,
          branch_id: branchId = null,
        } = request.body;
        assertLines(lines, amount);
        const ref = buyerOf(await viewFor(db, request), request.commerceId, request.body);
        const bought = { ...NOWHERE, amount, lines, registerId: atRegister, branchId };
        const { points, factors, explanation, locale, stamps } = await previewPurchase(db, ref, bought);
        return {
          points,
          factors: factorsToWire({ ...wholeOf({ amount, lines }), factors }, locale),
          explanation,
          stamps: previewedStampsToWire(stamps),
        };
      },
    }),

    recordPurchase: adminAct({
      role: 'cashier',
      schema: {
        operationId: 'recordPurchase',
        summary: 'Record a purchase',
        description:
          'Gives the member the points that the program computes. The same `Idempotency-Key` with the same body counts once and returns the first answer.',
        tags,
        headers: requiredIdempotencyHeader,
        body: Type.Object({ ...buyer, amount, cents, lines, register_id: registerId, branch_id: registerId }),
        response: { 201: RecordedPurchaseSchema },
      },
      turn: { write: buyerTurn },
      refusals: {
        400: 'The purchase could not be recorded.',
        403: 'The member has left the program or is blocked.',
        ...unknownMember,
      },
      addedHeaders: replayedHeader,
      act: async (tx, request, reply) => {
        const { commerceId, body } = request;
        const { amount, cents = 0, lines = null, register_id: registerId = null } = body;
        const { branch_id: branchId = null } = body;
        assertLines(lines, amount);
        const ref = buyerOf(await viewFor(tx, request), commerceId, body);
        const call = { commerceId, buyer: ref, ...NOWHERE, amount, cents, lines, registerId, branchId };
        const keyed = { request: keyedRequest(request), operation: 'admin/purchase' };
        const [outcome] = await recordPurchases(tx, [{ ...call, ...keyed }], 'all', invitations);
        if (!outcome!.recorded) throw outcome!.problem;
        const { purchaseId, replayed, balance } = outcome!;
        const recorded = (await readRecorded(tx, [{ commerceId, id: purchaseId }])).get(purchaseId)!;
        const { memberId, at, pointsEarned: points, pointsWaiting, enrolledAt } = recorded;
        const consumptionId = (await readWireIds(tx, commerceId, 'purchase')).toWire(purchaseId);
        const answer = {
          consumption_id: consumptionId,
          points,
          points_waiting: pointsWaiting,
          balance,
          waits: enrolledAt === null || enrolledAt > at,
          at,
        };
        if (replayed) {
          markReplayed(reply);
          return { answer, entry: null };
        }
        return {
          answer,
          entry: {
            action: 'purchase.record',
            memberId,
            movementId: purchaseId,
            subject: String(consumptionId),
            after: {
              amount,
              ...(cents > 0 && { cents }),
              points,
              balance,
              register_id: registerId,
              branch_id: branchId,
            },
          },
        };
      },
    }),
  };
}

/** @throws NamedTwice, LinesDoNotAddUp */
function assertLines(lines: readonly Line[] | null, amount: number): void {
  assertNamedOnce(lines);
  assertAddUp(lines, amount, 'amount');
}

function buyerOf(
  view: View,
  commerceId: number,
  sent: { readonly member_id?: number; readonly client_email?: string },
) {
  const { member_id: memberId, client_email: email } = sent;
  if ((memberId === undefined) === (email === undefined)) throw new NoSingleBuyer();
  const ref = email === undefined ? { id: storedMemberOf(view, memberId!) } : { email };
  return { commerceId, ...ref } satisfies MemberRef;
}

/** Purchases of one buyer go one after the other. */
function buyerTurn({ body }: Pick<FastifyRequest, 'body'>): string {
  const { member_id: id, client_email: email } = body as { member_id?: number; client_email?: string };
  return id === undefined ? `buyer ${email}` : `member ${id}`;
}

/** A purchase has one buyer. */
class NoSingleBuyer extends InvalidRequest {
  constructor() {
    const msg = 'Value error, send either member_id or client_email';
    super([{ loc: ['body', 'member_id'], msg, type: 'value_error' }], 'invalid', 'Send one of the two.');
  }
}
