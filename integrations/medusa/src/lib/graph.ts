import { ContainerRegistrationKeys } from '@medusajs/framework/utils';
import type { MedusaContainer } from '@medusajs/framework/types';

/** What is asked of Medusa's graph of data. */
interface GraphQuery {
  entity: string;
  fields: readonly string[];
  filters?: Readonly<Record<string, unknown>>;
  pagination?: { skip: number; take: number; order: Readonly<Record<string, 'ASC' | 'DESC'>> };
}

/** Reads Medusa's data across its modules. The caller says what the rows are: they have the fields that were asked for. */
export async function readGraph<Row>(container: MedusaContainer, query: GraphQuery): Promise<Row[]> {
  const reader = container.resolve<{ graph(query: GraphQuery): Promise<{ data: Row[] }> }>(
    ContainerRegistrationKeys.QUERY,
  );
  return (await reader.graph(query)).data;
}
