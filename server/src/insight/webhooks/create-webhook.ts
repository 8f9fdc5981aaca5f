import { randomInt } from 'node:crypto';
import type { Audited } from '#audit/audited.ts';
import { sql, type Tx } from '#db/database.ts';
import { readLastId } from '#points/settled-id.ts';
import { Problem } from '#problems/problem.ts';
import { checkAddress, type AddressRules } from './webhook-address.ts';
import { forAudit, type WebhookTerms } from './webhook.ts';
import type { WebhookSecrets } from './webhook-secret.ts';

const MOST_WEBHOOKS = 20;

/** A shop that needs more than this should follow the feed. */
class TooManyWebhooks extends Problem {
  constructor() {
    super(
      409,
      'too_many_webhooks',
      `a commerce has at most ${MOST_WEBHOOKS} webhooks: delete those that nobody needs`,
    );
  }
}

/** A new webhook, with the secret that cannot be read again. */
export interface CreatedWebhook {
  readonly id: string;
  readonly secret: string;
}

/**
 * A shop has its events sent to an address, from now on.
 * @throws UnfitAddress, TooManyWebhooks
 */
export async function createWebhook(
  tx: Tx,
  commerceId: number,
  terms: WebhookTerms,
  { rules, secrets }: { readonly rules: AddressRules; readonly secrets: WebhookSecrets },
): Promise<Audited<CreatedWebhook>> {
  const { name, types, scopes } = terms;
  const address = checkAddress(terms.address, rules);
  const id = newId();
  const { shown, stored } = secrets.make({ commerceId, id });
  const through = await readLastId(tx);
  const { rows } = await sql`-- create-webhook
    insert into webhooks (commerce_id, id, address, name, types, scopes, secret, through)
    select ${commerceId}, ${id}, ${address}, ${name}, ${[...types]}::text[], ${[...scopes]}::text[], ${stored},
           ${through}::bigint
     where (select count(*) from webhooks where commerce_id = ${commerceId}) < ${MOST_WEBHOOKS}::integer
    returning id`.execute(tx);
  if (rows.length === 0) throw new TooManyWebhooks();
  return {
    answer: { id, secret: shown },
    entry: { action: 'webhook.create', subject: id, after: forAudit({ ...terms, address }) },
  };
}

const LETTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

function newId(): string {
  return `we_${Array.from({ length: 20 }, () => LETTERS[randomInt(LETTERS.length)]).join('')}`;
}
