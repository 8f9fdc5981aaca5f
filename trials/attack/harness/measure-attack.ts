import { setTimeout as sleep } from 'node:timers/promises';
import type { Attack, Finding, Stage, Tally, Target } from './attack.ts';
import { drive, type Driven } from './drive.ts';
import { measureOthers, type Experience } from './others.ts';
import { largerOf, readHeld, waitUntilBack, watchPeak, type Held } from './watch-service.ts';

/** The effect of an attack on the others, on the service and on those it was aimed at. */
export interface Outcome {
  readonly name: string;
  readonly sentence: string;
  readonly load: LoadOutcome | null;
  readonly findings: readonly Finding[];
  readonly holds: boolean;
}

export interface LoadOutcome {
  readonly alone: Experience;
  readonly harmless: Experience;
  readonly attacked: Experience;
  /** The answers that the attacker got. */
  readonly answers: Tally;
  readonly before: Held;
  readonly peak: Held;
  /** Seconds until memory and sockets were back; null if they were not within a minute. */
  readonly backAfter: number | null;
}

/** Calls of the others per second. */
const PACE = 60;
/** A p99 below this is not held against an attack: it is within what a busy machine does by itself. */
const UNNOTICED_MS = 20;

/** Measures the others alone, beside the harmless load and under the attack, one after another. */
export async function measureAttack(attack: Attack, stage: Stage, seconds: number): Promise<Outcome> {
  const prepared = await attack.prepare?.(stage);
  const findings: Finding[] = [];
  const load =
    attack.load === undefined ? null : await measureLoad(attack, stage, prepared, seconds, findings);
  findings.push(...((await attack.check?.(stage, prepared)) ?? []));
  return {
    name: attack.name,
    sentence: attack.sentence,
    load,
    findings,
    holds: findings.every(({ holds }) => holds),
  };
}

async function measureLoad(
  attack: Attack,
  stage: Stage,
  prepared: unknown,
  seconds: number,
  findings: Finding[],
): Promise<LoadOutcome> {
  await measureOthers(stage, PACE, after(1));
  const alone = await measureOthers(stage, PACE, after(seconds));
  const target: Target = { port: stage.port, attacked: stage.attacked, others: stage.others };

  const twin = await drive({ name: attack.name, part: 'harmless', target, prepared });
  const [harmless, usual] = await measureBeside(stage, after(seconds));
  await twin.end();
  await twin.leave();
  await sleep(1_000);

  const before = largerOf(usual, await readHeld(stage.service));
  const driven = await drive({ name: attack.name, part: 'attack', target, prepared });
  const looked = lookDuring(attack, stage, prepared);
  const [attacked, peak] = await measureBeside(stage, both(after(seconds), looked.isOver));
  findings.push(...(await looked.findings));
  const answers = await driven.end();
  const backAfter = await recover(attack, stage, driven, before);
  const outcome = { alone, harmless, attacked, answers, before, peak, backAfter };
  findings.unshift(...judgeLoad(outcome));
  return outcome;
}

/** Starts to look once the attack is at its full rate. */
function lookDuring(attack: Attack, stage: Stage, prepared: unknown) {
  let over = false;
  const findings = sleep(1_500)
    .then(() => attack.during?.(stage, prepared) ?? [])
    .finally(() => (over = true));
  return { findings, isOver: () => over };
}

function measureBeside(stage: Stage, isOver: () => boolean): Promise<[Experience, Held]> {
  return Promise.all([measureOthers(stage, PACE, isOver), watchPeak(stage.service, isOver)]);
}

async function recover(
  attack: Attack,
  { service }: Stage,
  driven: Driven,
  before: Held,
): Promise<number | null> {
  if (attack.load?.holdsOn !== true) await driven.leave();
  const backAfter = await waitUntilBack(service, before, 60);
  if (attack.load?.holdsOn === true) await driven.leave();
  return backAfter;
}

function judgeLoad({ harmless, attacked, backAfter }: LoadOutcome): Finding[] {
  const most = Math.max(2 * harmless.p99Ms, UNNOTICED_MS);
  return [
    {
      promise: 'the others get no 503 and every answer',
      holds: attacked.unavailable === 0 && attacked.failed === 0,
      seen: `${attacked.unavailable} × 503, ${attacked.failed} failed`,
    },
    {
      promise: 'the p99 of the others is at most twice that under the harmless load',
      holds: attacked.p99Ms <= most,
      seen: `${Math.round(attacked.p99Ms)} ms, harmless ${Math.round(harmless.p99Ms)} ms`,
    },
    {
      promise: 'memory and sockets are back within a minute',
      holds: backAfter !== null,
      seen: backAfter === null ? 'not within a minute' : `after ${Math.round(backAfter)} s`,
    },
  ];
}

function after(seconds: number): () => boolean {
  const end = performance.now() + seconds * 1_000;
  return () => performance.now() >= end;
}

function both(a: () => boolean, b: () => boolean): () => boolean {
  return () => a() && b();
}
