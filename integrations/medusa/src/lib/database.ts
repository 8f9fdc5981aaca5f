import { ContainerRegistrationKeys } from '@medusajs/framework/utils';
import type { MedusaContainer } from '@medusajs/framework/types';

/** A value that a statement can carry. */
type Value = string | number | Date | null | readonly string[];

/** Runs one statement. Its values stand as question marks. */
export type Sql = <Row>(statement: string, values?: readonly Value[]) => Promise<Row[]>;

/** Returns the function that runs statements on Medusa's database, each in a transaction of its own. */
export function sqlOf(container: MedusaContainer): Sql {
  const knex = container.resolve(ContainerRegistrationKeys.PG_CONNECTION);
  return async <Row>(statement: string, values: readonly Value[] = []) =>
    ((await knex.raw(statement, values as never)) as { rows: Row[] }).rows;
}
