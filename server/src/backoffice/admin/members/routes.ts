import { Type } from 'typebox';
import { readWireIds } from '#batching/wire-ids.ts';
import type { Db } from '#db/database.ts';
import { createCursors, type Position } from '#http/cursor.ts';
import { StrEnum } from '#http/schema.ts';
import { UnknownMember } from '#members/refusals.ts';
import { EXPIRY_ID } from '#history/read-history.ts';
import { readHolders } from '#points/holder-reader.ts';
import { readVouchersOf } from '#vouchers/voucher.ts';
import type { AdminRoutes } from '../admin-routes.ts';
import { TillVoucherSchema } from '../till/wire.ts';
import { tillVoucherToWire } from '../till/voucher-to-wire.ts';
import { movementToWire, typeOfKind } from './history-to-wire.ts';
import { memberParams, readPageWire, readStoredId } from './member-request.ts';
import { readMemberHistory } from './read-member-history.ts';
import { MemberHistorySchema, MemberPageSchema, MOVEMENT_KINDS } from './wire.ts';
import type { SecretKeys } from '#settings/secret-key.ts';

const tags = ['Members'];
const refusals = { 404: 'Nobody here has this id.' };

/** The reads of a manager about a member. */
export function memberRoutes({ admin: { adminRead }, secret }: { admin: AdminRoutes; secret: SecretKeys }) {
  return {
    getMember: adminRead({
      role: 'manager',
      schema: {
        operationId: 'getMember',
        summary: 'A member’s page',
        description: 'The figures are those that the member sees.',
        tags,
        params: memberParams,
        response: { 200: MemberPageSchema },
      },
      refusals,
      read: (db, request) => readPageWire(db, request),
    }),

    listMemberHistory: adminRead({
      role: 'manager',
      schema: {
        operationId: 'listMemberHistory',
        summary: 'A member’s history',
        description:
          'Newest first, each line with its arithmetic, who or what caused it, and what can be done with it. With a `kind`, a page may be shorter than the others.',
        tags,
        params: memberParams,
        querystring: Type.Object({
          kind: Type.Optional(StrEnum(MOVEMENT_KINDS, { description: 'Only lines of this kind.' })),
          cursor: Type.Optional(
            Type.String({ maxLength: 512, description: 'Omit it to get the first page.' }),
          ),
        }),
        response: { 200: MemberHistorySchema },
      },
      refusals,
      read: async (db, request) => {
        const { commerceId, query } = request;
        const { kind, cursor = '' } = query;
        const id = await readStoredId(db, request);
        const { commerce } = await readHolder(db, commerceId, id);
        const type = kind === undefined ? null : typeOfKind(kind);
        if (type === undefined) return { results: [], next_cursor: null };
        const purchaseIds = await readWireIds(db, commerceId, 'purchase');
        const cursors = createCursors(secret, `member history/${commerceId}/${id}/${kind ?? ''}`);
        const opened = cursor === '' ? null : cursors.open(cursor);
        const position = opened && withId(opened, (wireId) => purchaseIds.fromWire(wireId));
        const { lines, next } = await readMemberHistory(db, commerce, id, type, position);
        return {
          results: lines.map((line) => movementToWire(line, commerce, purchaseIds)),
          next_cursor: next && cursors.seal(withId(next, (id) => purchaseIds.toWire(id))),
        };
      },
    }),

    listMemberVouchers: adminRead({
      role: 'manager',
      turn: 'list',
      schema: {
        operationId: 'listMemberVouchers',
        summary: 'The codes of a member',
        description: 'Newest first: all that can be used, and of the used or expired ones the newest 1,000.',
        tags,
        params: memberParams,
        response: { 200: Type.Array(TillVoucherSchema) },
      },
      refusals,
      read: async (db, request) => {
        const { commerceId, serviceUrl } = request;
        const id = await readStoredId(db, request);
        const { member, commerce } = await readHolder(db, commerceId, id);
        const vouchers = await readVouchersOf(db, commerceId, id);
        const view = { memberIds: await readWireIds(db, commerceId, 'member'), serviceUrl };
        const held = { username: member.username, now: commerce.now };
        return vouchers.map((voucher) => tillVoucherToWire(voucher, held, view));
      },
    }),
  };
}

async function readHolder(db: Db, commerceId: number, id: number) {
  const [holder] = await readHolders(db, [{ commerceId, id }]);
  const { member, commerce } = holder!;
  if (member === null) throw new UnknownMember();
  return { member, commerce };
}

/** The owner of a cursor can read its content, and the ids of movements count up over all shops. */
function withId(position: Position, translate: (id: number) => number | null): Position {
  return position.id === EXPIRY_ID ? position : { ...position, id: translate(position.id) ?? position.id };
}
