import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { keyedRequest } from '#calls/keyed-request.ts';
import { readWireIds } from '#calls/wire-ids.ts';
import { readCommerce, type Commerce } from '#commerces/commerce.ts';
import { REASON_CHARACTERS } from '#corrections/adjust-points.ts';
import type { Db } from '#db/database.ts';
import { createCursors } from '#http/cursor.ts';
import { requiredIdempotencyHeader } from '#http/idempotency-header.ts';
import { Int64, Nullable } from '#http/schema.ts';
import { RoleNeeded } from '#http/staff-credentials.ts';
import type { InvitationLimit } from '#members/invite-people.ts';
import { findMember, type MemberRef } from '#members/lock-members.ts';
import { UnknownMember } from '#members/refusals.ts';
import { InvalidRequest } from '#problems/invalid-request.ts';
import { previewPurchase } from '#purchases/preview-purchase.ts';
import { UnknownPurchase } from '#purchases/read-purchase.ts';
import { recordPurchases } from '#purchases/record-purchases.ts';
import { readRecorded } from '#purchases/recorded-purchases.ts';
import { previewReversal, reversePurchase } from '#purchases/reverse-purchase.ts';
import { ONE_LINE } from '#text/plain-text.ts';
import { redeemVoucherIn } from '#vouchers/redeem-voucher.ts';
import { describePeople } from '#search/found-person.ts';
import { readUsableVouchers } from '#vouchers/voucher.ts';
import type { AdminRoutes } from '../admin-routes.ts';
import { markReplayed, replayedHeader } from '../replayed.ts';
import { factorsToWire } from './factors-to-wire.ts';
import { findText } from './find-text.ts';
import { foundMemberToWire, tillMemberToWire, type View } from './member-to-wire.ts';
import { staffProgramToWire } from './program-to-wire.ts';
import { readTillDay, type TillLine } from './read-till-day.ts';
import { readUndoable } from './read-undoable.ts';
import { codeIn, readVoucherWire, voucherParams, voucherTurn } from './voucher-request.ts';
import { tillVoucherToWire } from './voucher-to-wire.ts';
import {
  FoundSchema,
  memberId,
  PurchasePreviewSchema,
  RecordedPurchaseSchema,
  ReversalPreviewSchema,
  ReversedSchema,
  StaffProgramSchema,
  TillDaySchema,
  TillMemberSchema,
  TillVoucherSchema,
} from './wire.ts';

const amount = Int64({
  description: 'Whole units of the commerce currency, no decimals.',
  examples: [26],
  'x-hint': 'Amounts are whole currency units: 18, not "18.00" or 18.50.',
});
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
const registerId = Type.Optional(
  Nullable(
    Int64({
      description: 'The id of the register. It is chosen once for each device.',
      examples: [3],
      'x-hint': 'Leave it out if your registers have no numbers.',
    }),
  ),
);
const params = {
  member: Type.Object({ member_id: memberId }),
  purchase: Type.Object({
    consumption_id: Int64({ description: 'The id of the purchase.', examples: [446165214474872] }),
  }),
};
const unknownMember = { 404: 'Nobody here has this id.' };
const tags = ['Till'];

