/** People at the console while purchases are measured: they search as they type, list, and open members. */
import { setTimeout } from 'node:timers/promises';
import { createKey } from '../server/src/commerces/api-keys.ts';
import { anybody, codeOf } from './load-members.ts';
import type { Site } from './sites.ts';

/** How long each answer took, in milliseconds, by what was asked. */
export type Waited = Record<string, number[]>;

/**
 * Some people use the console of the largest commerce until `stop` is called: each makes a call every `everyMs`, as someone
 * does who types a name, opens a person and goes back to the list. @throws if an answer is not a 200
 */
export async function useConsole(
  site: Site,
  people: number,
  everyMs: number,
): Promise<{ stop(): Promise<Waited> }> {
  const { commerceId } = site.loaded.shops[0]!;
  const { key } = await createKey(site.db, commerceId, 'bench', 'manager');
  const waited: Waited = {};
  const run = { isOver: false };
  const ask = async (name: string, path: string, body?: object) => {
    const start = performance.now();
    const answer = await fetch(`http://127.0.0.1:${site.service.port}/admin/v1${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`${path} was answered ${answer.status}: ${text}`);
    (waited[name] ??= []).push(performance.now() - start);
    await setTimeout(everyMs * (0.5 + Math.random()));
    return JSON.parse(text) as { results: { member_id: number }[]; members: { member_id: number }[] };
  };

  const work = Array.from({ length: people }, async (_, person) => {
    await setTimeout((everyMs * person) / people);
    while (!run.isOver) {
      for (const text of [
        'm',
        'ma',
        'mar',
        'maria',
        'maria g',
        String(codeOf(1 + (anybody(site.loaded) % site.loaded.shops[0]!.members))),
      ])
        await ask('search', '/find', { text });
      const { results } = await ask('list', '/members/search', { text: 'ga', sort: 'name' });
      await ask('list', '/members/search', { sort: 'newest', min_points: 100 });
      const { member_id } = results[0]!;
      await ask('member', `/members/${member_id}`);
      await ask('history', `/members/${member_id}/history`);
      await ask('list', '/members/search', { state: 'left' });
    }
  });
  const done = Promise.all(work);
  // A failure is told by `stop`.
  done.catch(() => {});
  return {
    async stop() {
      run.isOver = true;
      await done;
      return waited;
    },
  };
}
