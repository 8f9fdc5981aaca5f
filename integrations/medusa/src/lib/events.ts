import { ContainerRegistrationKeys, Modules } from '@medusajs/framework/utils';
import type { MedusaContainer } from '@medusajs/framework/types';
import type { EventHandlers } from '@loyalty/shop-core';

/**
 * What this shop does about events of the service: it passes them on as events of its own, `loyalty.voucher.used` for example, for subscribers of
 * the shop.
 */
export function receiveEvents(container: MedusaContainer): EventHandlers {
  const bus = container.resolve(Modules.EVENT_BUS);
  const logger = container.resolve(ContainerRegistrationKeys.LOGGER);
  const passOn = async (event: { id: string; type: string }): Promise<void> => {
    logger.debug(`loyalty: ${event.type} ${event.id}`);
    await bus.emit({ name: `loyalty.${event.type}`, data: event });
  };
  return new Proxy<EventHandlers>({}, { get: () => passOn });
}
