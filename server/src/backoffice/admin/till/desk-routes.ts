import { Type } from 'typebox';
import { readWireIds } from '#batching/wire-ids.ts';
import { createCursors } from '#http/cursor.ts';
import { Int64 } from '#http/schema.ts';
import { findMember } from '#members/lock-members.ts';
import { UnknownMember } from '#members/refusals.ts';
import { readUnusualAmount } from '#purchases/unusual-amount.ts';
import { describePeople } from '#search/found-person.ts';
import { readShownCards } from '#stamps/shown-cards.ts';
import { readUsableVouchers } from '#vouchers/voucher.ts';
import type { AdminRoutes } from '../admin-routes.ts';
import { findText } from './find-text.ts';
import { foundMemberToWire, tillMemberToWire } from './member-to-wire.ts';
import { staffProgramToWire } from './program-to-wire.ts';
import { readTillDay, type TillLine } from './read-till-day.ts';
import { commerceOf, storedMemberOf, viewFor } from './till-view.ts';
import { tillVoucherToWire } from './voucher-to-wire.ts';
import { FoundSchema, memberId, StaffProgramSchema, TillDaySchema, TillMemberSchema } from './wire.ts';
import type { SecretKeys } from '#settings/secret-key.ts';

const tags = ['Till'];

/** The reads of a till: the program, the member or thing that a text stands for, a member, and the register's day. */
export function tillDeskRoutes({ adminRead }: AdminRoutes, secret: SecretKeys) {
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
      read: async (db, request) => {
        const commerce = await commerceOf(db, request);
        return staffProgramToWire(commerce, await readUnusualAmount(db, commerce));
      },
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
        const [view, purchaseIds] = [
          await viewFor(db, request),
          await readWireIds(db, commerceId, 'purchase'),
        ];
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
        params: Type.Object({ member_id: memberId }),
        response: { 200: TillMemberSchema },
      },
      refusals: { 404: 'Nobody here has this id.' },
      read: async (db, request) => {
        const { commerceId } = request;
        const view = await viewFor(db, request);
        const id = storedMemberOf(view, request.params.member_id);
        const member = await findMember(db, { commerceId, id });
        if (member === undefined) throw new UnknownMember();
        const [person] = await describePeople(db, [member]);
        const vouchers = await readUsableVouchers(db, commerceId, id, MOST_VOUCHERS);
        const commerce = await commerceOf(db, request);
        const cards = await readShownCards(db, commerce, member);
        return tillMemberToWire(person!, commerce, vouchers, cards, view);
      },
    }),

    listTillDay: adminRead({
      role: 'cashier',
      schema: {
        operationId: 'listTillDay',
        summary: 'What a register did today',
        description:
          'Newest first. Purchases, used codes and returns that people and keys of the back office recorded at this register, or at none if `register_id` is left out. Registers of two branches may have the same id: `branch_id` says whose.',
        tags,
        querystring: Type.Object({
          register_id: Type.Optional(Int64({ description: 'The id of the register.', examples: [3] })),
          branch_id: Type.Optional(Int64({ description: 'The id of its branch.', examples: [4] })),
          cursor: Type.Optional(
            Type.String({ maxLength: 512, description: 'Omit it to get the first page.' }),
          ),
        }),
        response: { 200: TillDaySchema },
      },
      read: async (db, request) => {
        const { commerceId, query } = request;
        const { register_id: registerId = null, branch_id: branchId = null, cursor = '' } = query;
        const inBranch = branchId === null ? '' : `/${branchId}`;
        const cursors = createCursors(secret, `till day/${commerceId}/${registerId}${inBranch}`);
        const auditIds = await readWireIds(db, commerceId, 'audit');
        const purchaseIds = await readWireIds(db, commerceId, 'purchase');
        const { memberIds } = await viewFor(db, request);
        const opened = cursor === '' ? null : cursors.open(cursor);
        const position = opened && { ...opened, id: auditIds.fromWire(opened.id) ?? opened.id };
        const commerce = await commerceOf(db, request);
        const { lines, totals, next } = await readTillDay(db, commerce, { registerId, branchId }, position);
        const isCashier = request.staff!.role === 'cashier';
        return {
          results: lines.map((line) => ({
            id: purchaseIds.toWire(line.id),
            kind: KINDS[line.type],
            at: line.at,
            member_id: memberIds.toWire(line.memberId),
            username: line.username,
            amount: line.amount,
            cents: line.cents,
            points: line.points,
            title: line.title,
            register_id: line.registerId,
            reversed_amount: line.reversedAmount,
            reversed_cents: line.reversedCents,
            can_undo: canUndo(line, isCashier),
          })),
          next_cursor: next && cursors.seal({ ...next, id: auditIds.toWire(next.id) }),
          purchases: totals.purchases,
          amount: totals.amount,
          cents: totals.cents,
          points: totals.points,
          used_codes: totals.usedCodes,
        };
      },
    }),
  };
}

const MOST_VOUCHERS = 20;
const KINDS = { purchase: 'purchase', reversal: 'return', usage: 'usage' } as const;

function canUndo({ type, amount, reversedAmount }: TillLine, isCashier: boolean): boolean {
  return type === 'purchase' && (isCashier ? reversedAmount === 0 : reversedAmount < amount!);
}