/** What a till does: find a member or a code, record a purchase, redeem a code, and undo a mistake of today. */
export function tillDeskRoutes({
  admin: { adminRead, adminAct },
  secret,
  invitations,
}: {
  admin: AdminRoutes;
  secret: string;
  invitations: InvitationLimit;
}) {
  return {
    getProgram: adminRead({
      role: 'cashier',
      schema: {
        operationId: 'getProgram',
        summary: 'The program as it is now',
        description: 'As far as the till and a member’s page need it.',
        tags,
        response: { 200: StaffProgramSchema },
      },
      read: async (db, request) => staffProgramToWire(await commerceOf(db, request)),
    }),

    find: adminRead({
      role: 'cashier',
      schema: {
        operationId: 'find',
        summary: 'Find a member, a code or a purchase',
        description:
          'What a text stands for that was typed or scanned: 9 digits are a member’s card, 14 a code, other digits a movement, an @ makes an address, and letters begin the words of a name. Spaces and dashes between digits do not count. Managers also find purchases by the shop’s own id.',
        tags,
        body: Type.Object({
          text: Type.String({ minLength: 1, maxLength: 255, examples: ['482 915 374'] }),
        }),
        response: { 200: FoundSchema },
      },
      read: async (db, request) => {
        const { commerceId, body } = request;
        const [view, purchaseIds] = [await viewFor(db, request), await readWireIds(db, 'purchase')];
        const isCashier = request.staff!.role === 'cashier';
        const found = await findText(db, { commerceId, text: body.text, purchaseIds, isCashier });
        return {
          members: found.people.map((person) => foundMemberToWire(person, view)),
          voucher: found.voucher && tillVoucherToWire(found.voucher.voucher, found.voucher, view),
          movement: found.movement && {
            id: purchaseIds.toWire(found.movement.id),
            member_id: view.memberIds.toWire(found.movement.memberId),
          },
          stranger: found.stranger,
        };
      },
    }),

    getTillMember: adminRead({
      role: 'cashier',
      schema: {
        operationId: 'getTillMember',
        summary: 'A member at the till',
        tags,
        params: params.member,
        response: { 200: TillMemberSchema },
      },
      refusals: unknownMember,
      read: async (db, request) => {
        const { commerceId } = request;
        const view = await viewFor(db, request);
        const id = storedMemberOf(view, request.params.member_id);
        const member = await findMember(db, { commerceId, id });
        if (member === undefined) throw new UnknownMember();
        const [person] = await describePeople(db, [member]);
        const vouchers = await readUsableVouchers(db, commerceId, id, MOST_VOUCHERS);
        return tillMemberToWire(person!, await commerceOf(db, request), vouchers, view);
      },
    }),

    previewPurchase: adminRead({
      role: 'cashier',
      schema: {
        operationId: 'previewPurchase',
        summary: 'Preview what a purchase would earn',
        description: 'By the rule that records it. Nothing is recorded.',
        tags,
        body: Type.Object({ ...buyer, amount }),
        response: { 200: PurchasePreviewSchema },
      },
      refusals: { 400: 'The purchase could not be recorded.', ...unknownMember },
      read: async (db, request) => {
        const { amount } = request.body;
        const ref = buyerOf(await viewFor(db, request), request.commerceId, request.body);
        const { points, factors, explanation, locale } = await previewPurchase(db, ref, amount);
        return { points, factors: factorsToWire(amount, factors, locale), explanation };
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
        body: Type.Object({ ...buyer, amount, register_id: registerId, branch_id: registerId }),
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
        const { amount, register_id: registerId = null, branch_id: branchId = null } = body;
        const ref = buyerOf(await viewFor(tx, request), commerceId, body);
        const call = { commerceId, buyer: ref, amount, registerId, branchId };
        const keyed = { request: keyedRequest(request), operation: 'admin/purchase' };
        const [outcome] = await recordPurchases(tx, [{ ...call, ...keyed }], 'all', invitations);
        if (!outcome!.recorded) throw outcome!.problem;
        const { purchaseId, replayed, balance } = outcome!;
        const recorded = (await readRecorded(tx, [{ commerceId, id: purchaseId }])).get(purchaseId)!;
        const { memberId, at, pointsEarned: points, enrolledAt } = recorded;
        const consumptionId = (await readWireIds(tx, 'purchase')).toWire(purchaseId);
        const answer = {
          consumption_id: consumptionId,
          points,
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
            after: { amount, points, balance, register_id: registerId, branch_id: branchId },
          },
        };
      },
    }),

    listTillDay: adminRead({
      role: 'cashier',
      schema: {
        operationId: 'listTillDay',
        summary: 'What a register did today',
        description:
          'Newest first. Purchases, used codes and returns that people and keys of the back office recorded at this register, or at none if `register_id` is left out.',
        tags,
        querystring: Type.Object({
          register_id: Type.Optional(Int64({ description: 'The id of the register.', examples: [3] })),
          cursor: Type.Optional(
            Type.String({ maxLength: 512, description: 'Omit it to get the first page.' }),
          ),
        }),
        response: { 200: TillDaySchema },
      },
      read: async (db, request) => {
        const { commerceId, query } = request;
        const { register_id: registerId = null, cursor = '' } = query;
        const cursors = createCursors(secret, `till day/${commerceId}/${registerId}`);
        const auditIds = await readWireIds(db, 'audit');
        const purchaseIds = await readWireIds(db, 'purchase');
        const { memberIds } = await viewFor(db, request);
        const opened = cursor === '' ? null : cursors.open(cursor);
        const position = opened && { ...opened, id: auditIds.fromWire(opened.id) ?? opened.id };
        const commerce = await commerceOf(db, request);
        const { lines, totals, next } = await readTillDay(db, commerce, registerId, position);
        const isCashier = request.staff!.role === 'cashier';
        return {
          results: lines.map((line) => ({
            id: purchaseIds.toWire(line.id),
            kind: KINDS[line.type],
            at: line.at,
            member_id: memberIds.toWire(line.memberId),
            username: line.username,
            amount: line.amount,
            points: line.points,
            title: line.title,
            register_id: line.registerId,
            reversed_amount: line.reversedAmount,
            can_undo: canUndo(line, isCashier),
          })),
          next_cursor: next && cursors.seal({ ...next, id: auditIds.toWire(next.id) }),
          purchases: totals.purchases,
          amount: totals.amount,
          points: totals.points,
          used_codes: totals.usedCodes,
        };
      },
    }),

    getVoucher: adminRead({
      role: 'cashier',
      schema: {
        operationId: 'getVoucher',
        summary: 'Look up a code',
        description: 'Whatever its state. Changes nothing and can be repeated.',
        tags,
        params: voucherParams,
        response: { 200: TillVoucherSchema },
      },
      refusals: { 404: 'There is no such code here.' },
      read: (db, request) => readVoucherWire(db, request),
    }),

    redeemVoucher: adminAct({
      role: 'cashier',
      schema: {
        operationId: 'redeemVoucher',
        summary: 'Redeem a code',
        description: 'Uses up the code. It cannot be undone.',
        tags,
        params: voucherParams,
        headers: requiredIdempotencyHeader,
        body: Type.Object({ register_id: registerId }),
        response: { 200: TillVoucherSchema },
      },
      turn: { write: voucherTurn },
      refusals: {
        400: 'The code was used, given back, or is past its due date.',
        404: 'There is no such code here.',
      },
      addedHeaders: replayedHeader,
      act: async (tx, request, reply) => {
        const { commerceId } = request;
        const { register_id: registerId = null } = request.body;
        const code = codeIn(request);
        const used = await redeemVoucherIn(tx, {
          commerceId,
          code,
          registerId,
          request: keyedRequest(request),
          operation: 'admin/redemption',
        });
        const answer = await readVoucherWire(tx, request);
        if (used === null) {
          markReplayed(reply);
          return { answer, entry: null };
        }
        return {
          answer,
          entry: {
            action: 'voucher.redeem',
            ...used,
            subject: String(code),
            before: { state: 'usable' },
            after: { state: 'used', register_id: registerId },
          },
        };
      },
    }),

    previewReversal: adminRead({
      role: 'manager',
      schema: {
        operationId: 'previewReversal',
        summary: 'What a return would do',
        description: 'By the same rules as the return. Records nothing.',
        tags,
        params: params.purchase,
        body: Type.Object({ amount: reversedAmount }),
        response: { 200: ReversalPreviewSchema },
      },
      refusals: {
        400: 'The return would be refused for the same reason.',
        404: 'The purchase does not exist.',
      },
      read: async (db, { commerceId, params, body }) => {
        const purchaseId = (await readWireIds(db, 'purchase')).fromWire(params.consumption_id);
        if (purchaseId === null) throw new UnknownPurchase();
        const { lostTiers, ...preview } = await previewReversal(db, {
          commerceId,
          purchaseId,
          amount: body.amount,
        });
        return { ...preview, lost_levels: [...lostTiers] };
      },
    }),

    reversePurchase: adminAct({
      role: 'cashier',
      schema: {
        operationId: 'reversePurchase',
        summary: 'Take back a purchase or a part of it',
        description:
          'By the rules of its day. A cashier may take back a whole purchase of today that was recorded at the same register.',
        tags,
        params: params.purchase,
        headers: requiredIdempotencyHeader,
        body: Type.Object(
          {
            amount: reversedAmount,
            reason: Type.Optional(
              Type.String({
                minLength: 1,
                maxLength: REASON_CHARACTERS,
                pattern: ONE_LINE,
                description: 'One line. The member reads it.',
                examples: ['wrong size'],
              }),
            ),
            register_id: registerId,
          },
          { additionalProperties: false, 'x-hint': 'Known are amount, reason and register_id.' },
        ),
        response: { 201: ReversedSchema },
      },
      turn: { write: ({ params }) => `purchase ${(params as { consumption_id: number }).consumption_id}` },
      refusals: {
        400: 'Nothing is left of the purchase, less is left than requested, or its points were spent and the program does not allow that.',
        404: 'The purchase does not exist.',
      },
      addedHeaders: replayedHeader,
      act: async (tx, request, reply) => {
        const { commerceId, params, staff } = request;
        const { amount, reason, register_id: registerId = null } = request.body;
        const purchaseId = (await readWireIds(tx, 'purchase')).fromWire(params.consumption_id);
        if (purchaseId === null) throw new UnknownPurchase();
        const isCashier = staff!.role === 'cashier';
        if (isCashier && amount !== undefined) throw new RoleNeeded('manager');
        const { answer: reversed, entry } = await reversePurchase(tx, {
          commerceId,
          purchaseId,
          amount,
          reason,
          request: keyedRequest(request),
          operation: 'admin/reversal',
        });
        const { points, balance } = reversed;
        const answer = { message: 'consumption reversed', amount: reversed.amount, points, balance };
        if (entry === null) {
          markReplayed(reply);
          return { answer, entry };
        }
        // Not before the reversal, so that a repeat gets the first answer on the next day too.
        if (isCashier) {
          const whole = await readUndoable(tx, commerceId, purchaseId, registerId);
          if (reversed.amount !== whole) throw new RoleNeeded('manager');
        }
        return {
          answer,
          entry: {
            ...entry,
            subject: String(params.consumption_id),
            after: { ...entry.after, register_id: registerId },
          },
        };
      },
    }),
  };
}

const reversedAmount = Type.Optional(
  Int64({
    description: 'Whole currency units. By default, all that is left.',
    examples: [6],
    'x-hint': 'Leave it out to take back all that is left.',
  }),
);
const MOST_VOUCHERS = 20;
const KINDS = { purchase: 'purchase', reversal: 'return', usage: 'usage' } as const;

function canUndo({ type, amount, reversedAmount }: TillLine, isCashier: boolean): boolean {
  return type === 'purchase' && (isCashier ? reversedAmount === 0 : reversedAmount < amount!);
}

async function commerceOf(db: Db, { commerceId }: FastifyRequest): Promise<Commerce> {
  return (await readCommerce(db, commerceId))!;
}

async function viewFor(db: Db, { serviceUrl, staff }: FastifyRequest): Promise<View> {
  return {
    memberIds: await readWireIds(db, 'member'),
    serviceUrl,
    seesEmails: staff!.role !== 'cashier',
  };
}

/** @throws UnknownMember if no member can have this id */
function storedMemberOf({ memberIds }: View, memberId: number): number {
  const id = memberIds.fromWire(memberId);
  if (id === null) throw new UnknownMember();
  return id;
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
