/** What a shop says when it adds the plugin. */
import type { Order, OrderLine } from '@vendure/core';

/** A commerce of the service, and the shop's key to it. */
export interface Commerce {
  /** The value of `X-Commerce-Id`. */
  commerceId: number;
  /**
   * A key with the scopes `read`, `purchases`, `redeem`, `orders` and `members`; with `sign_in` too, so that customers see their account, and with
   * `undo`, so that cancelled orders give their codes back.
   */
  apiKey: string;
}

export interface LoyaltyPluginOptions extends Commerce {
  /** The address of the service, such as `https://loyalty.example`. */
  baseUrl: string;
  /** The address of the console, for links of the staff; that of the service by default. */
  consoleUrl?: string;
  /** Other commerces, by the code of the sales channel that belongs to each. */
  channels?: Readonly<Record<string, Commerce>>;
  /** The secret of the webhook that points at `/loyalty/webhook`, beginning with `whsec_`. Several while you change over. */
  webhookSecret?: string | readonly string[];
  /** The name of the sales channel in rules of the program; `web` by default. */
  channel?: string;
  /**
   * True if the shop proves the addresses of its customers in another way than by Vendure's mail, such as a sign-in by a provider. By default a
   * customer sees the account only where Vendure asks for the proof (`authOptions.requireVerification`).
   */
  addressesAreProved?: boolean;
  /** The name by which the program knows a product: its id in Vendure by default, since `shop_coupon` names that. */
  productOf?: (line: OrderLine) => string;
  /** True once an order cannot be returned any more: points that wait for the shop wait no longer. */
  isFinal?: (order: Order) => boolean;
  /** How often the plugin looks for orders to send, in milliseconds; 2 seconds by default. */
  sendEveryMs?: number;
  /** How often it looks for changes that no event told, in milliseconds; 5 minutes by default. */
  sweepEveryMs?: number;
}

/** The token by which parts of the plugin get the options. */
export const LOYALTY_OPTIONS = Symbol('loyalty options');

/** The name in the log of the shop. */
export const LOG = 'Loyalty';
