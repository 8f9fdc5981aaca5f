import { createBatch } from '#batching/batch.ts';
import { onCluster } from '#batching/on-cluster.ts';
import { onConnection, type Database } from '#db/database.ts';
import { readHistories, type ActivityPage, type HistoryPart } from './read-history.ts';

/** Reads histories for all requests of this process. */
export type HistoryReader = (part: HistoryPart) => Promise<ActivityPage>;

/** Creates the reader. Pages that are asked for at the same moment share their statements. */
export function createHistoryReader(db: Database): HistoryReader {
  const batch = createBatch<HistoryPart, ActivityPage>({
    ...onCluster(db),
    name: 'read-histories',
    tracing: db.tracing,
    run: (parts) => onConnection(db, (connection) => readHistories(connection, parts)),
    commerceOf: ({ commerceId }) => commerceId,
    mayRepeat: () => true,
    // Nobody should wait for the rows of many others.
    largest: 16,
    longestWaitMs: db.patience.turnMs,
    longestQueuedMs: db.patience.queuedMs,
  });
  return (part) => batch.submit(part);
}
