import { commerceIdOf, readCommerce, type Commerce } from '#commerces/commerce.ts';
import { sql, type Db } from '#db/database.ts';
import { nearestName } from '#program/nearest-name.ts';
import { Refusal } from '#base/refusal.ts';

/** Finds a commerce by its slug, or by its id if no commerce has that slug. */
export async function findCommerce(db: Db, name: string): Promise<Commerce> {
  const bySlug = await commerceIdOf(db, name);
  const id = bySlug ?? (/^\d{1,15}$/.test(name) ? Number(name) : undefined);
  const commerce = id === undefined ? undefined : await readCommerce(db, id);
  if (commerce === undefined) {
    const near = nearestName(name, await readSlugs(db));
    const meant = near === null ? '.' : `: did you mean ${near}?`;
    throw new Refusal(
      `There is no commerce "${name}"${meant} Run \`loyalty commerce list\` to see all commerces.`,
    );
  }
  return commerce;
}

async function readSlugs(db: Db): Promise<string[]> {
  const { rows } = await sql<{ slug: string }>`select slug from commerces order by id limit 10000`.execute(
    db,
  );
  return rows.map(({ slug }) => slug);
}

/** Finds a commerce as `findCommerce` does, but refuses a closed one. */
export async function findOpenCommerce(db: Db, name: string): Promise<Commerce> {
  const commerce = await findCommerce(db, name);
  if (commerce.status === 'closed') throw new Refusal(`${commerce.slug} is closed.`);
  return commerce;
}
