/** Turns the nodes of a YAML document into plain values and keeps the position of each in the file. */
import { isAlias, isMap, isScalar, isSeq } from 'yaml';
import type { Alias, Document, Node, Pair } from 'yaml';
import type { ProgramProblem } from './program.ts';

const MAX_DEPTH = 20;
// A thousand benefits with every field have 30,000 values. A file with far more is not a program, or abuses aliases.
export const MAX_VALUES = 100_000;
// An alias that is followed adds all values below its anchor, so a small file could stand for a very large one.
const MAX_ALIASES = 100;
const MAX_PROBLEMS = 100;

type Path = ProgramProblem['path'];

/**
 * `fatal` if no value can be known, so that checking any would mislead. `broken` if that is so for the value at the path.
 */
interface PlainProblem {
  readonly offset: number;
  readonly path: Path;
  readonly message: string;
  readonly effect: 'none' | 'broken' | 'fatal';
}

interface Plain {
  readonly value: unknown;
  readonly problems: readonly PlainProblem[];
  offsetOf(path: Path, at: ProgramProblem['at']): number;
  /** Returns the path of the smallest part of the document that includes a position. */
  pathAt(offset: number): Path;
}

/** Returns the values of a document, their positions, and problems that are valid YAML but make no sense in a program. */
export function plainValues(document: Document.Parsed): Plain {
  const problems: PlainProblem[] = [];
  const keyOffsets = new Map<string, number>();
  const valueOffsets = new Map<string, number>();
  let values = 0;
  let aliases = 0;
  /** The anchors so far, in the order of the file. The library would search the whole document for each alias. */
  const anchors = new Map<string, Node>();
  const seen = new Set<Node>();
  const targets = new Map<Alias, Node | undefined>();

  const parts: { readonly path: Path; readonly start: number; readonly end: number }[] = [];

  const report = (offset: number, path: Path, message: string, effect: PlainProblem['effect'] = 'none') => {
    if (problems.length < MAX_PROBLEMS) problems.push({ offset, path, message, effect });
  };

  function plain(node: unknown, path: Path, offset: number): unknown {
    valueOffsets.set(JSON.stringify(path), offset);
    const [start = offset, , end = offset] = (node as Node | null)?.range ?? [];
    parts.push({ path, start: Math.min(start, offset), end });
    if (path.length > MAX_DEPTH) return report(offset, path, 'is nested too deeply', 'fatal');
    if (++values > MAX_VALUES) {
      if (values === MAX_VALUES + 1)
        report(
          offset,
          path,
          `is where the file comes to more than ${MAX_VALUES} values, aliases followed`,
          'fatal',
        );
      return null;
    }
    if (isAlias(node)) {
      if (++aliases > MAX_ALIASES) {
        if (aliases === MAX_ALIASES + 1)
          report(offset, path, `follows more than ${MAX_ALIASES} aliases; write the value itself`, 'fatal');
        return null;
      }
      if (!targets.has(node)) targets.set(node, anchors.get(node.source));
      const target = targets.get(node);
      if (!target) return report(offset, path, `*${node.source} has no anchor before it`, 'broken');
      return plain(target, path, offset);
    }
    if ((isScalar(node) || isSeq(node) || isMap(node)) && node.anchor !== undefined && !seen.has(node)) {
      anchors.set(node.anchor, node);
      seen.add(node);
    }
    if (isSeq(node))
      return node.items.map((item, index) => plain(item, [...path, index], startOf(item as Node, offset)));
    if (isMap(node)) return plainMap(node.items, path, offset);
    return isScalar(node) ? scalarValue(node.value, node.source) : null;
  }

  function plainMap(pairs: readonly Pair[], path: Path, offset: number): Record<string, unknown> {
    const entries = new Map<string, unknown>();
    const lineOfKey = (pair: Pair) => startOf(pair.key as Node, offset);
    for (const pair of pairs) {
      const key = String(isScalar(pair.key) ? pair.key.value : pair.key);
      const keyPath = [...path, key];
      if (entries.has(key)) {
        report(lineOfKey(pair), keyPath, 'stands here twice; say it once');
        continue;
      }
      if (hidesColor(key, pair.value))
        report(
          lineOfKey(pair),
          keyPath,
          'is empty, because a bare # begins a comment; put the color in quotes',
        );
      keyOffsets.set(JSON.stringify(keyPath), lineOfKey(pair));
      entries.set(key, plain(pair.value, keyPath, valueStart(pair, offset)));
    }
    return Object.fromEntries(entries);
  }

  const value = plain(document.contents, [], startOf(document.contents, 0));
  const offsetOf = (path: Path, at: ProgramProblem['at']): number => {
    const key = JSON.stringify(path);
    const found = (at === 'key' ? keyOffsets.get(key) : undefined) ?? valueOffsets.get(key);
    return found ?? (path.length === 0 ? 0 : offsetOf(path.slice(0, -1), 'key'));
  };
  const pathAt = (offset: number): Path =>
    parts.reduce<Path>(
      (found, { path, start, end }) =>
        start <= offset && offset <= end && path.length > found.length ? path : found,
      [],
    );
  return { value, problems, offsetOf, pathAt };
}

function startOf(node: Node | null, otherwise: number): number {
  return node?.range?.[0] ?? otherwise;
}

/** Returns the position of the key if the value is empty, or a map or list below the key. */
function valueStart(pair: Pair, otherwise: number): number {
  const keyStart = startOf(pair.key as Node, otherwise);
  const node = pair.value;
  if (isScalar(node) && node.range && node.range[1] > node.range[0]) return node.range[0];
  const isFlow = (isMap(node) || isSeq(node)) && node.flow === true;
  return isFlow || isAlias(node) ? startOf(node, keyStart) : keyStart;
}

// In YAML 1.1, values can be dates and bytes. Here they stay the text in the file.
function scalarValue(value: unknown, source: string | undefined): unknown {
  return typeof value === 'object' && value !== null ? (source ?? null) : value;
}

function hidesColor(key: string, value: unknown): boolean {
  return (
    key === 'color' && isScalar(value) && value.value === null && /^[0-9a-f]{6}\b/i.test(value.comment ?? '')
  );
}
