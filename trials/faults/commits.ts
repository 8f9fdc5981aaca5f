/** The answers to commits are lost, so that the process cannot know whether the purchases are stored. */
import { setTimeout as sleep } from 'node:timers/promises';
import { runBehindProxy } from './silence.ts';
import type { Outcome } from './fault.ts';

/** A response that asks to repeat the call must be true: what was stored must not be called refused. */
export function unknownCommits(serverUrl: string, count: number): Promise<Outcome> {
  return runBehindProxy(serverUrl, 'commits of unknown outcome', async (proxy) => {
    for (let round = 0; round < count; round++) {
      const before = proxy.swallowed();
      proxy.swallowCommitReplies(1);
      const until = performance.now() + 5_000;
      while (proxy.swallowed() === before && performance.now() < until) await sleep(5);
      proxy.cutSilent();
    }
    const swallowed = proxy.swallowed();
    return [swallowed < count ? `only ${swallowed} of ${count} commits lost their answer` : null];
  });
}
