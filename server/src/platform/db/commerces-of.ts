/**
 * Returns the commerces of these rows, each once and in ascending order: the value beside a join with `unnest`, whose columns are none
 * that anybody knows before the statement runs. In order, because PostgreSQL sorts the list for each row that it looks up.
 */
export function commercesOf(rows: readonly { readonly commerceId: number }[]): number[] {
  const [first] = rows;
  if (first === undefined || rows.every(({ commerceId }) => commerceId === first.commerceId))
    return rows.slice(0, 1).map(({ commerceId }) => commerceId);
  return [...new Set(rows.map(({ commerceId }) => commerceId))].sort((one, other) => one - other);
}
