import type { AdminClient, PointsReport, ReportLink, ReportName, ReportQuery } from '@loyalty/sdk/admin';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { usePlace } from '../session.ts';
import { askFor, type Range } from './range.ts';

export type Figures = Readonly<Record<string, number | null>>;

/** A report of any name: its specification knows the names of its figures. */
export type AnyReport = Pick<PointsReport, 'range' | 'as_of'> & {
  readonly total: Figures;
  readonly before: Figures;
  readonly periods: readonly Period[];
  readonly periods_before: readonly Period[];
  readonly links: Readonly<Record<string, ReportLink | null>>;
};

type Period = Pick<PointsReport['periods'][number], 'from' | 'to'> & { readonly figures: Figures };

/** Reads a report. While another range is on its way, the last one stays. */
export function useReport(name: ReportName, range: Range) {
  const { api, shop } = usePlace();
  return useQuery({
    queryKey: [shop.id, 'report', name, askFor(range)],
    queryFn: ({ signal }) => read(api, name, askFor(range), signal),
    placeholderData: (before, query) => (query?.queryKey[2] === name ? keepPreviousData(before) : undefined),
    staleTime: 30_000,
  });
}

function read(api: AdminClient, name: ReportName, query: ReportQuery, signal: AbortSignal) {
  const methods = {
    points: api.getPointsReport,
    purchases: api.getPurchasesReport,
    members: api.getMembersReport,
    levels: api.getLevelsReport,
    benefits: api.getBenefitsReport,
    liability: api.getLiabilityReport,
  } satisfies Record<ReportName, unknown>;
  return methods[name](query, { signal }) as Promise<unknown> as Promise<AnyReport>;
}
