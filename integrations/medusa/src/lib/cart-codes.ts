import { ContainerRegistrationKeys, MedusaError, Modules, PromotionActions } from '@medusajs/framework/utils';
import type { MedusaContainer } from '@medusajs/framework/types';
import { updateCartPromotionsWorkflow } from '@medusajs/medusa/core-flows';
import { codeIn, CodeRefused, holdCode, type UsableCode } from '@loyalty/shop-core';
import type { Commerce } from '../modules/connection/service';
import { sqlOf } from './database';
import { connectionOf } from './follower';
import { readGraph } from './graph';
import { promotionOf } from './promotions';

/** A cart as far as codes are concerned. */
interface Cart {
  id: string;
  currency_code: string;
  sales_channel_id: string | null;
  completed_at: string | null;
  promotions: ({ code: string | null } | null)[] | null;
}

/** As many codes are looked at together. */
const PAGE = 200;

/** A code that was added to a cart. */
export interface CartCode {
  code: string;
  title: string;
}

/**
 * Holds a code for a cart and takes its discount off by a promotion that works in this cart alone. Again, it extends the hold.
 * @throws CodeRefused, MedusaError if there is no such cart
 */
export async function addCode(container: MedusaContainer, cartId: string, text: string): Promise<UsableCode> {
  const code = codeIn(text);
  if (code === null) throw new CodeRefused('unknown');
  const cart = await readCart(container, cartId);
  const commerce = connectionOf(container).commerceOf(cart.sales_channel_id);
  if (!(await isInCurrency(commerce, cart))) throw new CodeRefused('currency');
  const usable = await holdCode(commerce.client, cartId, code);
  // A double click would make two promotions with one name.
  await container
    .resolve(Modules.LOCKING)
    .execute(`loyalty-code-${code}`, () => makePromotion(container, cart, usable), { timeout: 10 });
  await updateCartPromotionsWorkflow(container).run({
    input: { cart_id: cartId, promo_codes: [nameOf(code)], action: PromotionActions.ADD },
  });
  return usable;
}

/** Takes a code out of a cart and lets go of it. Nothing happens if the cart does not have it, or is an order by now. */
export async function removeCode(container: MedusaContainer, cartId: string, text: string): Promise<void> {
  const code = codeIn(text);
  const cart = await readCart(container, cartId);
  if (code === null || cart.completed_at) return;
  await updateCartPromotionsWorkflow(container).run({
    input: { cart_id: cartId, promo_codes: [nameOf(code)], action: PromotionActions.REMOVE },
  });
  await letGo(container, cart, code);
}

/** Returns the codes of a cart. */
export async function listCodes(container: MedusaContainer, cartId: string): Promise<CartCode[]> {
  return sqlOf(container)<CartCode>(
    `select code, title from loyalty_cart_code where cart_id = $1 order by added_at, code`,
    [cartId],
  );
}

/** Extends the holds of a cart, while its customer is there. Returns the codes that it has lost, to the till for example, and takes them out. */
export async function keepCodes(container: MedusaContainer, cartId: string): Promise<CartCode[]> {
  const cart = await readCart(container, cartId);
  const commerce = connectionOf(container).commerceOf(cart.sales_channel_id);
  const lost: CartCode[] = [];
  for (const kept of await listCodes(container, cartId))
    try {
      // A cart changes its currency with its region.
      if (!(await isInCurrency(commerce, cart))) throw new CodeRefused('currency');
      await holdCode(commerce.client, cartId, Number(kept.code));
    } catch (error) {
      if (!(error instanceof CodeRefused)) throw error;
      lost.push(kept);
    }
  if (lost.length > 0) {
    await updateCartPromotionsWorkflow(container).run({
      input: {
        cart_id: cartId,
        promo_codes: lost.map(({ code }) => code),
        action: PromotionActions.REMOVE,
      },
    });
    for (const { code } of lost) await forget(container, code);
  }
  return lost;
}

/**
 * Returns the codes of a cart that cannot be used any more. For whoever owns the hook `validate` of `completeCartWorkflow`: refuse to complete the cart
 * if there are any, and the customer pays no price that the shop does not get.
 */
export async function lostCodes(container: MedusaContainer, cartId: string): Promise<CartCode[]> {
  return keepCodes(container, cartId);
}

/** How often `releaseTakenOut` runs. */
const RUN_MS = 5 * 60_000;
const RUNS_OF_A_DAY = (24 * 60 * 60_000) / RUN_MS;

/**
 * Lets go of codes that were taken out of their carts in another way than by the plugin's routes. Whichever cannot be let go now is tried
 * again, and holds up no other.
 */
