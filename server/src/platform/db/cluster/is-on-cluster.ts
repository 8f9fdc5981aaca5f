import { remembered, type Remembering } from '../memory.ts';

const kind = remembered(() => ({ isCluster: false }));

/** Notes of a database that it is a cluster. */
export function noteCluster(db: Remembering): void {
  kind(db).isCluster = true;
}

/** Whether statements go to the coordinator of a cluster, also in a transaction. */
export function isOnCluster(db: Remembering): boolean {
  return kind(db).isCluster;
}
