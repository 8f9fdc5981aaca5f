import { commerceIdOf, readCommerce, type Commerce } from '#commerces/commerce.ts';
import type { Db } from '#db/database.ts';
import { Refusal } from './refusal.ts';

/** The commerce of a slug, or of an id where no slug is meant. */
export async function findCommerce(db: Db, name: string): Promise<Commerce> {
  const bySlug = await commerceIdOf(db, name);
  const id = bySlug ?? (/^\d{1,15}$/.test(name) ? Number(name) : undefined);
  const commerce = id === undefined ? undefined : await readCommerce(db, id);
  if (commerce === undefined) {
    throw new Refusal(
      `There is no commerce "${name}": \`loyalty commerce list\` shows those that there are.`,
    );
  }
  return commerce;
}

/** The same, refusing one that is closed. */
export async function findOpenCommerce(db: Db, name: string): Promise<Commerce> {
  const commerce = await findCommerce(db, name);
  if (commerce.status === 'closed') throw new Refusal(`${commerce.slug} is closed.`);
  return commerce;
}
