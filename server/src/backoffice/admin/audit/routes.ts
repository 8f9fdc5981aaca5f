import { Type, type Static } from 'typebox';
import { readWireIds } from '#batching/wire-ids.ts';
import { addDays, startOfDay } from '#calendar/calendar.ts';
import { readCommerce } from '#commerces/commerce.ts';
import type { Db } from '#db/database.ts';
import type { ExportSender } from '#exports/send-export.ts';
import { createCursors } from '#http/cursor.ts';
import { StrEnum } from '#http/schema.ts';
import { RoleNeeded } from '#http/authorize-staff.ts';
import { findMember } from '#members/lock-members.ts';
import { UnknownMember } from '#members/refusals.ts';
import type { AdminRoutes } from '../admin-routes.ts';
import { memberId } from '../till/wire.ts';
import { auditActorToWire } from './audit-actor.ts';
import { EXPORTED_COLUMNS, exportAudit } from './export-audit.ts';
import { readAudit, type AuditFilter } from './read-audit.ts';
import { readAuditActors } from './read-audit-actors.ts';
import { AuditActorsSchema, AuditPageSchema } from './wire.ts';
import type { SecretKeys } from '#settings/secret-key.ts';

const PAGE = 20;

const day = (description: string) =>
  Type.Optional(Type.String({ format: 'date', description, examples: ['2026-11-01'] }));

const conditions = {
  member_id: Type.Optional({ ...memberId, description: 'Only what was done to this member.' }),
  action: Type.Optional(
    Type.String({
      maxLength: 64,
      pattern: '^[a-z_]+\\.[a-z_]+$',
      description: 'Only this action.',
      examples: ['points.adjust'],
    }),
  ),
  by: Type.Optional(
    StrEnum(['staff', 'key', 'command_line'], {
      description: 'Only what people, keys of the back office or the command line did.',
    }),
  ),
  staff_id: Type.Optional({ ...memberId, description: 'Only what this person of the staff did.' }),
  key_id: Type.Optional({ ...memberId, description: 'Only what this key of the back office did.' }),
  from: day('The first day, in the commerce’s time zone.'),
  to: day('The last day.'),
};
const sentConditions = Type.Object(conditions);
type Conditions = Static<typeof sentConditions>;

const tags = ['Audit'];

