/** Whether a statement says whose rows it touches: what a cluster needs to send it to the one machine that has them. */
import { parse } from 'libpg-query';
import { TABLES } from '#db/tables.ts';

/**
 * Returns the tenant tables of a statement whose `commerce_id` is not compared with a value. A value is a parameter, a constant or
 * `any(…)` of one. A column that equals one that is compared with a value is compared, too. Columns of `unnest` and of other parts of the
 * statement are not values, because nobody knows them before the statement runs.
 * @param carriesLists false if `any(…)` counts for its own column alone: the planner of a cluster carries it to no other table, and would ask
 * every machine for that one
 */
export async function tablesWithoutCommerce(text: string, carriesLists = true): Promise<string[]> {
  const statement: Statement = { reaches: new Map(), wanted: [] };
  readAny(statement, await parse(text), { parent: null, items: [] }, new Set());
  const compared = reached(statement.reaches, carriesLists);
  return statement.wanted.filter(({ column }) => !compared.has(column)).map(({ words }) => words);
}

interface Statement {
  /**
   * From a column to those that have a value if it has one. `VALUE` reaches those that are compared with a value themselves, and `LIST` those
   * that are compared with several.
   */
  readonly reaches: Map<string, Set<string>>;
  /** The columns that need a value. */
  readonly wanted: { readonly column: string; readonly words: string }[];
}

/** One thing in `from`, or the table that is written. */
interface Item {
  readonly id: string;
  readonly alias: string;
  /** Null if it is no table: a subquery, a function, a part of a `with`. */
  readonly table: string | null;
}

/** A query, within the one around it. */
interface Scope {
  readonly parent: Scope | null;
  readonly items: Item[];
}

const VALUE = 'value';
const LIST = 'list';
const TENANT_TABLES: ReadonlySet<string> = new Set(TABLES.tenant);

/** A part of the tree that the parser returns. */
type Tree = Readonly<Record<string, unknown>>;
type Parts = ReadonlySet<string>;

const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null;
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const treeOf = (value: unknown, kind: string): Tree | undefined =>
  isTree(value) && isTree(value[kind]) ? value[kind] : undefined;
const textOf = (value: unknown): string | undefined => {
  const sval = treeOf(value, 'String')?.['sval'];
  return typeof sval === 'string' ? sval : undefined;
};

/** Reads any part of the tree. A query in it begins a scope of its own. */
function readAny(statement: Statement, value: unknown, scope: Scope, parts: Parts): void {
  if (!isTree(value)) return;
  if (Array.isArray(value)) return value.forEach((one) => readAny(statement, one, scope, parts));
  for (const [kind, inner] of Object.entries(value))
    if (QUERIES.has(kind) && isTree(inner)) readQuery(statement, inner, scope, parts);
    else readAny(statement, inner, scope, parts);
}

const QUERIES: ReadonlySet<string> = new Set([
  'SelectStmt',
  'InsertStmt',
  'UpdateStmt',
  'DeleteStmt',
  'MergeStmt',
]);

function readQuery(statement: Statement, query: Tree, parent: Scope, outerParts: Parts): void {
  const scope: Scope = { parent, items: [] };
  const parts = readWith(statement, query, parent, outerParts);
  const { relation, fromClause, usingClause, sourceRelation, whereClause, joinCondition, ...rest } = query;
  // The rows that an insert stores are compared with nothing. Their source is a query of its own.
  if (isTree(relation) && !('cols' in query || 'selectStmt' in query))
    readTable(statement, relation, scope, parts);
  for (const from of [...listOf(fromClause), ...listOf(usingClause), sourceRelation])
    readFrom(statement, from, scope, parts);
  for (const condition of [whereClause, joinCondition])
    readConditions(statement, condition, scope, new Set(scope.items));
  // The two sides of a union are queries without a kind around them.
  for (const side of ['larg', 'rarg']) if (isTree(rest[side])) readQuery(statement, rest[side], scope, parts);
  for (const [name, part] of Object.entries(rest))
    if (name !== 'larg' && name !== 'rarg' && name !== 'withClause') readAny(statement, part, scope, parts);
  readAny(statement, [whereClause, joinCondition], scope, parts);
}

