import { ContainerRegistrationKeys } from '@medusajs/framework/utils';
import type { MedusaContainer } from '@medusajs/framework/types';
import type { Sql, SqlValue } from '@loyalty/shop-core';

/** What is used of Medusa's connection. */
interface Knex {
  raw(text: string, values: readonly SqlValue[]): Promise<{ rows: unknown[] }>;
}

/** Returns the function that runs statements on Medusa's database, each in a transaction of its own. */
export function sqlOf(container: MedusaContainer): Sql {
  const knex = container.resolve<Knex>(ContainerRegistrationKeys.PG_CONNECTION);
  return async <Row>(statement: string, values: readonly SqlValue[] = []) => {
    // Knex writes every value as a question mark, in the order of the text.
    const used: SqlValue[] = [];
    const text = statement.replaceAll(/\$(\d+)/g, (_, place: string) => {
      used.push(values[Number(place) - 1]!);
      return '?';
    });
    return (await knex.raw(text, used)).rows as Row[];
  };
}
