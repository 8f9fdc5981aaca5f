import { stringify } from 'yaml';
import { jobNames, runDueJobs } from '#jobs/run-jobs.ts';
import { least } from './small-shops.ts';
import type { World } from './world.ts';

/**
 * What the release's service still does while the next one is being started beside it: members climb, return, join,
 * leave and come back, somebody's points wait, a program is applied, jobs run. Nothing is redeemed and nothing sealed: the database itself
 * says when that was, so it would be another instant when the statements are sent again.
 */
export async function liveLastMinutes(world: World): Promise<void> {
  const [luna, bodega, fuji, mercado, bare] = ['cafe-luna', 'bodega', 'fuji-books', 'mercado', 'bare'].map(
    (slug) => world.shops.get(slug)!,
  );
  await luna!.sell('elena@example.com', 250_000, { id_suc: 4 }, 'late-1');
  const climbed = await luna!.sell('carla@example.com', 30_000, {}, 'late-2');
  await luna!.reverse(climbed, undefined, 'late-return-1');
  await luna!.exchange('hugo@example.com', 'ten-percent', 'late-exchange-1');
  await luna!.leave('bruno@example.com');
  await luna!.join('bruno@example.com');
  await luna!.leave('nico@example.com');
  await luna!.signIn('late@example.com');
  await luna!.profile('late@example.com', { username: 'Lately', birth_date: '1999-09-09' });
  await luna!.sellByEmail('later@example.com', 60_000, 'late-3');
  await bodega!.sell('xenia@example.com', 2_600, {}, 'late-4');
  await bodega!.sell('quino@example.com', 1_500);
  await fuji!.sell('daiki@example.com', 30_000);
  await runDueJobs(
    world.db,
    fuji!.id,
    jobNames.filter((name) => name !== 'seal'),
  );
  await mercado!.sell('bea@example.com', 12, {}, 'late-5');
  const ladder = [
    { name: 'Guest', threshold: 0 },
    { name: 'Friend', threshold: 5, points_multiplier: 2, benefit: 'candle' },
    { name: 'Family', threshold: 5_000, points_multiplier: 3 },
  ];
  const candle = {
    id: 'candle',
    benefit_type: 'level',
    type: 'free_product',
    title: 'A candle',
    product: {},
  };
  await bare!.apply(stringify({ ...least, levels: { ladder }, benefits: [candle] }));
  await bare!.sell('bea@example.com', 3);
}
