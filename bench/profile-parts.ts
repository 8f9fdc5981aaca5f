/** A profile as V8 gives it: a tree of functions, and which of them ran at each sample. */
export interface Profile {
  readonly nodes: readonly ProfileNode[];
  readonly samples?: readonly number[] | undefined;
  /** Microseconds since the sample before. */
  readonly timeDeltas?: readonly number[] | undefined;
}

interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string };
  readonly children?: readonly number[] | undefined;
}

/** The parts of the program, in the order of the table. The last one is not the service's. */
export const PARTS = [
  'writes to PostgreSQL',
  'writes of answers',
  'the driver',
  'the SQL tag, connections, transactions',
  'Node: HTTP, streams, timers',
  'Fastify and its packages',
  'the service: HTTP, credentials, reading requests',
  'the service: batches, keys, turns',
  'the service: rules, rows, SQL',
  'garbage collector',
  'V8 and Node, native',
  'the measurement',
] as const;

export type Part = (typeof PARTS)[number];

/** The share of each part in the time that the main thread was busy. */
export function sharesOf({ nodes, samples = [], timeDeltas = [] }: Profile): Record<Part, number> {
  const parts = partsOf(nodes);
  const shares = Object.fromEntries(PARTS.map((part) => [part, 0])) as Record<Part, number>;
  let busy = 0;
  for (const [i, id] of samples.entries()) {
    const part = parts.get(id);
    // The time since the sample before belongs to the function that ran then.
    const micros = timeDeltas[i + 1] ?? 0;
    if (part === undefined || micros <= 0) continue;
    shares[part] += micros;
    busy += micros;
  }
  for (const part of PARTS) shares[part] /= busy;
  return shares;
}

/** Returns the part that each function of the tree belongs to; none if the thread was idle. */
function partsOf(nodes: readonly ProfileNode[]): Map<number, Part> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parts = new Map<number, Part>();
  const walk = (node: ProfileNode, caller: Part, isOfDriver: boolean) => {
    const { functionName, url } = node.callFrame;
    // Statements of one moment are sent by `client-statements.ts`, on behalf of the driver.
    const isDriver =
      isOfDriver || isIn(url, 'the driver') || isIn(url, 'the SQL tag, connections, transactions');
    const part = partOf(functionName, url, caller, isDriver);
    if (functionName !== '(idle)' && functionName !== '(root)') parts.set(node.id, part);
    // What a native function calls back belongs to whoever called it.
    const own = url === '' ? caller : part;
    for (const child of node.children ?? []) walk(byId.get(child)!, own, isDriver);
  };
  if (nodes[0] !== undefined) walk(nodes[0], 'V8 and Node, native', false);
  return parts;
}

function partOf(name: string, url: string, caller: Part, isOfDriver: boolean): Part {
  if (name === '(garbage collector)') return 'garbage collector';
  if (name === '(program)') return 'V8 and Node, native';
  if (url === '' && WRITES.test(name)) return isOfDriver ? 'writes to PostgreSQL' : 'writes of answers';
  return FILES.find(([, pattern]) => pattern.test(url))?.[0] ?? caller;
}

const WRITES = /^(writev|write(Buffer|Utf8String|Latin1String|AsciiString|UcsString))$/;

/** The first pattern that matches decides. */
const FILES: readonly (readonly [Part, RegExp])[] = [
  ['the measurement', /\/bench\//],
  ['Node: HTTP, streams, timers', /^node:/],
  ['the driver', /\/node_modules\/pg/],
  ['Fastify and its packages', /\/node_modules\//],
  ['the SQL tag, connections, transactions', /\/server\/src\/platform\/db\//],
  [
    'the service: HTTP, credentials, reading requests',
    /\/server\/src\/(platform\/(http|request)|base\/problems)\//,
  ],
  ['the service: batches, keys, turns', /\/server\/src\/platform\/batching\//],
  ['the service: rules, rows, SQL', /\/server\/src\//],
];

function isIn(url: string, part: Part): boolean {
  return FILES.find(([, pattern]) => pattern.test(url))?.[0] === part;
}
