/** People at the console while purchases are measured: they search as they type, list, and open members. */
import { setTimeout } from 'node:timers/promises';
import { createKey } from '../server/src/loyalty/commerces/api-keys.ts';
import { codeOf } from './load-members.ts';
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
  const over = Promise.withResolvers<void>();
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
    await Promise.race([setTimeout(everyMs * (0.5 + Math.random())), over.promise]);
    return JSON.parse(text) as { results: { member_id: number }[]; members: { member_id: number }[] };
  };

  const somebody = () => codeOf(1 + Math.floor(Math.random() * site.loaded.shops[0]!.members));
  let memberId = 0;
  const day = [
    () => ask('search', '/find', { text: 'm' }),
    () => ask('search', '/find', { text: 'mar' }),
    () => ask('search', '/find', { text: 'maria g' }),
    async () => {
      memberId = (await ask('list', '/members/search', { text: 'ga', sort: 'name' })).results[0]!.member_id;
    },
    () => (memberId === 0 ? null : ask('member', `/members/${memberId}`)),
    () => (memberId === 0 ? null : ask('history', `/members/${memberId}/history`)),
    () => ask('search', '/find', { text: String(somebody()) }),
    () => ask('list', '/members/search', { sort: 'newest', min_points: 100 }),
  ];
  const work = Array.from({ length: people }, async (_, person) => {
    // Each is somewhere else in the same day.
    for (let step = person * 3; !run.isOver; step++) await day[step % day.length]!();
  });
  const done = Promise.all(work);
  // A failure is told by `stop`.
  done.catch(() => {});
  return {
    async stop() {
      run.isOver = true;
      over.resolve();
      await done;
      return waited;
    },
  };
}
