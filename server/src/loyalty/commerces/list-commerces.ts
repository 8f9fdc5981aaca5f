import { sql, type Db } from '#db/database.ts';
import type { Commerce } from './commerce.ts';

export interface ListedCommerce extends Pick<Commerce, 'id' | 'slug' | 'status' | 'sandbox'> {
  readonly name: string;
  /** How many people have ever joined. */
  readonly members: number;
  readonly createdAt: Date;
}

/** Returns every commerce of this installation, including closed ones, in order of creation. */
export async function listCommerces(db: Db): Promise<ListedCommerce[]> {
  const { rows } = await sql<ListedCommerce>`
    select c.id, c.slug, p.program ->> 'name' as name, c.status, c.sandbox,
           coalesce(e.total, 0) as members, c.created_at as "createdAt"
      from commerces c
      join programs p on p.commerce_id = c.id and p.version = c.program_version
      left join enrolments e on e.commerce_id = p.commerce_id
     order by c.id`.execute(db);
  return rows;
}
