/** What Citus refuses of functions that may answer differently each time: on one server such a statement works, so no other test sees it. */
import { parse } from 'libpg-query';
import { TABLES } from '#db/tables.ts';

/** Their answer is the same within a statement. */
const STABLE: ReadonlySet<string> = new Set(['now', 'transaction_timestamp', 'statement_timestamp']);
/** Their answer may be another one in each row. */
const VOLATILE: ReadonlySet<string> = new Set([
  'clock_timestamp',
  'gen_random_uuid',
  'nextval',
  'random',
  'uuidv4',
  'uuidv7',
]);

/** Tables that are on each machine, or divided among them. */
const CLUSTERED: ReadonlySet<string> = new Set([...TABLES.tenant, ...Object.keys(TABLES.reference)]);

/**
 * Returns where a statement changes rows of a cluster by a function that Citus does not take there: one of the present time in `case` or
 * `coalesce`, one whose answer differs by row in an update, and either of them in `returning` and in `on conflict do update`.
 */
export async function refusedTimes(text: string): Promise<string[]> {
  const wrong: string[] = [];
  readAny(await parse(text), wrong);
  return wrong;
}

/** A part of the tree that the parser returns. */
type Tree = Readonly<Record<string, unknown>>;

const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null;

/** Looks at each statement that changes rows, also at those in `with`. */
function readAny(value: unknown, wrong: string[]): void {
  if (!isTree(value)) return;
  for (const [kind, inner] of Object.entries(value)) {
    if (kind.endsWith('Stmt') && isTree(inner)) readChange(kind, inner, wrong);
    readAny(inner, wrong);
  }
}

function readChange(kind: string, change: Tree, wrong: string[]): void {
  const { relation, targetList, whereClause, fromClause, onConflictClause } = change;
  if (!isTree(relation) || !CLUSTERED.has(String(relation['relname']))) return;
  const find = (place: string, part: unknown, isRefused: (name: string, isInChoice: boolean) => boolean) => {
    for (const [name, isInChoice] of timesIn(part, false))
      if (isRefused(name, isInChoice)) wrong.push(`${name} in ${isInChoice ? 'a choice in ' : ''}${place}`);
  };
  find('returning', change['returningClause'], () => true);
  if (kind === 'UpdateStmt' || kind === 'DeleteStmt')
    find(
      'an update',
      [targetList, whereClause, fromClause],
      (name, isInChoice) => isInChoice || VOLATILE.has(name),
    );
  if (isTree(onConflictClause)) find('on conflict', onConflictClause, () => true);
}

/** Returns the functions in a part of a statement, each with whether `case` or `coalesce` is around it. What a subquery does is its own. */
function timesIn(value: unknown, isInChoice: boolean): [string, boolean][] {
  if (!isTree(value)) return [];
  if (Array.isArray(value)) return value.flatMap((one) => timesIn(one, isInChoice));
  return Object.entries(value).flatMap(([kind, inner]): [string, boolean][] => {
    if (kind === 'SelectStmt') return [];
    if (kind === 'SQLValueFunction' && isTree(inner))
      return [[String(inner['op']).slice(6).toLowerCase(), isInChoice]];
    const own = kind === 'FuncCall' ? nameOf(inner) : '';
    const found: [string, boolean][] = STABLE.has(own) || VOLATILE.has(own) ? [[own, isInChoice]] : [];
    return [...found, ...timesIn(inner, isInChoice || kind === 'CaseExpr' || kind === 'CoalesceExpr')];
  });
}

function nameOf(call: unknown): string {
  const last = isTree(call) && Array.isArray(call['funcname']) ? (call['funcname'].at(-1) as unknown) : null;
  const name = isTree(last) ? last['String'] : null;
  return isTree(name) ? String(name['sval']) : '';
}
