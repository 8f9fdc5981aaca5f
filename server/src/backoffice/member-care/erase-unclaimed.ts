import { commercesWithRows } from '#db/cluster/commerces-with-rows.ts';
import { sql, transaction, type Database, type Db, type Sql } from '#db/database.ts';
import { PersonErased } from '#members/refusals.ts';
import { eraseLocked, lockForErasure } from './erase-person.ts';

/** An address whose points nobody has claimed. */
export interface Unclaimed {
  readonly memberId: number;
  readonly email: string;
}

/** Returns the commerces with addresses that nobody has claimed for so many months. */
export async function findCommercesWithUnclaimed(db: Db, months: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`-- find-commerces-with-unclaimed
    select c.id
      from ${commercesWithRows}
     where c.status <> 'closed'
       and exists (select from members m where m.commerce_id = p.commerce_id and ${isUnclaimed(months)})
     order by c.id`.execute(db);
  return rows.map(({ id }) => id);
}

/** Returns the next addresses at a commerce that nobody has claimed for so many months. */
export async function findUnclaimed(
  db: Db,
  commerceId: number,
  months: number,
  { after, limit }: { after: number; limit: number },
): Promise<Unclaimed[]> {
  const { rows } = await sql<Unclaimed>`-- find-unclaimed
    select m.id as "memberId", m.email
      from members m
     where m.commerce_id = ${commerceId} and m.id > ${after} and ${isUnclaimed(months)}
     order by m.id
     limit ${limit}`.execute(db);
  return rows;
}

/** The address was claimed, has bought something, or was erased by staff since it was found. The rows locked for it are let go. */
class NoLongerUnclaimed extends Error {}

/**
 * Erases the person behind an address that was not claimed in time, as staff would: the books keep a row without a name. Returns
 * false, and has changed nothing, if the address is no longer unclaimed.
 */
export async function eraseUnclaimed(
  database: Database,
  commerceId: number,
  months: number,
  { memberId, email }: Unclaimed,
): Promise<boolean> {
  try {
    await transaction(database, async (tx) => {
      const { person, userId } = await lockForErasure(tx, commerceId, memberId, email);
      if (!(await isStillUnclaimed(tx, commerceId, memberId, months))) throw new NoLongerUnclaimed();
      await eraseLocked(tx, person, email, userId);
    });
    return true;
  } catch (error) {
    if (error instanceof NoLongerUnclaimed || error instanceof PersonErased) return false;
    throw error;
  }
}

/** Reads it again under the lock, because what was read before it may be over. */
async function isStillUnclaimed(
  db: Db,
  commerceId: number,
  memberId: number,
  months: number,
): Promise<boolean> {
  const { rows } = await sql`-- is-still-unclaimed
    select from members m where m.commerce_id = ${commerceId} and m.id = ${memberId} and ${isUnclaimed(months)}`.execute(
    db,
  );
  return rows.length === 1;
}

/**
 * In real time, not the commerce's: a sandbox must not lose people because its clock is moved, nor an import because its purchases
 * are old. A purchase for the address starts the months anew, and an expiry that a job writes does not. Somebody whom staff have blocked stays blocked.
 */
function isUnclaimed(months: number): Sql {
  const since = sql`now() - make_interval(months => ${months}::integer)`;
  return sql`m.state = 'invited' and m.erased_at is null and m.blocked_at is null and m.created_at < ${since}
         and not exists (select from movements v
                          where v.commerce_id = m.commerce_id and v.member_id = m.id and v.type = 'purchase'
                            and v.recorded_at >= ${since})`;
}
