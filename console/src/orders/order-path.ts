/** Returns the query of the page of an order. */
export function orderQuery(externalId: string): string {
  return `?${new URLSearchParams({ order: externalId })}`;
}
