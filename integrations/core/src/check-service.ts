import type { ShopClient } from '@loyalty/sdk';
import { wordsOf } from './refusals.ts';

/** Somebody looks at a page of the shop's admin. */
const PATIENCE_MS = 3_000;

/** Returns why the service cannot be used with the keys of these clients, in one line of the first that cannot; null if it can. */
export async function checkService(...clients: readonly ShopClient[]): Promise<string | null> {
  const errors = await Promise.all(
    clients.map((client) =>
      // Every key may ask for the catalog.
      client.listBenefits({ attempts: 1, timeoutMs: PATIENCE_MS }).then(() => null, wordsOf),
    ),
  );
  return errors.find((error) => error !== null) ?? null;
}
