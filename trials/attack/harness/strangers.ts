import type { Field, Tally } from './attack.ts';
import { askForCode } from './mailbox.ts';
import { networkOfPerson } from './networks.ts';
import { withFreshConnections } from './purchases.ts';
import { sendWaves } from './waves.ts';

/** The size of the loads on sign-in. */
export const SIGN_IN_SIZE = { connections: 50, perSecond: 200 };

/** The harmless load beside attacks on sign-in: as many people, each from home, ask for a code. */
export function askAsStrangers<P>({ port, attacked, isOver }: Field<P>): Promise<Tally> {
  return withFreshConnections(port, (caller) =>
    sendWaves({ ...SIGN_IN_SIZE, isOver }, (n) =>
      askForCode(caller, attacked, {
        email: `stranger-${n}@home-${n}.example`,
        from: networkOfPerson(20_000 + n),
      }),
    ),
  );
}
