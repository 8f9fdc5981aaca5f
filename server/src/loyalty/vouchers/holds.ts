/** The statements of holds. They are real time, which is not the commerce's where that is a sandbox. */
import { sql, type Database, type Db, type Sql, type Tx } from '#db/database.ts';
import { deleteOldRows } from '#db/delete-old-rows.ts';

/** A code that a cart holds. */
export interface Hold {
  readonly commerceId: number;
  readonly code: number;
  readonly externalId: string;
  readonly memberId: number;
  /** When this cart first held it. */
  readonly heldAt: Date;
  readonly expiresAt: Date;
}

/** Returns until when a code is held; null if it is not. */
export async function readHeldUntil(db: Db, commerceId: number, code: number): Promise<Date | null> {
  const { rows } = await sql<{ expiresAt: Date }>`-- read-held-until
    select expires_at as "expiresAt"
      from holds
     where commerce_id = ${commerceId} and code = ${code} and expires_at > now()`.execute(db);
  return rows[0]?.expiresAt ?? null;
}

/**
 * Reads the codes of a member that carts hold now, those that are held longest first. A till that used a code at the same moment may
 * have left its hold, which says nothing.
 */
export async function readHoldsOf(db: Db, commerceId: number, memberId: number): Promise<Hold[]> {
  const { rows } = await sql<Hold>`-- read-holds-of-member
    select ${holdColumns}
      from holds h
      join vouchers v on v.commerce_id = ${commerceId} and v.code = h.code and v.used_at is null and v.given_back_at is null
     where h.commerce_id = ${commerceId} and h.member_id = ${memberId} and h.expires_at > now()
     order by h.expires_at desc, h.code`.execute(db);
  return rows;
}

/** Returns true if a cart of this id holds anything now. */
export async function isCart(db: Db, commerceId: number, externalId: string): Promise<boolean> {
  const { rows } = await sql`-- is-cart
    select from holds
     where commerce_id = ${commerceId} and external_id = ${externalId} and expires_at > now()
     limit 1`.execute(db);
  return rows.length > 0;
}

/**
 * Returns which carts hold codes now that can still be used. Holds of a member are stored under their lock, so none is added
 * meanwhile.
 */
export async function readHolders(
  db: Db,
  commerceId: number,
  codes: readonly number[],
): Promise<Map<number, string>> {
  const { rows } = await sql<{ code: number; externalId: string }>`-- read-holders
    select h.code, h.external_id as "externalId"
      from holds h
      join vouchers v on v.commerce_id = ${commerceId} and v.code = h.code and v.used_at is null and v.given_back_at is null
     where h.commerce_id = ${commerceId} and h.code = any(${[...codes]}::bigint[]) and h.expires_at > now()`.execute(
    db,
  );
  return new Map(rows.map(({ code, externalId }) => [code, externalId]));
}

/** Locks a code against being used and being taken back, so that no hold is stored of one that just was. */
export async function keepUsable(tx: Tx, commerceId: number, code: number): Promise<{ realNow: Date }> {
  const { rows } = await sql<{ realNow: Date }>`-- keep-usable
    select clock_timestamp() as "realNow"
      from vouchers
     where commerce_id = ${commerceId} and code = ${code}
       for share`.execute(tx);
  return rows[0]!;
}

/** Stores a hold in the place of any other of its code, and the event of it. */
export async function storeHold(tx: Tx, hold: Hold): Promise<void> {
  const { commerceId, externalId, expiresAt } = hold;
  await sql`-- store-hold
    with held as (
      insert into holds (commerce_id, code, external_id, member_id, held_at, expires_at)
      values (${commerceId}, ${hold.code}, ${externalId}, ${hold.memberId}, ${hold.heldAt}, ${expiresAt})
          on conflict (commerce_id, code) do update
         set external_id = excluded.external_id, member_id = excluded.member_id,
             held_at = excluded.held_at, expires_at = excluded.expires_at
      returning code, member_id
    )
    insert into happenings (commerce_id, type, member_id, at, voucher_code, facts)
    select ${commerceId}::bigint, 'voucher.held', h.member_id, program_now(c.clock_offset), h.code,
           ${JSON.stringify({ external_id: externalId, held_until: expiresAt })}::jsonb
      from held h
      join commerces c on c.id = ${commerceId}`.execute(tx);
}

