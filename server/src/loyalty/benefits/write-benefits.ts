import type { Program } from '#program/program.ts';
import { sql, type Db, type Tx } from '#db/database.ts';

/**
 * Writes the catalog of a program version. New and changed benefits are stored in the order of the file. Benefits
 * that are missing from the file are withdrawn, but their vouchers stay valid. Waits for exchanges that are running.
 * The stored rows equal what `catalogOf` returns.
 */
export async function writeBenefits(
  tx: Tx,
  commerceId: number,
  program: Program,
  version: number,
): Promise<void> {
  const { benefits } = program;
  await sql`
    insert into benefits as b (commerce_id, id, position, benefit_type, type, title, description, cost, value, color, image,
                               product, shop_coupon, expires_at, valid_days, buy_limit, on_sale, version)
    select ${commerceId}, f.id, f.position, f.benefit_type, f.type, f.title, f.description, f.cost, f.value, f.color, f.image,
           nullif(f.product, 'null'), nullif(f.shop_coupon, 'null'), f.expiration, f.valid_days, coalesce(f.buy_limit, 0),
           f.on_sale, ${version}
      from rows from (jsonb_to_recordset(${JSON.stringify(benefits)}::jsonb)
             as (id text, benefit_type text, type text, title text, description text, cost bigint, value double precision,
                 color text, image text, product jsonb, shop_coupon jsonb, expiration timestamptz, valid_days integer,
                 buy_limit bigint, on_sale boolean)) with ordinality
             as f(id, benefit_type, type, title, description, cost, value, color, image, product, shop_coupon, expiration,
                  valid_days, buy_limit, on_sale, position)
     order by f.id
        on conflict (commerce_id, id) do update
       set position = excluded.position, benefit_type = excluded.benefit_type, type = excluded.type, title = excluded.title,
           description = excluded.description, cost = excluded.cost, value = excluded.value, color = excluded.color,
           image = excluded.image, product = excluded.product, shop_coupon = excluded.shop_coupon,
           expires_at = excluded.expires_at, valid_days = excluded.valid_days, buy_limit = excluded.buy_limit,
           on_sale = excluded.on_sale, version = excluded.version, withdrawn_at = null`.execute(tx);
  await sql`
    update benefits
       set withdrawn_at = now(), version = ${version}
     where commerce_id = ${commerceId} and withdrawn_at is null and id <> all(${benefits.map((b) => b.id)}::text[])`.execute(
    tx,
  );
}

/** Returns the benefits of which more were sold than a new limit would allow, with the number sold. */
export async function soldBeyond(
  db: Db,
  commerceId: number,
  program: Program,
): Promise<{ id: string; sold: number }[]> {
  const limited = program.benefits.filter((benefit) => benefit.buy_limit > 0);
  const { rows } = await sql<{ id: string; sold: number }>`
    select b.id, b.sold
      from unnest(${limited.map((b) => b.id)}::text[], ${limited.map((b) => b.buy_limit)}::bigint[]) as l(id, buy_limit)
      join benefits b on b.commerce_id = ${commerceId} and b.id = l.id
     where b.sold > l.buy_limit
     order by b.id`.execute(db);
  return rows;
}