/** Shows what people, keys of the back office and the command line did. */
export function auditRoutes({
  admin: { adminRead },
  secret,
  exportSender,
}: {
  admin: AdminRoutes;
  secret: SecretKeys;
  exportSender: ExportSender;
}) {
  return {
    listAudit: adminRead({
      role: 'manager',
      schema: {
        operationId: 'listAudit',
        summary: 'What people and keys of the back office did',
        description:
          'Newest first, what meets all conditions. A manager sees what was done to one member; all of it is the owner’s to see.',
        tags,
        querystring: Type.Object({
          ...conditions,
          cursor: Type.Optional(
            Type.String({ maxLength: 512, description: 'Omit it to get the first page.' }),
          ),
        }),
        response: { 200: AuditPageSchema },
      },
      refusals: { 404: 'Nobody here has this id.' },
      read: async (db, request) => {
        const { commerceId, query, staff } = request;
        const { cursor = '', ...sent } = query;
        if (sent.member_id === undefined && staff!.role !== 'owner') throw new RoleNeeded('owner');
        const filter = await readFilter(db, commerceId, sent);
        const [auditIds, memberIds] = [
          await readWireIds(db, commerceId, 'audit'),
          await readWireIds(db, commerceId, 'member'),
        ];
        const cursors = createCursors(secret, `audit/${commerceId}/${JSON.stringify(filter)}`);
        const opened = cursor === '' ? null : cursors.open(cursor);
        const position = opened && { ...opened, id: auditIds.fromWire(opened.id) ?? opened.id };
        const { rows, next } = await readAudit(db, commerceId, filter, position, PAGE);
        return {
          results: rows.map((row) => ({
            id: auditIds.toWire(row.id),
            at: row.at,
            action: row.action,
            by: auditActorToWire(row.actor),
            network: row.network,
            member_id: row.memberId === null ? null : memberIds.toWire(row.memberId),
            member_name: row.memberName,
            subject: row.subject,
            before: row.before,
            after: row.after,
            reason: row.reason,
          })),
          next_cursor: next && cursors.seal({ ...next, id: auditIds.toWire(next.id) }),
        };
      },
    }),

    listAuditActors: adminRead({
      role: 'owner',
      schema: {
        operationId: 'listAuditActors',
        summary: 'Who can stand behind a line of the audit',
        description: 'Everybody who works or has worked here, and the keys of the back office.',
        tags,
        response: { 200: AuditActorsSchema },
      },
      read: async (db, { commerceId }) => {
        const [staffIds, keyIds] = [
          await readWireIds(db, commerceId, 'staff'),
          await readWireIds(db, commerceId, 'key'),
        ];
        const { staff, keys } = await readAuditActors(db, commerceId);
        return {
          staff: staff.map(({ id, name, email, isRemoved }) => ({
            staff_id: staffIds.toWire(id),
            name,
            email,
            is_removed: isRemoved,
          })),
          keys: keys.map(({ id, name, prefix }) => ({ key_id: keyIds.toWire(id), name, prefix })),
        };
      },
    }),

    exportAudit: adminRead({
      role: 'owner',
      turn: 'none',
      schema: {
        operationId: 'exportAudit',
        summary: 'Export what people and keys of the back office did',
        description:
          'What meets all conditions, newest first, as CSV that is safe to open in a spreadsheet. A commerce has one export at a time.',
        tags,
        body: Type.Object(conditions, {
          additionalProperties: false,
          'x-hint': 'Known are the conditions of the list.',
        }),
        response: {
          200: {
            content: {
              'text/csv': {
                schema: {
                  type: 'string',
                  description: 'RFC 4180, UTF-8; the first line names the columns.',
                },
              },
            },
          },
        },
      },
      refusals: { 404: 'Nobody here has this id.' },
      entry: (_db, { body: { from, to, action } }) => ({
        action: 'audit.export',
        after: { ...(from && { from }), ...(to && { to }), ...(action && { action }) },
      }),
      read: async (db, { commerceId, body }, reply) =>
        exportSender.send(reply, commerceId, {
          name: 'audit',
          columns: EXPORTED_COLUMNS,
          format: 'csv',
          parts: exportAudit(db, commerceId, await readFilter(db, commerceId, body)),
          isForPeople: true,
        }),
    }),
  };
}

/** An id that was never handed out as this number finds nothing. @throws UnknownMember */
async function readFilter(db: Db, commerceId: number, sent: Conditions): Promise<AuditFilter> {
  const { member_id: memberWireId, staff_id: staffWireId, key_id: keyWireId, from, to } = sent;
  const idOf = async (kind: 'staff' | 'key', wireId: number | undefined) =>
    wireId === undefined ? null : ((await readWireIds(db, commerceId, kind)).fromWire(wireId) ?? 0);
  let ofMember: number | null = null;
  if (memberWireId !== undefined) {
    ofMember = (await readWireIds(db, commerceId, 'member')).fromWire(memberWireId);
    if (ofMember === null || (await findMember(db, { commerceId, id: ofMember })) === undefined)
      throw new UnknownMember();
  }
  const isInTime = from !== undefined || to !== undefined;
  const zone = isInTime ? (await readCommerce(db, commerceId))!.rules.timeZone : '';
  return {
    memberId: ofMember,
    action: sent.action ?? null,
    by: sent.by ?? null,
    staffId: await idOf('staff', staffWireId),
    keyId: await idOf('key', keyWireId),
    from: from === undefined ? null : startOfDay(from, zone),
    before: to === undefined ? null : startOfDay(addDays(to, 1), zone),
  };
}
