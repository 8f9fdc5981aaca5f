/** The scenes of the orders of an online shop. */
import type { Page } from 'playwright-core';
import { never, type Scene } from './scene.ts';
import { makeOrders } from './shop-orders.ts';
import type { World } from './world.ts';

/** Orders with a past, once for all pictures. */
let made: Promise<unknown> | undefined;
const withOrders = (_page: Page, { shop, member }: World): Promise<void> =>
  (made ??= makeOrders(shop, member)).then(() => undefined);

const list = ({ shop }: World) => `/${shop.slug}/members/orders`;

function scene(name: string, reach: NonNullable<Scene['reach']>, more: Partial<Scene> = {}): Scene {
  return { name: `orders-${name}`, role: 'manager', path: list, before: withOrders, reach, ...more };
}

export const ORDER_SCENES: readonly Scene[] = [
  scene('list', (page) => page.locator('.orders .row-link').first().waitFor()),
  scene('list-waiting', (page) => page.locator('.waiting').first().waitFor(), { before: never('orders') }),
  scene('list-none', (page) => page.locator('.state').waitFor(), {
    path: (world) => `${list(world)}?from=2020-01-01&to=2020-01-01`,
  }),
  scene('list-empty', (page) => page.locator('.state').waitFor(), {
    role: 'owner',
    path: ({ empty }) => `/${empty.slug}/members/orders`,
  }),
  scene('order', (page) => page.locator('.order-writes').waitFor(), {
    path: (world) => `${list(world)}?order=WEB-2026-1042`,
  }),
  scene('order-refused', (page) => page.locator('.order-writes').waitFor(), {
    path: (world) => `${list(world)}?order=WEB-2026-1043`,
  }),
  scene('unknown', (page) => page.locator('.state').waitFor(), {
    path: (world) => `${list(world)}?order=none`,
  }),
];
