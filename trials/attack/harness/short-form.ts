import { setTimeout as sleep } from 'node:timers/promises';
import type { Attack, Finding, Stage } from './attack.ts';
import { measureOthers } from './others.ts';

/** Calls of the others per second: few, because other tests run at the same time. */
const PACE = 20;
const SECONDS = 2;

/**
 * Runs an attack for two seconds in this process, beside a few calls of the others. Judges answers only, never how long
 * they took.
 */
export async function runShortForm(attack: Attack, stage: Stage): Promise<Finding[]> {
  const prepared = await attack.prepare?.(stage);
  const hasLoad = attack.load !== undefined && attack.load.onlyInFull !== true;
  const underLoad = !hasLoad ? [] : await runLoad(attack, stage, prepared);
  return [...underLoad, ...((await attack.check?.(stage, prepared)) ?? [])];
}

async function runLoad(attack: Attack, stage: Stage, prepared: unknown): Promise<Finding[]> {
  let over = false;
  const isOver = () => over;
  const looking = Promise.all([
    sleep(SECONDS * 1_000),
    sleep(500).then(() => attack.during?.(stage, prepared)),
  ]);
  const ended = looking.finally(() => (over = true));
  const [others, [, seen = []]] = await Promise.all([
    measureOthers(stage, PACE, isOver),
    ended,
    attack.load!.attack({ ...stage, prepared, isOver }),
  ]);
  const answered = {
    promise: 'the others get no 503 and every answer',
    holds: others.unavailable === 0 && others.failed === 0,
    seen: `${others.unavailable} × 503, ${others.failed} failed of ${others.calls}`,
  };
  return [answered, ...seen];
}
