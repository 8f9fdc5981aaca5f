import { type Injector, type OrderProcess } from '@vendure/core';
import { LoyaltyService } from './loyalty.service.ts';

/** Holds the codes of a cart again when its customer goes to pay, and stops them there if one was used meanwhile. */
export function holdBeforePayment(): OrderProcess<string> {
  let loyalty: LoyaltyService;
  return {
    init(injector: Injector) {
      loyalty = injector.get(LoyaltyService);
    },
    onTransitionStart(_from, to, { ctx, order }) {
      return to === 'ArrangingPayment' ? loyalty.holdAgain(ctx, order) : undefined;
    },
  };
}