/** Reads the queries of `with` and returns the names that stand for them. */
function readWith(statement: Statement, query: Tree, parent: Scope, outer: Parts): Parts {
  const { withClause } = query;
  if (!isTree(withClause)) return outer;
  const parts = new Set(outer);
  for (const one of listOf(withClause['ctes'])) {
    const cte = treeOf(one, 'CommonTableExpr')!;
    if (withClause['recursive'] === true) parts.add(String(cte['ctename']));
    readAny(statement, cte['ctequery'], parent, parts);
    parts.add(String(cte['ctename']));
  }
  return parts;
}

/** Reads one thing of `from`, and returns the items in it. */
function readFrom(statement: Statement, from: unknown, scope: Scope, parts: Parts): Item[] {
  const range = treeOf(from, 'RangeVar');
  if (range !== undefined) return [readTable(statement, range, scope, parts)];
  const join = treeOf(from, 'JoinExpr');
  if (join !== undefined) return readJoin(statement, join, scope, parts);
  if (!isTree(from)) return [];
  const [inner] = Object.values(from);
  // A lateral subquery sees what stands before it.
  readAny(statement, inner, scope, parts);
  return [addItem(scope, aliasOf(inner) ?? '', null)];
}

function readTable(statement: Statement, range: Tree, scope: Scope, parts: Parts): Item {
  const name = String(range['relname']);
  const table = parts.has(name) ? null : name;
  const item = addItem(scope, aliasOf(range) ?? name, table);
  if (table !== null && TENANT_TABLES.has(table))
    statement.wanted.push({
      column: columnOf(item, 'commerce_id'),
      words: item.alias === name ? name : `${name} ${item.alias}`,
    });
  return item;
}

let numberOfItems = 0;

function addItem(scope: Scope, alias: string, table: string | null): Item {
  numberOfItems += 1;
  const item = { id: `${numberOfItems}`, alias, table };
  scope.items.push(item);
  return item;
}

function aliasOf(value: unknown): string | undefined {
  if (!isTree(value)) return undefined;
  const { alias } = value;
  return isTree(alias) ? String(alias['aliasname']) : undefined;
}

function readJoin(statement: Statement, join: Tree, scope: Scope, parts: Parts): Item[] {
  const left = readFrom(statement, join['larg'], scope, parts);
  const right = readFrom(statement, join['rarg'], scope, parts);
  const both = [...left, ...right];
  // The condition of an outer join leaves the rows of one side as they are.
  const restricted = { JOIN_INNER: both, JOIN_LEFT: right, JOIN_RIGHT: left }[String(join['jointype'])] ?? [];
  readConditions(statement, join['quals'], scope, new Set(restricted));
  readAny(statement, join['quals'], scope, parts);
  for (const name of listOf(join['usingClause']).map(textOf))
    for (const one of left)
      for (const other of right)
        equate(statement, [columnOf(one, name!)], [columnOf(other, name!)], (column) =>
          restricted.some((item) => column === columnOf(item, name!)),
        );
  return both;
}

const columnOf = (item: Item, name: string): string => `${item.id}.${name}`;

