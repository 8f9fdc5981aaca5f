import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Problem, Waiting } from './states.tsx';

/**
 * What a query has answered: its data, even if it is being read anew or could not be; else why there is none, with another
 * try; else the shape of what comes.
 */
export function Answered<T>(props: {
  query: Pick<UseQueryResult<T>, 'data' | 'error' | 'isError' | 'refetch'>;
  rows?: number;
  tall?: boolean;
  /** True if it stands on the bare page, so that a problem needs a card of its own. */
  onPage?: boolean;
  children: (data: T) => ReactNode;
}) {
  const { query, rows = 3, tall = false, onPage = false, children } = props;
  if (query.data !== undefined) return children(query.data);
  if (!query.isError) return <Waiting rows={rows} tall={tall} />;
  const problem = <Problem error={query.error} onRetry={() => void query.refetch()} />;
  return onPage ? <div className="card">{problem}</div> : problem;
}
