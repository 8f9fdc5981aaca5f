import { sql, type Tx } from '#db/database.ts';
import { enqueueMails } from '#mail/outbox.ts';
import type { TakenWebhook } from './take-webhooks.ts';

/** Tells the owners of the shop that an endpoint was switched off. */
export async function noteDisabled(
  tx: Tx,
  { commerceId, address }: Pick<TakenWebhook, 'commerceId' | 'address'>,
  because: 'failing' | 'gone',
): Promise<void> {
  const { rows } = await sql<{ email: string }>`-- read-owners
    select p.email
      from staff s
      join staff_people p on p.id = s.person_id
     where s.commerce_id = ${commerceId} and s.role = 'owner' and s.removed_at is null
     order by p.email`.execute(tx);
  await enqueueMails(
    tx,
    rows.map(({ email }) => ({
      commerceId,
      kind: 'webhook-disabled',
      recipient: email,
      content: { host: new URL(address).host, because },
    })),
  );
}
