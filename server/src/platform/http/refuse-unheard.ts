import { isUnheard } from '#db/cluster/heartbeat.ts';
import { machineOf } from '#db/cluster/shards.ts';
import { NoConnection } from '#db/database-errors.ts';
import type { Database } from '#db/database.ts';
import type { App } from './server.ts';

/**
 * Refuses the calls of commerces whose machine of a cluster does not answer. Each would wait until its statement is given up, and hold a
 * connection, a turn and a place in a batch that the commerces of the other machines need. Must be called before the first route is added.
 * Adds nothing on one server.
 */
export function refuseUnheard(app: App, database: Database): void {
  if (database.address.cluster == null) return;
  app.addHook('onRoute', (route) => {
    // The last of them: others find out at which commerce a call is made.
    route.preHandler = [
      ...[route.preHandler ?? []].flat(),
      (request, _reply, done) => {
        const machine = request.commerceId === 0 ? null : machineOf(database, request.commerceId);
        done(machine !== null && isUnheard(database, machine) ? new MachineUnheard(machine) : undefined);
      },
    ];
  });
}

class MachineUnheard extends NoConnection {
  constructor(machine: string) {
    super(new Error(`${machine} of the cluster does not answer`));
  }
}
