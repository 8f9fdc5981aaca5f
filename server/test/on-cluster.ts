/** What tests have to know about the three nodes that they may run on (`CITUS_BIN`, see `global-setup.ts`). */

import { cluster } from './database.ts';

/** Whether the database is divided over several servers. */
export const isOnNodes = process.env['TEST_CLUSTER'] !== undefined;

/** The value of `skip` for what is so only without the setting `CLUSTER`, whatever the server. */
export function withoutSetting(instead: string): string | false {
  return cluster !== null && `without CLUSTER only; with it, ${instead}`;
}

/**
 * The value of `skip` for what only one server can do.
 * @param instead what happens on a cluster, and where that is tested
 */
export function onOneServer(instead: string): string | false {
  return isOnNodes && `one server only; on a cluster, ${instead}`;
}
