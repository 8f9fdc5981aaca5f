import { sql, type Db } from '#db/database.ts';
import { InvalidRequest } from '#problems/invalid-request.ts';
import { slugOf } from '#program/tier-ids.ts';
import type { SetUpAnswers } from './answers.ts';

/** Another shop has the name in links already. */
export class SlugTaken extends InvalidRequest {
  constructor() {
    super([
      {
        loc: ['body', 'slug'],
        msg: 'Value error, must not be the slug of another shop',
        type: 'value_error',
      },
    ]);
  }
}

/** The console's own address for setting up: a shop of this name could not be opened in it. */
const RESERVED = 'set-up';

/** @throws SlugTaken */
export async function refuseTakenSlug(db: Db, slug: string): Promise<void> {
  const { rows } = await sql`select from commerces where slug = ${slug}`.execute(db);
  if (slug === RESERVED || rows.length > 0) throw new SlugTaken();
}

/** Returns the name in links that the shop would get: the one that was typed, or the first free one made of its name. */
export async function findSlug(db: Db, { slug, name }: SetUpAnswers): Promise<string | null> {
  if (slug !== null) return slug;
  if (name === null) return null;
  const base = slugOf(name).slice(0, 56).replace(/-$/, '') || 'my-shop';
  const { rows } = await sql<{ slug: string }>`
    select slug from commerces where slug = ${base} or starts_with(slug, ${`${base}-`})`.execute(db);
  const taken = new Set([RESERVED, ...rows.map((row) => row.slug)]);
  let found = base;
  for (let n = 2; taken.has(found); n++) found = `${base}-${n}`;
  return found;
}
