import { MedusaError } from '@medusajs/framework/utils';
import type { MedusaContainer } from '@medusajs/framework/types';
import { createMemberClient, type MemberClient } from '@loyalty/sdk';
import { sqlOf } from './database';
import { connectionOf } from './follower';
import { readGraph } from './graph';

/** A customer of this shop who is signed in. */
export interface Customer {
  id: string;
  email: string;
}

/** @throws MedusaError if there is no such customer */
export async function readCustomer(container: MedusaContainer, customerId: string): Promise<Customer> {
  const customer = await findCustomer(container, customerId);
  if (customer === null) throw new MedusaError(MedusaError.Types.NOT_FOUND, 'there is no such customer');
  return customer;
}

/** Returns the customer who is signed in if the account has proved its address; null for anybody else, also for a visitor. */
export async function findProved(
  container: MedusaContainer,
  customerId: string | undefined,
): Promise<Customer | null> {
  if (!customerId) return null;
  const customer = await findCustomer(container, customerId);
  return customer !== null && (await isProved(container, customer)) ? customer : null;
}

async function findCustomer(container: MedusaContainer, customerId: string): Promise<Customer | null> {
  const [customer] = await readGraph<Customer>(container, {
    entity: 'customer',
    fields: ['id', 'email'],
    filters: { id: customerId },
  });
  return customer?.email ? customer : null;
}

/**
 * Returns true if the shop may vouch for this account: it has proved its present address. Medusa lets people register with any address, so
 * unless the shop says that it verifies them, the account proves it once with a code by mail.
 */
export async function isProved(container: MedusaContainer, { id, email }: Customer): Promise<boolean> {
  if (connectionOf(container).customersAreVerified) return true;
  const rows = await sqlOf(container)(
    `select customer_id from loyalty_proved_customer where customer_id = $1 and email = $2`,
    [id, email.toLowerCase()],
  );
  return rows.length > 0;
}

/** Asks the service to mail a code to the customer's address. */
export async function askForProof(container: MedusaContainer, { email }: Customer): Promise<void> {
  await visitorOf(container).requestOneTimeCode(email);
}

/**
 * Takes the mailed code: the account has proved its address, and its owner is a member from now on.
 * @throws ApiError with the code `code_refused`
 */
export async function giveProof(
  container: MedusaContainer,
  { id, email }: Customer,
  otp: string,
): Promise<void> {
  await visitorOf(container).verifyOneTimeCode(email, otp);
  await sqlOf(container)(
    `insert into loyalty_proved_customer (customer_id, email) values ($1, $2)
     on conflict (customer_id) do update set email = excluded.email, proved_at = now()`,
    [id, email.toLowerCase()],
  );
}

function visitorOf(container: MedusaContainer): MemberClient {
  const connection = connectionOf(container);
  return createMemberClient({
    baseUrl: connection.url,
    commerceId: connection.commerceOf(null).commerceId,
  });
}
