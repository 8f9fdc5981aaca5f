import { commercesOf } from '#db/commerces-of.ts';
import { sql, type Tx } from '#db/database.ts';
import { nameOfVoucher, type VoucherRef } from './voucher.ts';

/** A code to be used up, with what the till says of it. */
interface ToBurn extends VoucherRef {
  readonly registerId?: number | null | undefined;
  readonly externalId?: string | undefined;
}

interface Locked extends VoucherRef {
  readonly now: Date;
}

/** What a used code has become. */
interface Burned extends VoucherRef {
  readonly memberId: number;
  readonly movementId: number;
}

/**
 * Uses up codes as the one statement of `redeem-voucher.ts` does on one server. A cluster cannot hand the rows of one part of a statement to
 * the next, so each part is a statement, sent when the one before has answered.
 */
export async function burnOnCluster(
  tx: Tx,
  wanted: readonly ToBurn[],
  locked: 'wait' | 'skip',
): Promise<Burned[]> {
  const among = commercesOf(wanted);
  const { rows: free } = await sql<Locked>`${sql.raw(`-- lock-${locked === 'skip' ? 'free-' : ''}vouchers`)}
    select v.commerce_id as "commerceId", v.code, program_now(c.clock_offset) as now
      from unnest(${wanted.map((r) => r.commerceId)}::bigint[], ${wanted.map((r) => r.code)}::bigint[]) as r(commerce_id, code)
      join commerces c on c.id = r.commerce_id
      join vouchers v on v.commerce_id = r.commerce_id and v.code = r.code
     where v.commerce_id = any(${among}::bigint[])
     order by v.commerce_id, v.code
       for no key update of v ${sql.raw(locked === 'skip' ? 'skip locked' : '')}`.execute(tx);
  if (free.length === 0) return [];
  const saidOf = new Map(wanted.map((one) => [nameOfVoucher(one), one]));
  const { rows: burned } = await sql<VoucherRef & { memberId: number; usedAt: Date }>`-- burn-vouchers
    update vouchers v
       set used_at = w.now
      from unnest(${free.map((f) => f.commerceId)}::bigint[], ${free.map((f) => f.code)}::bigint[],
                  ${free.map((f) => f.now)}::timestamptz[], ${free.map((f) => saidOf.get(nameOfVoucher(f))!.externalId ?? null)}::text[])
             as w(commerce_id, code, now, external_id)
     where v.commerce_id = any(${among}::bigint[])
       and v.commerce_id = w.commerce_id and v.code = w.code
       and v.used_at is null and v.given_back_at is null
       and (v.due_at is null or v.due_at >= w.now
            or exists (select from holds h
                        where h.commerce_id = any(${among}::bigint[]) and h.commerce_id = v.commerce_id and h.code = v.code
                          and h.external_id = w.external_id and h.expires_at > now()))
    returning v.commerce_id as "commerceId", v.code, v.member_id as "memberId", v.used_at as "usedAt"`.execute(
    tx,
  );
  if (burned.length === 0) return [];
  const commerceIds = burned.map((b) => b.commerceId);
  const codes = burned.map((b) => b.code);
  await sql`-- end-holds-of-burned
    delete from holds h
     using unnest(${commerceIds}::bigint[], ${codes}::bigint[]) as b(commerce_id, code)
     where h.commerce_id = any(${among}::bigint[]) and h.commerce_id = b.commerce_id and h.code = b.code`.execute(
    tx,
  );
  const { rows: used } = await sql<{ id: number; code: number; commerceId: number }>`-- store-uses
    insert into movements (commerce_id, member_id, type, at, points, voucher_code, register_id)
    select commerce_id, member_id, 'usage', used_at, 0, code, register_id
      from unnest(${commerceIds}::bigint[], ${burned.map((b) => b.memberId)}::bigint[], ${burned.map((b) => b.usedAt)}::timestamptz[],
                  ${codes}::bigint[], ${burned.map((b) => saidOf.get(nameOfVoucher(b))!.registerId ?? null)}::bigint[])
             as b(commerce_id, member_id, used_at, code, register_id)
    returning id, voucher_code as code, commerce_id as "commerceId"`.execute(tx);
  const idOf = new Map(used.map((one) => [nameOfVoucher(one), one.id]));
  const done = burned.map((b) => ({ ...b, movementId: idOf.get(nameOfVoucher(b))! }));
  const named = done.filter((b) => saidOf.get(nameOfVoucher(b))!.externalId !== undefined);
  if (named.length > 0)
    await sql`-- name-uses
      insert into redemptions (commerce_id, external_id, code, member_id, use_id, used_at)
      select *
        from unnest(${named.map((b) => b.commerceId)}::bigint[], ${named.map((b) => saidOf.get(nameOfVoucher(b))!.externalId!)}::text[],
                    ${named.map((b) => b.code)}::bigint[], ${named.map((b) => b.memberId)}::bigint[],
                    ${named.map((b) => b.movementId)}::bigint[], ${named.map((b) => b.usedAt)}::timestamptz[])`.execute(
      tx,
    );
  return done;
}