export async function releaseTakenOut(container: MedusaContainer): Promise<void> {
  const sql = sqlOf(container);
  const logger = container.resolve(ContainerRegistrationKeys.LOGGER);
  // Carts that were left with their codes stay for ever, so each run looks at those of the last day, and at a part of the others.
  const part = Math.floor(Date.now() / RUN_MS) % RUNS_OF_A_DAY;
  for (let after = ''; ;) {
    const rows = await sql<{ code: string; cart_id: string }>(
      `select code, cart_id from loyalty_cart_code
        where code > $1 and added_at < now() - interval '5 minutes'
          and (added_at > now() - interval '1 day' or (hashtext(code) & 2147483647) % $3::integer = $4::integer)
        order by code
        limit $2`,
      [after, PAGE, RUNS_OF_A_DAY, part],
    );
    if (rows.length === 0) return;
    const ids = [...new Set(rows.map(({ cart_id: cartId }) => cartId))];
    const carts = new Map((await findCarts(container, ids)).map((cart) => [cart.id, cart]));
    for (const { code, cart_id: cartId } of rows)
      if (!isInUse(carts.get(cartId) ?? null, code))
        await releaseIfTakenOut(container, cartId, code).catch((error: Error) =>
          logger.warn(`loyalty: a code of the cart ${cartId} could not be let go: ${error.message}`),
        );
    after = rows.at(-1)!.code;
  }
}

/** Reads the cart anew: its customer may have typed the code again meanwhile. */
async function releaseIfTakenOut(container: MedusaContainer, cartId: string, code: string): Promise<void> {
  const cart = await findCart(container, cartId);
  if (cart?.completed_at) await sqlOf(container)(`delete from loyalty_cart_code where code = $1`, [code]);
  else if (cart === null) await forget(container, code);
  else if (!isInUse(cart, code)) await letGo(container, cart, Number(code));
}

function isInUse(cart: Cart | null, code: string): boolean {
  if (cart === null || cart.completed_at) return false;
  return (cart.promotions ?? []).some((promotion) => promotion?.code === code);
}

async function isInCurrency(commerce: Commerce, cart: Cart): Promise<boolean> {
  return (await commerce.currency()) === cart.currency_code.toUpperCase();
}

async function letGo(container: MedusaContainer, cart: Cart, code: number): Promise<void> {
  const { client } = connectionOf(container).commerceOf(cart.sales_channel_id);
  const held = await listCodes(container, cart.id);
  if (!held.some((one) => one.code === nameOf(code))) return;
  await client.releaseHold({ external_id: cart.id, client_benefit_code: code });
  await forget(container, nameOf(code));
}

async function forget(container: MedusaContainer, code: string): Promise<void> {
  await deletePromotion(container, code);
  await sqlOf(container)(`delete from loyalty_cart_code where code = $1`, [code]);
}

/** Makes the promotion of a code anew if it belongs to another cart, whose hold has ended. */
async function makePromotion(container: MedusaContainer, cart: Cart, usable: UsableCode): Promise<void> {
  const sql = sqlOf(container);
  const name = nameOf(usable.code);
  const [known] = await sql<{ cart_id: string }>(`select cart_id from loyalty_cart_code where code = $1`, [
    name,
  ]);
  if (known?.cart_id === cart.id) return;
  await deletePromotion(container, name);
  const promotions = container.resolve(Modules.PROMOTION);
  await promotions.createPromotions([await promotionOf(container, cart, usable)]);
  await sql(
    `insert into loyalty_cart_code (code, cart_id, title) values ($1, $2, $3)
     on conflict (code) do update set cart_id = excluded.cart_id, title = excluded.title, added_at = now()`,
    [name, cart.id, usable.title],
  );
}

async function deletePromotion(container: MedusaContainer, name: string): Promise<void> {
  const promotions = container.resolve(Modules.PROMOTION);
  const found = await promotions.listPromotions({ code: [name] });
  if (found.length > 0) await promotions.deletePromotions(found.map(({ id }) => id));
}

async function readCart(container: MedusaContainer, cartId: string): Promise<Cart> {
  const cart = await findCart(container, cartId);
  if (cart === null) throw new MedusaError(MedusaError.Types.NOT_FOUND, `there is no cart ${cartId}`);
  return cart;
}

async function findCart(container: MedusaContainer, cartId: string): Promise<Cart | null> {
  const [cart] = await findCarts(container, [cartId]);
  return cart ?? null;
}

async function findCarts(container: MedusaContainer, ids: readonly string[]): Promise<Cart[]> {
  return readGraph<Cart>(container, {
    entity: 'cart',
    fields: ['id', 'currency_code', 'sales_channel_id', 'completed_at', 'promotions.code'],
    filters: { id: [...ids] },
    pagination: { skip: 0, take: ids.length, order: { id: 'ASC' } },
  });
}

function nameOf(code: number): string {
  return String(code).padStart(14, '0');
}
