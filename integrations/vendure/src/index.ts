/** The public API of the package. */
export { LoyaltyPlugin } from './loyalty-plugin.ts';
export type { Commerce, LoyaltyPluginOptions } from './options.ts';
export { LoyaltyMark, LoyaltyOutboxRow } from './entities.ts';
export { LoyaltyEvent } from './webhooks.ts';
