import type { Static } from 'typebox';
import { sql } from '#db/database.ts';
import type { CauseSchema } from './wire.ts';

/** The actor of an audit row `a`. */
export interface AuditActor {
  readonly kind: 'staff' | 'key' | 'command_line';
  /** Of the person or the key. */
  readonly name: string | null;
  readonly email: string | null;
}

/** Selects an `AuditActor` from `audit a`, with the person `staff_people w` and the key `api_keys k`, if there is one. */
export const auditActor = sql.raw(
  `jsonb_build_object('kind', a.actor, 'name', coalesce(w.name, k.name), 'email', w.email)`,
);

export function auditActorToWire({ kind, name, email }: AuditActor): Static<typeof CauseSchema> {
  if (kind === 'staff') return { kind, name: name ?? '', email };
  return kind === 'key' ? { kind, name } : { kind };
}
