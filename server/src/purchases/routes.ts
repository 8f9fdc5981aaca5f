import { Type } from 'typebox';
import { transaction, type Database } from '#db/database.ts';
import { idempotencyHeader } from '#http/idempotency-header.ts';
import { Int64, Message, Nullable } from '#http/schema.ts';
import type { App } from '#http/server.ts';
import { recordPurchases, type PurchaseCall } from './record-purchases.ts';

const refusals = {
  400: 'The consumption could not be created.',
  403: 'The client exists but is not eligible for consumptions.',
};

const amount = Int64({ description: 'Whole units of the commerce currency, no decimals.' });
const counterId = Type.Optional(Nullable(Int64({ description: 'Id of the register.' })));
const branchId = Type.Optional(Nullable(Int64({ description: 'Id of the branch.' })));

/** Recording purchases: the calls that add points. */
export function purchaseRoutes(app: App, { db }: { db: Database }): void {
  app.post(
    '/v1/consumptions/client-code',
    {
      schema: {
        operationId: 'recordConsumptionByClientCode',
        summary: 'Record a purchase by client code',
        tags: ['Consumptions'],
        headers: idempotencyHeader,
        body: Type.Object({
          client_code: Int64({ description: 'Code of the member.' }),
          amount,
          counter_id: counterId,
          id_suc: branchId,
        }),
        response: { 201: Message },
      },
      config: { credential: 'key', document: 'contract', refusals: { ...refusals, 404: 'The client code does not exist.' } },
    },
    async (request, reply) => {
      const { client_code: code, ...bought } = request.body;
      const recorded = await record(db, { ...callOf(request, bought), buyer: { code } });
      return reply.code(201).headers(headersOf(recorded)).send({ message: 'consumption created' });
    },
  );

  app.post(
    '/v1/consumptions/email',
    {
      schema: {
        operationId: 'recordConsumptionByEmail',
        summary: 'Record a purchase by e-mail',
        description: 'Where the address has no account, the points wait for the person, who gets an invitation.',
        tags: ['Consumptions'],
        headers: idempotencyHeader,
        body: Type.Object({ client_email: Type.String({ format: 'email' }), amount }),
        response: { 201: Message },
      },
      config: { credential: 'key', document: 'contract', refusals: { ...refusals, 404: 'The client does not exist.' } },
    },
    async (request, reply) => {
      const { client_email: email, ...bought } = request.body;
      const recorded = await record(db, { ...callOf(request, bought), buyer: { email } });
      return reply.code(201).headers(headersOf(recorded)).send({ message: 'consumption created' });
    },
  );
}

interface Recorded {
  readonly purchaseId: number;
  readonly replayed: boolean;
}

async function record(database: Database, call: PurchaseCall): Promise<Recorded> {
  return transaction(database, async (db) => {
    const [outcome] = await recordPurchases(db, [call]);
    if (outcome?.recorded !== true) throw outcome!.problem;
    return outcome;
  });
}

interface Bought {
  readonly amount: number;
  readonly counter_id?: number | null;
  readonly id_suc?: number | null;
}

function callOf(request: { commerceId: number; headers: { 'idempotency-key'?: string } }, bought: Bought) {
  return {
    commerceId: request.commerceId,
    amount: bought.amount,
    registerId: bought.counter_id ?? null,
    branchId: bought.id_suc ?? null,
    idempotencyKey: request.headers['idempotency-key'],
  };
}

function headersOf({ purchaseId, replayed }: Recorded): Record<string, string> {
  return {
    'x-consumption-id': String(purchaseId),
    location: `/v1/consumptions/${purchaseId}`,
    ...(replayed && { 'idempotency-replayed': 'true' }),
  };
}
