import { stringify } from 'yaml';
import { openShop, type World } from './world.ts';

/**
 * A shop with real members, whose clock is the world's: nothing in its answers has a date ahead of it. Then one that
 * says only what a program must say, one that is paused, and one that was closed.
 */
export async function liveSmallShops(world: World): Promise<void> {
  const mercado = await openShop(world, stringify(real));
  await mercado.signIn('bea@example.com');
  await mercado.join('ana@example.com');
  await mercado.sell('bea@example.com', 120, { id_suc: 1 }, 'mercado-1');
  const returned = await mercado.sell('ana@example.com', 55, {}, 'mercado-2');
  await mercado.sell('bea@example.com', 31);
  await mercado.reverse(returned, 5, 'mercado-return-1');
  await mercado.exchange('bea@example.com', 'apples', 'mercado-exchange-1');
  await mercado.redeem(await mercado.exchange('bea@example.com', 'apples'), 'mercado-redeem-1');
  await mercado.sellByEmail('cleo@example.com', 44);

  const bare = await openShop(world, stringify(least));
  await bare.join('bea@example.com');
  await bare.sell('bea@example.com', 9);

  const paused = await openShop(world, stringify({ ...least, slug: 'winter-break', name: 'Winter Break' }));
  await paused.join('bea@example.com');
  await paused.sell('bea@example.com', 40);
  await paused.apply(stringify({ ...least, slug: 'winter-break', name: 'Winter Break', status: 'paused' }));

  const closed = await openShop(world, stringify({ ...least, slug: 'last-orders', name: 'Last Orders' }));
  await closed.join('bea@example.com');
  await closed.sell('bea@example.com', 77, {}, 'last-1');
  await closed.close();
}

const real = {
  slug: 'mercado',
  name: 'Mercado',
  currency: 'USD',
  time_zone: 'America/New_York',
  locale: 'en-US',
  earning: { money_per_point: 0.5 },
  levels: {
    ladder: [
      { name: 'Regular', threshold: 50, points_multiplier: 1.005 },
      { name: 'Neighbour', threshold: 250, points_multiplier: 1.25, benefit: 'tote' },
    ],
  },
  benefits: [
    { id: 'apples', type: 'free_product', title: 'A bag of apples', cost: 60, product: { name: 'Apples' } },
    { id: 'tote', benefit_type: 'level', type: 'free_product', title: 'A tote bag', product: { id: 3 } },
  ],
};

/** A program that says only what it must. */
export const least = {
  slug: 'bare',
  name: 'Bare',
  sandbox: true,
  clock: '2025-01-15T12:00:00Z',
  currency: 'CHF',
  time_zone: 'Europe/Zurich',
  earning: { money_per_point: 1 },
};
