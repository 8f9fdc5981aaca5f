import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Problem, Waiting } from './states.tsx';

/**
 * Shows the answer of a query: its data, even while it is read anew or if that fails; else the reason why there is none, with a button to
 * try again; else a placeholder in the shape of the answer.
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