/** Notes what the conditions that must hold say of the columns of the `restricted` items. */
function readConditions(
  statement: Statement,
  condition: unknown,
  scope: Scope,
  restricted: ReadonlySet<Item>,
): void {
  const all = treeOf(condition, 'BoolExpr');
  if (all?.['boolop'] === 'AND_EXPR')
    for (const one of listOf(all['args'])) readConditions(statement, one, scope, restricted);
  const comparison = treeOf(condition, 'A_Expr');
  if (comparison === undefined || textOf(listOf(comparison['name'])[0]) !== '=') return;
  if (!COMPARES.has(String(comparison['kind']))) return;
  const ids = new Set([...restricted].map(({ id }) => id));
  const isList = String(comparison['kind']) !== 'AEXPR_OP';
  const [left, right] = [comparison['lexpr'], comparison['rexpr']].map((side) =>
    columnsOf(side, scope).map((one) => (one === VALUE && isList ? LIST : one)),
  );
  equate(statement, left!, right!, (column) => ids.has(column.slice(0, column.indexOf('.'))));
}

/** `=`, `= any(…)` and `in (…)`. */
const COMPARES: ReadonlySet<string> = new Set(['AEXPR_OP', 'AEXPR_OP_ANY', 'AEXPR_IN']);

/** Columns that are equal have a value if the other has one, as far as the condition restricts them. */
function equate(
  { reaches }: Statement,
  left: readonly (string | null)[],
  right: readonly (string | null)[],
  isRestricted: (column: string) => boolean,
): void {
  const add = (from: string | null | undefined, to: string | null | undefined) => {
    if (from == null || to == null || to === VALUE || to === LIST || !isRestricted(to)) return;
    reaches.set(from, (reaches.get(from) ?? new Set()).add(to));
  };
  for (const [i, one] of left.entries()) {
    // A list of values is compared with one column.
    const other = right.length === left.length ? right[i] : null;
    add(one, other);
    add(other, one);
  }
}

/** Returns the column that each part of one side of a comparison is, or `VALUE`, or null if it is neither. */
function columnsOf(side: unknown, scope: Scope): (string | null)[] {
  const row = treeOf(side, 'RowExpr');
  if (row !== undefined) return listOf(row['args']).map((one) => columnsOf(one, scope)[0] ?? null);
  if (isValue(side)) return [VALUE];
  const reference = treeOf(side, 'ColumnRef');
  if (reference === undefined) return [null];
  const names = listOf(reference['fields']).map(textOf);
  if (names.includes(undefined)) return [null];
  return [find(names as string[], scope)];
}

function isValue(side: unknown): boolean {
  if (treeOf(side, 'ParamRef') !== undefined || treeOf(side, 'A_Const') !== undefined) return true;
  const cast = treeOf(side, 'TypeCast');
  if (cast !== undefined) return isValue(cast['arg']);
  const list = treeOf(side, 'List')?.['items'] ?? treeOf(side, 'A_ArrayExpr')?.['elements'];
  return Array.isArray(list) && list.every(isValue);
}

/** Finds the item that a column is of: that of its alias, or the only table of the nearest query that can have it. */
function find(names: readonly string[], scope: Scope): string | null {
  const name = names.at(-1)!;
  for (let at: Scope | null = scope; at !== null; at = at.parent) {
    const { items } = at;
    const named = names.length > 1 ? items.filter(({ alias }) => alias === names.at(-2)) : candidates(items);
    if (named.length === 1) return columnOf(named[0]!, name);
    if (named.length > 1) return null;
  }
  return null;
}

/** A column without an alias is of the only thing, or else of the only tenant table: each of those has a commerce. */
function candidates(items: readonly Item[]): readonly Item[] {
  if (items.length <= 1) return items;
  return items.filter(({ table }) => table !== null && TENANT_TABLES.has(table));
}

/** Returns the columns that a value reaches. */
function reached(reaches: ReadonlyMap<string, ReadonlySet<string>>, carriesLists: boolean): Set<string> {
  const seen = new Set<string>(carriesLists ? [] : reaches.get(LIST));
  const next = carriesLists ? [VALUE, LIST] : [VALUE];
  for (let at = next.pop(); at !== undefined; at = next.pop())
    for (const column of reaches.get(at) ?? [])
      if (!seen.has(column)) {
        seen.add(column);
        next.push(column);
      }
  return seen;
}
