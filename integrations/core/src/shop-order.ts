/** An order as its shop knows it, in the words that all shops share. Money has cents here: `orderState` makes whole units of it. */
export interface ShopOrder {
  /** The `external_id` of the order at the service: 1 to 255 printable ASCII characters, the same for ever. */
  externalId: string;
  /** The id under which `holdCode` held its codes, if it is another one. */
  cartId?: string | null;
  /** The address of the buyer. */
  email: string;
  /**
   * `placed`: nothing is paid yet; its codes are used, because the buyer has got the discount. `paid`: paid in part or in full, or free of
   * charge. `cancelled`: it will never be anything else. A cart is none of these: it holds codes by `holdCode`.
   */
  state: 'placed' | 'paid' | 'cancelled';
  /** ISO 4217. */
  currency: string;
  /**
   * What was paid in money in the end, before refunds and after all discounts, in units of the currency. Not what gift cards or store
   * credit paid, if they earned points when they were bought.
   */
  paid: number;
  /** What of it went back so far. */
  refunded: number;
  /** When it was first paid. The same instant in every state of the order. */
  paidAt?: Date | null;
  /**
   * True for an order from before the plugin: it follows if an import has brought it, and is left out otherwise. It needs `paidAt`. Any other
   * order counts from the moment when it is first told, if it was paid more than 72 hours before.
   */
  isFromBefore?: boolean;
  /** The codes of the service that the order uses, 14 digits each, at most 20. */
  codes: readonly number[];
  /** True once the order cannot be returned any more: points that wait for the shop wait no longer. */
  confirmed?: boolean;
  /** Where it was sold, for rules by channel. */
  channel?: string | null;
  lines: readonly ShopLine[];
}

/** One line of an order. Shipping is a line too: give it the category `shipping`, so that a program can exclude it. */
export interface ShopLine {
  /** The shop's own id of the line, at most 64 characters, the same in every state of the order. */
  id: string;
  /** The name by which the program knows the product, such as its SKU. */
  product?: string | null;
  /** The names by which the program knows its categories. */
  categories?: readonly string[];
  units: number;
  /** What the line costs after discounts, with taxes, in units of the currency. */
  total: number;
  /** True if it was sold at a reduced price. */
  discounted?: boolean;
  /** How many came back. */
  returnedUnits?: number;
}
