/** The codes of a cart, which Vendure keeps with the order in a field of the plugin's own. */
import type { Discount } from '@loyalty/shop-core';
import type { CustomFieldConfig, Order } from '@vendure/core';

/** A code of an order. */
export interface CartCode {
  /** 14 digits. */
  code: number;
  title: string;
  discount: Discount;
}

/** What the plugin keeps with an order. No API of the shop shows it or writes it. */
interface LoyaltyFields {
  /** `CartCode[]` as JSON; null for none. */
  loyaltyCodes: string | null;
  /** The address with which the order was placed. A customer who changes it later does not make another buyer of the order. */
  loyaltyBuyer: string | null;
}

export const ORDER_FIELDS: CustomFieldConfig[] = [
  { name: 'loyaltyCodes', type: 'text', internal: true, nullable: true },
  { name: 'loyaltyBuyer', type: 'string', internal: true, nullable: true },
];

export function fieldsOf(order: Pick<Order, 'customFields'>): LoyaltyFields {
  return order.customFields as unknown as LoyaltyFields;
}

export function codesOf(order: Pick<Order, 'customFields'>): CartCode[] {
  const text = fieldsOf(order).loyaltyCodes;
  return text === null || text === undefined ? [] : (JSON.parse(text) as CartCode[]);
}

export function textOf(codes: readonly CartCode[]): string | null {
  return codes.length === 0 ? null : JSON.stringify(codes);
}

/** As a customer types it: 14 digits, with the zeros at the front. */
export function writtenCode(code: number): string {
  return String(code).padStart(14, '0');
}
