import { Type } from 'typebox';
import { readCommerces } from '#commerces/commerce.ts';
import type { Database } from '#db/database.ts';
import { Int64 } from '#http/schema.ts';
import type { App } from '#http/server.ts';
import { findMember, type MemberRef } from '#members/lock-members.ts';
import { withLots } from '#points/locked-member.ts';
import { balanceOn } from '#points/lots.ts';
import { UnknownMember } from '#purchases/record-purchases.ts';
import { Client, clientOf } from './wire.ts';

/** A commerce looks its members up. */
export function clientRoutes(app: App, { db }: { db: Database }): void {
  app.get(
    '/v1/clients/:client_code',
    {
      schema: {
        operationId: 'getClient',
        summary: 'Look up a client and the balance',
        tags: ['Clients'],
        params: Type.Object({ client_code: Int64({ description: 'Code of the member.' }) }),
        response: { 200: Client },
      },
      config: { credential: 'key', document: 'contract', refusals: { 404: 'The client does not exist.' } },
    },
    (request) => readClient(db, { commerceId: request.commerceId, code: request.params.client_code }),
  );
}

async function readClient(db: Database, ref: MemberRef) {
  const member = await findMember(db, ref);
  if (member === undefined || member.state === 'invited') throw new UnknownMember();
  const [holder] = await withLots(db, [member]);
  const commerce = (await readCommerces(db, [ref.commerceId])).get(ref.commerceId);
  return clientOf(member, balanceOn(holder!.lots, commerce!.today));
}
