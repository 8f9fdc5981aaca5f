import { auditedTransaction } from '#audit/audited-transaction.ts';
import type { Audited } from '#audit/audited.ts';
import type { Commerce } from '#commerces/commerce.ts';
import type { Database, Tx } from '#db/database.ts';
import { findMember } from '#members/lock-members.ts';
import type { Member } from '#members/member.ts';
import { Problem } from '#problems/problem.ts';
import { normaliseEmail } from '#text/email-address.ts';
import { quote } from '#text/quote.ts';
import type { Config } from '#settings/config.ts';
import { Refusal } from '#base/refusal.ts';
import { commandLineActor } from './command-line-actor.ts';
import { findOpenCommerce } from './find-commerce.ts';
import { withDatabase } from './with-database.ts';

/** A person at a commerce, with the database in which they were found. */
export interface PersonFound {
  readonly database: Database;
  readonly config: Config;
  readonly commerce: Commerce;
  readonly member: Member;
}

/** Runs a command on a person, who is named by the 9 digits of the card, with or without blanks, or by the e-mail address. */
export async function withPerson<T>(
  text: string,
  options: { readonly commerce: string },
  work: (found: PersonFound) => Promise<T>,
): Promise<T> {
  return withDatabase(async (database, config) => {
    const commerce = await findOpenCommerce(database, options.commerce);
    const digits = text.replaceAll(/[\s-]/g, '');
    const email = normaliseEmail(text);
    const ref = /^\d{9}$/.test(digits) ? { code: Number(digits) } : email === null ? null : { email };
    const member = ref === null ? undefined : await findMember(database, { commerceId: commerce.id, ...ref });
    if (member === undefined)
      throw new Refusal(
        `${commerce.slug} has no person ${quote(text)}. Give the 9 digits of the card, or the e-mail address.`,
      );
    return work({ database, config, commerce, member });
  });
}

/** Runs a use case as the command line, with its audit row. The command refuses everything that the use case refuses. */
export async function actOnPerson<T>(
  { database, commerce }: PersonFound,
  work: (tx: Tx) => Promise<Audited<T>>,
): Promise<T> {
  try {
    return await auditedTransaction(database, commandLineActor(commerce.id), work);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    throw new Refusal(`${error.message[0]!.toUpperCase()}${error.message.slice(1)}.`);
  }
}
