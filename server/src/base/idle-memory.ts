import { performance } from 'node:perf_hooks';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Calls wait for a tenth of a second, so it must be worth it, and not happen often. */
const WORTH_BYTES = 32e6;
const LOOK_EVERY_MS = 5_000;
const APART_MS = 30_000;
/** The share of its time that an idle process works. */
const IDLE = 0.02;

/**
 * Gives memory back to the system once the process has next to nothing to do: after its start, and after busy times. V8 keeps for
 * later what the start or a busy time took, 60 MB of the 200 that an idle service would hold.
 */
export function releaseIdleMemory({ lookEveryMs = LOOK_EVERY_MS, apartMs = APART_MS } = {}): {
  stop(): void;
} {
  const collect = exposeCollector();
  let utilization = performance.eventLoopUtilization();
  let [heldBytes, releasedAt] = [0, -Infinity];
  const timer = setInterval(() => {
    const share = performance.eventLoopUtilization(utilization).utilization;
    utilization = performance.eventLoopUtilization();
    if (share > IDLE || performance.now() - releasedAt < apartMs) return;
    if (getHeapStatistics().total_heap_size < heldBytes + WORTH_BYTES) return;
    collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
    heldBytes = getHeapStatistics().total_heap_size;
    releasedAt = performance.now();
  }, lookEveryMs);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}

type Collect = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void;

/** Returns V8's function to collect garbage, which a context has if it is made while the flag is set. */
function exposeCollector(): Collect {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as Collect;
  setFlagsFromString('--no-expose-gc');
  return collect;
}
