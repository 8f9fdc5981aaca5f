import type { Db } from '#db/database.ts';
import type { Part } from '#exports/export-members.ts';
import type { Position } from '#http/cursor.ts';
import { readAudit, type AuditFilter } from './read-audit.ts';

const PAGE = 500;

/** The columns of the file. `before` and `after` are JSON. */
export const EXPORTED_COLUMNS = [
  'at',
  'action',
  'by',
  'name',
  'email',
  'network',
  'subject',
  'before',
  'after',
  'reason',
] as const;

/** Yields the rows of the audit that meet all conditions, newest first. Rows that are written meanwhile are not in it. */
export async function* exportAudit(
  db: Db,
  commerceId: number,
  filter: AuditFilter,
): AsyncGenerator<Part, void> {
  let position: Position | null = null;
  do {
    const { rows, next } = await readAudit(db, commerceId, filter, position, PAGE);
    position = next;
    yield {
      rows: rows.map(({ at, action, actor, network, subject, before, after, reason }) => ({
        at,
        action,
        by: actor.kind,
        name: actor.name,
        email: actor.email,
        network,
        subject,
        before: before === null ? null : JSON.stringify(before),
        after: after === null ? null : JSON.stringify(after),
        reason,
      })),
      done: next === null ? 1 : 0,
    };
  } while (position !== null);
}
