import type { ConsumptionPreview, ShopClient } from '@loyalty/sdk';
import { cartToPreview } from './order-state.ts';
import { remember } from './remembered.ts';
import type { ShopOrder } from './shop-order.ts';

/** A cart or a product, for which a page says what it would earn. */
export interface ToPreview extends Pick<ShopOrder, 'currency' | 'channel' | 'lines'> {
  /** What will be paid, in units of the currency. */
  total: number;
  /** The customer; null for a visitor, who is told what anybody would get. */
  email: string | null;
}

export interface PreviewOptions {
  client: ShopClient;
  /** How long an answer is good, 30 by default: rules by hour begin and end. */
  seconds?: number;
  /** How many answers are kept, 1,000 by default. */
  most?: number;
}

/** What a page says: “you will earn 24 points”. */
export type Previewed = Pick<ConsumptionPreview, 'points' | 'explanation' | 'stamps'>;

/**
 * Returns a function that says what a cart or a product would earn, by the rule that will record it. Answers are kept for some seconds, so that a
 * page that many look at asks once. It rejects if the service does not answer within two seconds: show the page without it.
 */
export function createPreviews({ client, seconds = 30, most = 1_000 }: PreviewOptions) {
  const answers = remember<Previewed>(most);
  const options = { timeoutMs: 2_000, attempts: 1 };

  return async ({ total, email, ...cart }: ToPreview): Promise<Previewed> => {
    const asked = cartToPreview({ ...cart, total });
    if (asked.paid === 0) return { points: 0, explanation: '' };
    return answers.get(JSON.stringify([email, asked]), async () => ({
      value: await client.previewOrder({ ...asked, client_email: email }, options),
      forMs: seconds * 1_000,
    }));
  };
}
