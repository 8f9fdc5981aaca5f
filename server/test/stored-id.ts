import { readInstallationIds } from '#batching/wire-ids.ts';
import { service, type Answer } from './harness.ts';

/** The id by which the database knows the purchase of an answer. */
export async function storedPurchaseId({ headers }: Answer): Promise<number> {
  const { db } = await service();
  return (await readInstallationIds(db, 'purchase')).fromWire(Number(headers.get('x-consumption-id')))!;
}
