import { Module } from '@medusajs/framework/utils';
import { ConnectionService } from './service';

/** The name of the module in Medusa's container. `loyalty` is taken by Medusa's own plugin for gift cards. */
export const CONNECTION = 'loyaltyConnection';

export default Module(CONNECTION, { service: ConnectionService });
