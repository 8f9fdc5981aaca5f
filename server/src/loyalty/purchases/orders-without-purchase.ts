import { commercesOf } from '#db/commerces-of.ts';
import { sql, type Db } from '#db/database.ts';
import { Problem } from '#problems/problem.ts';

/** The shop has said that an order with this id is not paid yet. */
export class OrderOpen extends Problem {
  constructor() {
    super(
      409,
      'order_open',
      'the external_id is that of an open order: send the order as paid with PUT /v1/orders/{external_id}',
    );
  }
}

/** The shop has cancelled the order with this id, which is final. */
export class OrderCancelled extends Problem {
  constructor() {
    super(
      409,
      'order_cancelled',
      'the order was cancelled, which is final: a new order needs an id of its own',
    );
  }
}

/** An order with the shop's own id of a purchase. */
export interface NamedOrder {
  readonly commerceId: number;
  readonly externalId: string;
}

/**
 * Returns the status of orders that have no purchase, by `nameOfOrder`. Call it while holding the claims of their ids: who states an order
 * claims its id too.
 */
export async function findOrdersWithoutPurchase(
  db: Db,
  named: readonly NamedOrder[],
): Promise<Map<string, 'open' | 'paid' | 'cancelled'>> {
  if (named.length === 0) return new Map();
  const { rows } = await sql<
    NamedOrder & { status: 'open' | 'paid' | 'cancelled' }
  >`-- find-orders-without-purchase
    select o.commerce_id as "commerceId", o.external_id as "externalId", o.status
      from unnest(${named.map((one) => one.commerceId)}::bigint[], ${named.map((one) => one.externalId)}::text[])
             as n(commerce_id, external_id)
      join orders o on o.commerce_id = n.commerce_id and o.external_id = n.external_id
     where o.commerce_id = any(${commercesOf(named)}::bigint[]) and o.purchase_id is null`.execute(db);
  return new Map(rows.map((row) => [nameOfOrder(row), row.status]));
}

export function nameOfOrder({ commerceId, externalId }: NamedOrder): string {
  return `${commerceId}/${externalId}`;
}
