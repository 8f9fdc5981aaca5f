import { commerceIdOf, readCommerce, type Commerce } from '#commerces/commerce.ts';
import type { Db } from '#db/database.ts';
import { Refusal } from '../refusal.ts';

/** Finds a commerce by its slug, or by its id if no commerce has that slug. */
export async function findCommerce(db: Db, name: string): Promise<Commerce> {
  const bySlug = await commerceIdOf(db, name);
  const id = bySlug ?? (/^\d{1,15}$/.test(name) ? Number(name) : undefined);
  const commerce = id === undefined ? undefined : await readCommerce(db, id);
  if (commerce === undefined) {
    throw new Refusal(`There is no commerce "${name}". Run \`loyalty commerce list\` to see all commerces.`);
  }
  return commerce;
}

/** Finds a commerce as `findCommerce` does, but refuses a closed one. */
export async function findOpenCommerce(db: Db, name: string): Promise<Commerce> {
  const commerce = await findCommerce(db, name);
  if (commerce.status === 'closed') throw new Refusal(`${commerce.slug} is closed.`);
  return commerce;
}
