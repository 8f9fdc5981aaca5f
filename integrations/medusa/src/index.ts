/** What a shop's own code may use: for whoever owns a workflow hook, and for subscribers of its own. */
export { lostCodes, type CartCode } from './lib/cart-codes';
export { connectionOf, followerOf } from './lib/follower';
export type { CommerceOptions, PluginOptions } from './modules/connection/options';
