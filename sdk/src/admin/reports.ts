import type {
  BenefitsReport,
  LevelsReport,
  LiabilityReport,
  MembersFigures,
  PointsFigures,
  PurchasesFigures,
  Report,
  ReportMethods,
  ReportMovements,
  ReportOverview,
  ReportPeople,
} from '../admin-wire-reports.ts';
import { queryOf } from '../call.ts';
import type { AdminCalls } from './calls.ts';

/** Reports, for managers and owners. What each method returns stands beside its type. */
export function createReportMethods({ get, download }: AdminCalls): ReportMethods {
  return {
    getReportOverview: (callOptions) => get<ReportOverview>('/reports/overview', callOptions),

    getPointsReport: (query = {}, callOptions) =>
      get<Report<PointsFigures>>(`/reports/points${queryOf(query)}`, callOptions),

    getMembersReport: (query = {}, callOptions) =>
      get<Report<MembersFigures>>(`/reports/members${queryOf(query)}`, callOptions),

    getPurchasesReport: (query = {}, callOptions) =>
      get<Report<PurchasesFigures>>(`/reports/purchases${queryOf(query)}`, callOptions),

    getLiabilityReport: (query = {}, callOptions) =>
      get<LiabilityReport>(`/reports/liability${queryOf(query)}`, callOptions),

    getBenefitsReport: (query = {}, callOptions) =>
      get<BenefitsReport>(`/reports/benefits${queryOf(query)}`, callOptions),

    getLevelsReport: (query = {}, callOptions) =>
      get<LevelsReport>(`/reports/levels${queryOf(query)}`, callOptions),

    exportReport: (name, query = {}, callOptions) =>
      download(`/reports/${name}/export${queryOf(query)}`, undefined, callOptions),

    listReportMovements: (query, callOptions) =>
      get<ReportMovements>(`/reports/movements${queryOf(query)}`, callOptions),

    listReportPeople: (query, callOptions) =>
      get<ReportPeople>(`/reports/people${queryOf(query)}`, callOptions),
  };
}
