import type { ConfigService } from '@vendure/core';

/** Vendure counts in the smallest unit, and how many of them make one is the same for all currencies. */
export function unitsPerWhole({ entityOptions }: Pick<ConfigService, 'entityOptions'>): number {
  return 10 ** (entityOptions.moneyStrategy.precision ?? 2);
}
