import { sql, type Db } from '#db/database.ts';
import { NotFound } from '#problems/problem.ts';

export const DELIVERY_STATES = ['waiting', 'delivered', 'failed'] as const;

/** A delivery as the people of the shop see it. */
export interface Delivery {
  readonly eventId: number;
  readonly type: string;
  readonly state: (typeof DELIVERY_STATES)[number];
  readonly attempts: number;
  readonly createdAt: Date;
  /** The last attempt, or when somebody asked for one. */
  readonly at: Date;
  readonly nextAt: Date | null;
  /** Null if there was no attempt or no answer. */
  readonly status: number | null;
  readonly answerMs: number | null;
}

/** A delivery with what was sent and what came back, as far as it is text. */
export interface WholeDelivery extends Delivery {
  readonly body: string | null;
  readonly answer: string | null;
}

/** The webhook has no such delivery, or it is not kept any more. */
export class UnknownDelivery extends NotFound {
  constructor() {
    super('the webhook has no delivery with this id: only the last ones are kept');
  }
}

const PAGE = 50;

const columns =
  sql.raw(`event_id as "eventId", type, state, attempts, created_at as "createdAt", at, next_at as "nextAt",
           status, answer_ms as "answerMs"`);

/** Where a page begins: behind this delivery. */
export interface DeliveryPosition {
  readonly at: Date;
  readonly id: number;
}

/** Returns deliveries of a webhook, those with the last attempts first. */
export async function readDeliveries(
  db: Db,
  commerceId: number,
  webhookId: string,
  state: Delivery['state'] | null,
  after: DeliveryPosition | null,
): Promise<{ deliveries: Delivery[]; next: DeliveryPosition | null }> {
  const { rows } = await sql<Delivery>`-- read-deliveries
    select ${columns}
      from webhook_deliveries
     where commerce_id = ${commerceId} and webhook_id = ${webhookId}
       and (${state}::text is null or state = ${state}::text)
       and (${after?.at ?? null}::timestamptz is null
            or (at, event_id) < (${after?.at ?? null}::timestamptz, ${after?.id ?? null}::bigint))
     order by at desc, event_id desc
     limit ${PAGE + 1}`.execute(db);
  const deliveries = rows.slice(0, PAGE);
  const last = deliveries.at(-1);
  const next = rows.length > PAGE && last !== undefined ? { at: last.at, id: last.eventId } : null;
  return { deliveries, next };
}

/** @throws UnknownDelivery */
export async function readDelivery(
  db: Db,
  commerceId: number,
  webhookId: string,
  eventId: number,
): Promise<WholeDelivery> {
  const { rows } = await sql<WholeDelivery>`-- read-delivery
    select ${columns}, body, answer
      from webhook_deliveries
     where commerce_id = ${commerceId} and webhook_id = ${webhookId} and event_id = ${eventId}`.execute(db);
  const [delivery] = rows;
  if (delivery === undefined) throw new UnknownDelivery();
  return delivery;
}
