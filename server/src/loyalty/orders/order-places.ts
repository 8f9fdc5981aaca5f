import { createSignedTexts, UnknownCursor } from '#http/cursor.ts';
import type { SecretKeys } from '#settings/secret-key.ts';
import type { OrderPlace } from './list-orders.ts';

/** Cursors of a list of orders. Their owner can read them, so they hold nothing but what the list shows. */
export function createOrderPlaces(secret: SecretKeys, scope: string) {
  const texts = createSignedTexts(secret, scope);
  return {
    seal: ({ placedAt, externalId }: OrderPlace) => texts.seal(`${placedAt.getTime()}.${externalId}`),

    /** @throws UnknownCursor */
    open(cursor: string): OrderPlace {
      const content = texts.open(cursor);
      if (content === null) throw new UnknownCursor('query');
      const [at, ...rest] = content.split('.');
      return { placedAt: new Date(Number(at)), externalId: rest.join('.') };
    },
  };
}
