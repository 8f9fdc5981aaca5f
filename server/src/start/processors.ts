/** How many processes serve: as many as PROCESSES says, or as many as the machine or the container has room for. */
import { readFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';
import { readSettingText } from '#settings/setting-text.ts';

/** What this process may use of a machine. A container often gets less than the machine has. */
export interface Room {
  /** Not always a whole number: a quota may be half a processor. */
  readonly processors: number;
  readonly memoryBytes: number;
}

/** For each process under load, and once for the supervisor and for the processes that do large work aside. */
const BYTES_OF_A_PROCESS = 256 * 1024 ** 2;
const BYTES_BESIDE = 256 * 1024 ** 2;

/**
 * Returns how many processes PROCESSES asks for. It is read without the other settings, so that a supervisor need not load what
 * checks them; a text that is none of these is refused with all the others.
 */
export function countProcesses(
  env: Readonly<Record<string, string | undefined>>,
  roomOf: () => Room = readRoom,
): number {
  const wanted = readSettingText(env, 'PROCESSES');
  if (wanted === 'auto') return fitProcesses(roomOf());
  return wanted && /^\d{1,3}$/.test(wanted) ? Number(wanted) : 1;
}

/** Returns how many processes fit: one for each whole processor, as far as the memory goes, and at least one. */
export function fitProcesses({ processors, memoryBytes }: Room): number {
  const byMemory = Math.floor((memoryBytes - BYTES_BESIDE) / BYTES_OF_A_PROCESS);
  return Math.min(MOST_PROCESSES, Math.max(1, Math.min(Math.floor(processors), byMemory)));
}

/** The most that PROCESSES accepts. */
export const MOST_PROCESSES = 64;

/** Reads the room of this process: the smallest of what the machine and each of its control groups allow. */
export function readRoom({
  root = '/',
  processors = availableParallelism(),
  memoryBytes = totalmem(),
} = {}): Room {
  const quotas = readQuotas(root);
  return {
    processors: Math.min(processors, ...quotas.map((quota) => quota.processors)),
    memoryBytes: Math.min(memoryBytes, ...quotas.map((quota) => quota.memoryBytes)),
  };
}

/** Reads the control groups of this process and of those around it, in the files of version 2 and of version 1. */
function readQuotas(root: string): Room[] {
  const lines = (readText(join(root, 'proc/self/cgroup')) ?? '').split('\n');
  return lines.flatMap((line) => {
    const [, controllers = '', path = ''] = /^\d+:([^:]*):(\/.*)$/.exec(line) ?? [];
    if (path === '') return [];
    const groups = foldersUpTo(path);
    const at = (folder: string) => join(root, 'sys/fs/cgroup', folder);
    if (controllers === '') return groups.map((group) => readVersion2(at(group)));
    return controllers
      .split(',')
      .flatMap((controller) => groups.map((group) => readVersion1(at(join(controller, group)))));
  });
}

/** Returns a path and all above it: `/a/b`, `/a` and `/`. In a container its own group often is at the root. */
function foldersUpTo(path: string): string[] {
  const parts = path.split('/').filter((part) => part !== '' && part !== '..');
  return Array.from(
    { length: parts.length + 1 },
    (_, above) => `/${parts.slice(0, parts.length - above).join('/')}`,
  );
}

function readVersion2(folder: string): Room {
  const [quota, period] = (readText(join(folder, 'cpu.max')) ?? '').split(' ');
  return {
    processors: shareOf(quota, period),
    memoryBytes: limitOf(readText(join(folder, 'memory.max'))),
  };
}

function readVersion1(folder: string): Room {
  return {
    processors: shareOf(
      readText(join(folder, 'cpu.cfs_quota_us')),
      readText(join(folder, 'cpu.cfs_period_us')),
    ),
    memoryBytes: limitOf(readText(join(folder, 'memory.limit_in_bytes'))),
  };
}

/** Infinity without a quota: `max` in version 2, -1 in version 1. */
function shareOf(quota = '', period = ''): number {
  const share = Number(quota || NaN) / Number(period || NaN);
  return share > 0 ? share : Infinity;
}

function limitOf(text = ''): number {
  const bytes = Number(text || NaN);
  return bytes > 0 ? bytes : Infinity;
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return undefined;
  }
}
