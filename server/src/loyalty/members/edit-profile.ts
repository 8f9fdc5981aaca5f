import type { Audited } from '#audit/audited.ts';
import type { Day } from '#calendar/calendar.ts';
import { readCommerce } from '#commerces/commerce.ts';
import { sql, type Tx } from '#db/database.ts';
import { storeHappenings } from '#happenings/store-happenings.ts';
import { InvalidRequest } from '#problems/invalid-request.ts';
import type { Member } from './member.ts';
import { isBirthDate } from './profile.ts';
import { NeverJoined } from './refusals.ts';

/** The profile fields to change at one commerce. Absent fields do not change, and null clears a field. */
export interface ProfileEdit {
  readonly username?: string | null;
  readonly phone?: string | null;
  readonly birthDate?: Day | null;
}

/** The schema cannot check this, because the last valid day depends on the commerce's clock. */
export class NotABirthDate extends InvalidRequest {
  constructor() {
    const msg = 'Value error, the birth date must be a day from 1900-01-01 to today';
    super(
      [{ loc: ['body', 'birth_date'], msg, type: 'value_error' }],
      'invalid',
      'Send "birth_date" as a day from 1900-01-01 to today, such as "1990-02-28".',
    );
  }
}

/**
 * Members change their profile at a commerce, and staff change it for them, by the same rule. Stores when a birth date was
 * entered, because a date entered on the birthday itself counts only from the next year on.
 * @param member the locked row; undefined for someone who never joined
 * @throws NotABirthDate, NeverJoined
 */
export async function editProfile(
  tx: Tx,
  commerceId: number,
  member: Member | undefined,
  edit: ProfileEdit,
): Promise<Audited<{ changed: (keyof ProfileEdit)[] }>> {
  const { today, now } = (await readCommerce(tx, commerceId))!;
  if (edit.birthDate != null && !isBirthDate(edit.birthDate, today)) throw new NotABirthDate();
  if (member === undefined) throw new NeverJoined();

  const changed = FIELDS.filter((field) => edit[field] !== undefined && edit[field] !== member[field]);
  if (changed.length === 0) return { answer: { changed }, entry: null };
  await storeProfile(tx, member, edit);
  const fields = changed.map((field) => NAMES[field]);
  await storeHappenings(tx, [
    { type: 'member.updated', commerceId, memberId: member.id, at: now, facts: { fields } },
  ]);
  return {
    answer: { changed },
    entry: {
      action: 'member.edit',
      memberId: member.id,
      personal: {
        before: Object.fromEntries(changed.map((field) => [NAMES[field], member[field]])),
        after: Object.fromEntries(changed.map((field) => [NAMES[field], edit[field]])),
      },
    },
  };
}

const NAMES = { username: 'username', phone: 'phone', birthDate: 'birth_date' } as const;
const FIELDS = ['username', 'phone', 'birthDate'] as const satisfies (keyof typeof NAMES)[];

async function storeProfile(tx: Tx, member: Member, edit: ProfileEdit): Promise<void> {
  const { username, phone, birthDate } = { ...member, ...edit };
  await sql`-- edit-profile
    with clock as materialized (
      select program_now(clock_offset) as now from commerces where id = ${member.commerceId}
    )
    update members m
       set username = ${username}, phone = ${phone},
           birth_date_set_at = case when m.birth_date is distinct from ${birthDate}::date
                                    then clock.now else m.birth_date_set_at end,
           birth_date = ${birthDate}
      from clock
     where m.commerce_id = ${member.commerceId} and m.id = ${member.id}`.execute(tx);
}