/**
 * An order takes over what its cart holds of these codes, until the holds end. The members of the codes must be locked. Locks the codes
 * first, in the order of their numbers, as whoever uses them does.
 */
export async function takeOverHolds(
  tx: Tx,
  { commerceId, externalId, cartId }: Pick<Hold, 'commerceId' | 'externalId'> & { readonly cartId: string },
  codes: readonly number[],
): Promise<void> {
  const { rows } = await sql<Hold>`-- read-holds-to-take-over
    select ${holdColumns}
      from holds h
      join vouchers v on v.commerce_id = ${commerceId} and v.code = h.code and v.used_at is null and v.given_back_at is null
     where h.commerce_id = ${commerceId} and h.external_id = ${cartId} and h.code = any(${[...codes]}::bigint[])
       and h.expires_at > now()
     order by h.code
       for no key update of v`.execute(tx);
  for (const hold of rows) await storeHold(tx, { ...hold, externalId });
}

/** A cart lets go of all its codes. Repeating it changes nothing. */
export async function releaseCart(tx: Tx, commerceId: number, externalId: string): Promise<void> {
  await sql`-- release-cart
    with released as (
      delete from holds
       where commerce_id = ${commerceId} and external_id = ${externalId}
      returning code, member_id, expires_at
    )
    ${tellReleased(commerceId, externalId)}`.execute(tx);
}

/** A cart lets go of one of its codes. */
export async function releaseCode(
  tx: Tx,
  { commerceId, externalId, code }: Pick<Hold, 'commerceId' | 'externalId' | 'code'>,
): Promise<void> {
  await sql`-- release-code
    with released as (
      delete from holds
       where commerce_id = ${commerceId} and external_id = ${externalId} and code = ${code}
      returning code, member_id, expires_at
    )
    ${tellReleased(commerceId, externalId)}`.execute(tx);
}

/**
 * Stores the events of what a cart let go, in the same statement. A hold that has ended by itself has no event: that of its beginning
 * says when it ends.
 */
function tellReleased(commerceId: number, externalId: string): Sql {
  return sql`insert into happenings (commerce_id, type, member_id, at, voucher_code, facts)
    select ${commerceId}::bigint, 'voucher.released', r.member_id, program_now(c.clock_offset), r.code,
           ${JSON.stringify({ external_id: externalId })}::jsonb
      from released r
      join commerces c on c.id = ${commerceId}
      join vouchers v on v.commerce_id = ${commerceId} and v.code = r.code and v.used_at is null and v.given_back_at is null
     where r.expires_at > now()
     order by r.code`;
}

/** Ends the holds of a member who is erased. */
export async function releaseMember(tx: Tx, commerceId: number, memberId: number): Promise<void> {
  await sql`-- release-member
    delete from holds
     where commerce_id = ${commerceId} and member_id = ${memberId}`.execute(tx);
}

/** Deletes what has ended more than a day ago. */
export async function deleteOldHolds(database: Database, signal?: AbortSignal): Promise<void> {
  await deleteOldRows(database, 'holds', sql`expires_at < now() - interval '1 day'`, signal);
}

/** Ends the holds of codes, whoever holds them. */
export async function releaseCodes(tx: Tx, commerceId: number, codes: readonly number[]): Promise<void> {
  await sql`-- release-codes
    delete from holds
     where commerce_id = ${commerceId} and code = any(${codes}::bigint[])`.execute(tx);
}

const holdColumns = sql.raw(`
  h.commerce_id as "commerceId", h.code, h.external_id as "externalId", h.member_id as "memberId",
  h.held_at as "heldAt", h.expires_at as "expiresAt"`);
