import { errors, SignJWT } from 'jose';
import { createHiddenIds } from '#batching/hidden-ids.ts';
import { sql, type Db } from '#db/database.ts';
import { verifyToken } from '#http/verify-token.ts';
import { NotFound } from '#problems/problem.ts';
import { deriveKeys, type SecretKeys } from '#settings/secret-key.ts';

/** The kind of wallet. */
export type WalletKind = 'apple' | 'google';

/** The person who adds a card to a wallet, and which card and wallet. */
export interface TicketOwner {
  readonly commerceId: number;
  readonly userId: number;
  readonly kind: WalletKind;
}

/** Signs the part of an address that lets a phone fetch one card without a session. */
export interface Tickets {
  issue(db: Db, owners: readonly TicketOwner[]): Promise<string[]>;
  /** @throws StaleTicket if it is not ours, is for another wallet, or has expired */
  open(db: Db, ticket: string, kind: WalletKind): Promise<TicketOwner>;
}

/** 404: the address was valid for a few minutes only. */
class StaleTicket extends NotFound {
  constructor() {
    super('this address has expired: open your card again and press the button once more');
  }
}

/** Long enough to press a button and to confirm in the wallet, and too short to be worth finding in a browser’s history. */
export const TICKET_SECONDS = 300;
export const TICKET_CHARACTERS = 400;

const HEADER = { alg: 'HS256', typ: 'wallet+jwt' } as const;
const AUDIENCE = 'loyalty/wallets';

/** Creates the tickets of a service with this secret. They expire by the database’s clock. */
export function createTickets(secret: SecretKeys): Tickets {
  const keys = deriveKeys(secret, 'wallet tickets', 32);
  // Ids count up over all shops, and addresses end up in histories and logs.
  const ids = deriveKeys(secret, 'ids in wallet tickets', 12).map(createHiddenIds);
  return {
    async issue(db, owners) {
      const now = Math.floor((await readTime(db)).getTime() / 1000);
      return Promise.all(
        owners.map(({ commerceId, userId, kind }) =>
          new SignJWT({ cid: commerceId, kind })
            .setProtectedHeader(HEADER)
            .setAudience(AUDIENCE)
            .setSubject(String(ids[0]!.hide(userId)))
            .setExpirationTime(now + TICKET_SECONDS)
            .sign(keys[0]),
        ),
      );
    },

    async open(db, ticket, kind) {
      try {
        const { payload, place } = await verifyToken(ticket, keys, {
          algorithms: [HEADER.alg],
          typ: HEADER.typ,
          audience: AUDIENCE,
          requiredClaims: ['sub', 'cid', 'kind', 'exp'],
          currentDate: await readTime(db),
        });
        const userId = ids[place]!.show(Number(payload.sub));
        if (userId === null || payload['kind'] !== kind) throw new StaleTicket();
        return { commerceId: Number(payload['cid']), userId, kind };
      } catch (error) {
        if (error instanceof errors.JOSEError) throw new StaleTicket();
        throw error;
      }
    },
  };
}

async function readTime(db: Db): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`-- read-time
    select now()`.execute(db);
  return rows[0]!.now;
}
