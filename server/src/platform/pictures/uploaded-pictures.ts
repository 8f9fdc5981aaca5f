import { LRUCache } from 'lru-cache';
import { sql, type Db, type Tx } from '#db/database.ts';
import { remembered } from '#db/memory.ts';
import { Problem } from '#problems/problem.ts';
import type { WrittenPicture } from './write-anew.ts';

/** The commerce has as many pictures as it may have, and its programs name all of them. */
export class TooManyPictures extends Problem {
  constructor() {
    super(
      409,
      'too_many_pictures',
      `the shop has ${MOST_PICTURES} pictures, and its program or the file of an earlier version names each of them`,
    );
  }
}

const MOST_PICTURES = 500;

/**
 * Stores a picture. One that is stored already stays as it is. If the commerce has too many, those that no version of
 * its program names and that are older than a day are deleted first.
 * @returns whether it is new
 * @throws TooManyPictures
 */
export async function storePicture(tx: Tx, commerceId: number, picture: WrittenPicture): Promise<boolean> {
  const { hash, width, height, large, small } = picture;
  if (await hasPicture(tx, commerceId, hash)) return false;
  if ((await countPictures(tx, commerceId)) >= MOST_PICTURES) {
    await deleteUnnamed(tx, commerceId);
    if ((await countPictures(tx, commerceId)) >= MOST_PICTURES) throw new TooManyPictures();
  }
  const { rows } = await sql`
    insert into pictures (commerce_id, hash, width, height, large, small)
    values (${commerceId}, ${hash}, ${width}, ${height}, ${large}, ${small})
        on conflict do nothing
    returning 1`.execute(tx);
  return rows.length > 0;
}

/** Returns those of the named pictures that the service does not have. */
export async function findMissingPictures<Named extends { readonly slug: string; readonly hash: string }>(
  db: Db,
  named: readonly Named[],
): Promise<Named[]> {
  if (named.length === 0) return [];
  const { rows } = await sql<{ slug: string; hash: string }>`-- find-missing-pictures
    select c.slug, p.hash
      from unnest(${named.map(({ slug }) => slug)}::text[], ${named.map(({ hash }) => hash)}::text[]) n (slug, hash)
      join commerces c on c.slug = n.slug
      join pictures p on p.commerce_id = c.id and p.hash = n.hash`.execute(db);
  const stored = new Set(rows.map(({ slug, hash }) => `${slug}/${hash}`));
  return named.filter(({ slug, hash }) => !stored.has(`${slug}/${hash}`));
}

export type PictureSize = 'large' | 'small';

/** Returns a picture of an open commerce as WebP; null if there is none. */
export async function readPicture(
  db: Db,
  slug: string,
  hash: string,
  size: PictureSize,
): Promise<Buffer | null> {
  const kept = recent(db);
  const name = `${slug}/${hash}/${size}`;
  const known = kept.get(name);
  if (known !== undefined) return known;
  const { rows: open } = await sql<{ id: number }>`-- find-commerce-of-picture
    select id from commerces where slug = ${slug} and status <> 'closed'`.execute(db);
  if (open[0] === undefined) return null;
  const { rows } = await sql<{ bytes: Buffer }>`-- read-picture
    select case when ${size} = 'small' then small else large end as bytes
      from pictures
     where commerce_id = ${open[0].id} and hash = ${hash}`.execute(db);
  const bytes = rows[0]?.bytes ?? null;
  if (bytes !== null) kept.set(name, bytes);
  return bytes;
}

/** A page of a shop is opened by many at once. A picture never changes, but a commerce may be closed. */
const recent = remembered(() => new LRUCache<string, Buffer>(RECENT));
const RECENT = { maxSize: 16_000_000, sizeCalculation: (bytes: Buffer) => bytes.length, ttl: 5_000 };

async function hasPicture(db: Db, commerceId: number, hash: string): Promise<boolean> {
  const { rows } = await sql`
    select from pictures where commerce_id = ${commerceId} and hash = ${hash}`.execute(db);
  return rows.length > 0;
}

async function countPictures(db: Db, commerceId: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from pictures where commerce_id = ${commerceId}`.execute(db);
  return rows[0]!.count;
}

/** A draft that is being written may name a picture of today. */
async function deleteUnnamed(tx: Tx, commerceId: number): Promise<void> {
  await sql`
    delete from pictures p
     where p.commerce_id = ${commerceId}
       and p.uploaded_at < now() - interval '1 day'
       and not exists (
             select from programs v
              where v.commerce_id = ${commerceId}
                and position(p.hash in v.program::text) > 0)`.execute(tx);
}
