import { Type } from 'typebox';
import { readWireIds } from '#calls/wire-ids.ts';
import { createCursors } from '#http/cursor.ts';
import { RoleNeeded } from '#http/staff-credentials.ts';
import { findMember } from '#members/lock-members.ts';
import { UnknownMember } from '#members/refusals.ts';
import type { AdminRoutes } from '../admin-routes.ts';
import { memberId } from '../till/wire.ts';
import { auditActorToWire } from './audit-actor.ts';
import { readAudit } from './read-audit.ts';
import { AuditPageSchema } from './wire.ts';

/** Shows what people, keys of the back office and the command line did. */
export function auditRoutes({ admin: { adminRead }, secret }: { admin: AdminRoutes; secret: string }) {
  return {
    listAudit: adminRead({
      role: 'manager',
      schema: {
        operationId: 'listAudit',
        summary: 'What people and keys of the back office did',
        description:
          'Newest first. A manager sees what was done to one member; all of it is the owner’s to see.',
        tags: ['Audit'],
        querystring: Type.Object({
          member_id: Type.Optional({ ...memberId, description: 'Only what was done to this member.' }),
          cursor: Type.Optional(
            Type.String({ maxLength: 512, description: 'Omit it to get the first page.' }),
          ),
        }),
        response: { 200: AuditPageSchema },
      },
      refusals: { 404: 'Nobody here has this id.' },
      read: async (db, request) => {
        const { commerceId, query, staff } = request;
        const { member_id: wireId, cursor = '' } = query;
        if (wireId === undefined && staff!.role !== 'owner') throw new RoleNeeded('owner');
        const [auditIds, memberIds] = [await readWireIds(db, 'audit'), await readWireIds(db, 'member')];
        const id = wireId === undefined ? null : memberIds.fromWire(wireId);
        const isKnown = id !== null && (await findMember(db, { commerceId, id })) !== undefined;
        if (wireId !== undefined && !isKnown) throw new UnknownMember();
        const cursors = createCursors(secret, `audit/${commerceId}/${id}`);
        const opened = cursor === '' ? null : cursors.open(cursor);
        const position = opened && { ...opened, id: auditIds.fromWire(opened.id) ?? opened.id };
        const { rows, next } = await readAudit(db, commerceId, id, position);
        return {
          results: rows.map((row) => ({
            id: auditIds.toWire(row.id),
            at: row.at,
            action: row.action,
            by: auditActorToWire(row.actor),
            network: row.network,
            member_id: row.memberId === null ? null : memberIds.toWire(row.memberId),
            subject: row.subject,
            before: row.before,
            after: row.after,
            reason: row.reason,
          })),
          next_cursor: next && cursors.seal({ ...next, id: auditIds.toWire(next.id) }),
        };
      },
    }),
  };
}
