import type { PoolClient, QueryResult } from 'pg';

/** Sends a statement on a connection. */
export type Send = (statement: unknown, values?: readonly unknown[]) => Promise<QueryResult>;

type SendThenCall = (
  statement: unknown,
  values: readonly unknown[] | undefined,
  answered: (error: Error | null, result: QueryResult) => void,
) => void;

/**
 * Returns what sends statements on a connection and promises their answers. The driver's own promises would do, but a sixth of all that they
 * and the statements allocate then outlives the quick collections of garbage, which copy it twice, and waits for a full one. With a callback
 * of ours nothing does.
 */
export function promiseAnswers(client: PoolClient): Send {
  const send = client.query.bind(client) as unknown as SendThenCall & Send;
  return (statement, values) => {
    // A query of the driver calls whom it was made with.
    if (typeof statement === 'object' && statement !== null && 'submit' in statement) return send(statement);
    return new Promise<QueryResult>((resolve, reject) => {
      send(statement, values, (error, result) => {
        if (error) reject(error);
        else resolve(result);
      });
    }).catch((error: Error) => {
      // Leads back to whoever sent the statement, and not to the socket.
      Error.captureStackTrace(error);
      throw error;
    });
  };
}
