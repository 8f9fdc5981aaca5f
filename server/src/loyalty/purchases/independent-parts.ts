/**
 * Splits the rows of a file so that a dry run can try a part without the others. All purchases of one buyer are in one
 * part, because each is decided on what the earlier ones left, and so are all purchases with one external id. A part
 * stays as small as that allows, because its transaction locks the members. Rows keep their order.
 */
export function* independentParts<Row extends { readonly externalId: string | null }>(
  rows: readonly Row[],
  buyerOf: (row: Row) => string,
  size: number,
): Generator<Row[]> {
  const groups = new Map<string, Row[]>();
  const rootOf = connect(rows, buyerOf);
  for (const row of rows) {
    const root = rootOf(buyerOf(row));
    const group = groups.get(root);
    if (group === undefined) groups.set(root, [row]);
    else group.push(row);
  }
  const places = new Map(rows.map((row, place) => [row, place]));
  const inOrder = (part: Row[]) => part.sort((a, b) => places.get(a)! - places.get(b)!);
  let part: Row[] = [];
  for (const group of groups.values()) {
    if (part.length > 0 && part.length + group.length > size) {
      yield inOrder(part);
      part = [];
    }
    part = part.concat(group);
  }
  if (part.length > 0) yield inOrder(part);
}

/** Joins the buyers who share an external id. Returns a function that names the group of a buyer. */
function connect<Row extends { readonly externalId: string | null }>(
  rows: readonly Row[],
  buyerOf: (row: Row) => string,
): (buyer: string) => string {
  const parents = new Map<string, string>();
  const rootOf = (name: string): string => {
    let root = name;
    for (let parent = parents.get(root); parent !== undefined; parent = parents.get(root)) root = parent;
    // The next search is short.
    for (let at = name; at !== root;) {
      const parent = parents.get(at)!;
      parents.set(at, root);
      at = parent;
    }
    return root;
  };
  const buyers = new Map<string, string>();
  for (const row of rows) {
    if (row.externalId === null) continue;
    const buyer = buyerOf(row);
    const other = buyers.get(row.externalId);
    if (other === undefined) buyers.set(row.externalId, buyer);
    else if (rootOf(other) !== rootOf(buyer)) parents.set(rootOf(buyer), rootOf(other));
  }
  return rootOf;
}
