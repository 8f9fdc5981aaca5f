import type { Db } from '#db/database.ts';
import { isLive, readCatalog, type Benefit } from './benefit.ts';

/** What members can buy at that instant of the commerce's clock, in the order of the program. */
export async function readLiveCatalog(
  db: Db,
  commerce: { readonly id: number; readonly now: Date },
): Promise<Benefit[]> {
  return (await readCatalog(db, commerce.id)).filter((benefit) => isLive(benefit, commerce.now));
}
