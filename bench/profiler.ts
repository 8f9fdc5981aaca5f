import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What V8 writes with `--cpu-prof`, as far as it is read here. Times are in microseconds of the monotonic clock. */
export interface Profile {
  readonly nodes: readonly Frame[];
  readonly startTime: number;
  readonly endTime: number;
  /** The frame on top of the stack at each sample, and the time since the sample before. */
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

interface Frame {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  readonly children?: readonly number[];
}

/** Options with which Node writes one profile of everything into `folder` when it ends. */
export function profiling(folder: string): Record<string, string> {
  return { NODE_OPTIONS: `--cpu-prof --cpu-prof-interval=250 --cpu-prof-dir=${folder}` };
}

/** Reads the profile that a process left there. */
export async function readProfile(folder: string): Promise<Profile> {
  const [file] = (await readdir(folder)).filter((name) => name.endsWith('.cpuprofile'));
  if (file === undefined) throw new Error('the process left no profile');
  return JSON.parse(await readFile(join(folder, file), 'utf8')) as Profile;
}

/** The clock of profiles, which all processes of a machine share. */
export function monotonicMicros(): number {
  return Number(process.hrtime.bigint() / 1000n);
}

/** The part of a profile between two instants. */
export function between(profile: Profile, from: number, to: number): Profile {
  const samples: number[] = [];
  const timeDeltas: number[] = [];
  let at = profile.startTime;
  for (const [i, sample] of profile.samples.entries()) {
    const delta = profile.timeDeltas[i]!;
    at += delta;
    if (at < from || at > to) continue;
    samples.push(sample);
    timeDeltas.push(delta);
  }
  return { nodes: profile.nodes, startTime: from, endTime: to, samples, timeDeltas };
}

/** A function and what it called, with the time on the stack and the time on top of it, in microseconds. */
export interface Flame {
  readonly name: string;
  readonly part: string;
  readonly micros: number;
  readonly own: number;
  readonly children: readonly Flame[];
}

/** The stacks of a profile as one tree; time in which nothing ran is left out. */
export function flameOf({ nodes, samples, timeDeltas }: Profile): Flame {
  const own = new Map<number, number>();
  for (const [i, id] of samples.entries()) own.set(id, (own.get(id) ?? 0) + Math.max(0, timeDeltas[i]!));
  const frames = new Map(nodes.map((frame) => [frame.id, frame]));
  const build = (frame: Frame): Flame => {
    const children = (frame.children ?? [])
      .map((id) => build(frames.get(id)!))
      .filter(({ name, micros }) => micros > 0 && name !== '(idle)');
    const top = own.get(frame.id) ?? 0;
    const micros = children.reduce((sum, child) => sum + child.micros, top);
    const { functionName, url } = frame.callFrame;
    return {
      name: functionName || '(anonymous)',
      part: partOf(functionName, url),
      micros,
      own: top,
      children,
    };
  };
  return build(nodes[0]!);
}

/** Time on top of the stack by what `nameOf` calls a frame, most first. */
export function ownTimeBy(flame: Flame, nameOf: (one: Flame) => string): [name: string, micros: number][] {
  const times = new Map<string, number>();
  const add = (one: Flame) => {
    times.set(nameOf(one), (times.get(nameOf(one)) ?? 0) + one.own);
    for (const child of one.children) add(child);
  };
  add(flame);
  return [...times].filter(([, micros]) => micros > 0).toSorted(([, a], [, b]) => b - a);
}

/** A slice of the service, or what it stands on. */
function partOf(functionName: string, url: string): string {
  const ours = /\/server\/src\/([^/]+)/.exec(url)?.[1];
  if (ours !== undefined) return `service: ${ours}`;
  const library = /\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1];
  if (library !== undefined)
    return /^(pg|postgres-|kysely)/.test(library) ? 'driver: pg, kysely' : 'Fastify and its packages';
  if (url.startsWith('node:')) return 'Node: HTTP, streams, timers';
  if (functionName === '(garbage collector)') return 'garbage collector';
  return functionName.startsWith('write') ? 'kernel: writes to sockets' : 'V8 and Node, native';
}
