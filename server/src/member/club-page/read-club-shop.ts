import { DEFAULT_BRAND } from '#colors/brand-colors.ts';
import { sql, type Db } from '#db/database.ts';
import { readCommerce } from '#commerces/commerce.ts';

/** The facts about a shop that its club's page shows. */
export interface ClubShop {
  readonly id: number;
  readonly slug: string;
  readonly name: string;
  readonly color: string;
  /** BCP 47 */
  readonly locale: string;
  readonly timeZone: string;
}

/** Reads the shop at a club's address. Returns null if there is none or it has closed. */
export async function readClubShop(db: Db, slug: string): Promise<ClubShop | null> {
  const { rows } = await sql<{ id: number }>`-- club-of-slug
    select id from commerces where slug = ${slug} and status <> 'closed'`.execute(db);
  const commerce = rows[0] && (await readCommerce(db, rows[0].id));
  if (!commerce) return null;
  const { name, color, locale, time_zone: timeZone } = commerce.program;
  return { id: commerce.id, slug, name, color: color ?? DEFAULT_BRAND, locale, timeZone };
}
