import type { Static } from 'typebox';
import type { WireIds } from '#batching/wire-ids.ts';
import { pictureUrl } from '#pictures/picture-url.ts';
import type { Attention } from '#reports/attention.ts';
import type { BenefitsReport } from '#reports/benefits-report.ts';
import type { EarningReport } from '#reports/earning-report.ts';
import type { LevelsReport } from '#reports/levels-report.ts';
import type { LiabilityReport } from '#reports/liability-report.ts';
import type { ListedMovement } from '#reports/list-movements.ts';
import type { ListedPersonOfReport } from '#reports/list-people.ts';
import { SOON_DAYS, type Overview } from '#reports/overview.ts';
import type { Person } from '#reports/person.ts';
import type { PeriodOf, Report } from '#reports/report.ts';
import { personState } from '#search/found-person.ts';
import { kindOfType } from '../members/history-to-wire.ts';
import {
  benefitsLinks,
  levelLink,
  levelsLinks,
  liabilityLinks,
  liabilityNowLinks,
  overviewLinks,
} from './links.ts';
import type {
  BenefitsReportSchema,
  EarningReportSchema,
  LevelsReportSchema,
  LiabilityReportSchema,
  ReportLinkWire,
  ReportMovementsSchema,
  ReportOverviewSchema,
  ReportPeopleSchema,
} from './wire.ts';

/** Returns the fields that all reports have. */
export function reportToWire<Figures extends object>(
  { range, asOf, today, total, before, periods, periodsBefore }: Report<Figures>,
  links: { [Figure in keyof Figures]: ReportLinkWire | null },
) {
  const { from, to, by, before: days } = range;
  return {
    range: { from, to, by, before_from: days.from, before_to: days.to, today },
    as_of: asOf,
    total,
    before,
    periods: periods.map(periodToWire),
    periods_before: periodsBefore.map(periodToWire),
    links,
  };
}

function periodToWire<Figures extends object>({ from, to, figures }: PeriodOf<Figures>) {
  return { from, to, figures };
}

export function liabilityToWire(report: LiabilityReport): Static<typeof LiabilityReportSchema> {
  const { neverEnd: never_end, ...now } = report.now;
  return {
    ...reportToWire(report, liabilityLinks),
    now: { ...now, never_end },
    endings: [...report.endings],
    now_links: liabilityNowLinks,
  };
}

export function earningToWire(report: EarningReport): Static<typeof EarningReportSchema> {
  const { days, asOf, today, total, rules, products, categories, branches, hours } = report;
  const sold = ({ named, others, unnamed }: EarningReport['products']) => ({
    named: [...named],
    others,
    unnamed,
  });
  return {
    ...days,
    today,
    as_of: asOf,
    total,
    rules: rules.map(({ id, title, state, lineAmount, purchases, amount, points }) => ({
      rule_id: id,
      title,
      state,
      purchases,
      amount,
      line_amount: lineAmount,
      points,
    })),
    products: sold(products),
    categories: sold(categories),
    branches: branches.map(({ branchId, ...figures }) => ({ branch_id: branchId, ...figures })),
    hours: [...hours],
  };
}

export function benefitsToWire(
  report: BenefitsReport,
  serviceUrl: string,
): Static<typeof BenefitsReportSchema> {
  return {
    ...reportToWire(report, benefitsLinks),
    benefits: report.benefits.map(({ benefit, total, before }) => ({
      benefit_id: benefit.id,
      title: benefit.title,
      type: benefit.type,
      image: pictureUrl(benefit.image, serviceUrl),
      cost: benefit.cost,
      is_withdrawn: benefit.withdrawnAt !== null,
      left_in_stock: benefit.buyLimit === 0 ? null : Math.max(0, benefit.buyLimit - benefit.sold),
      total,
      before,
    })),
  };
}

export function levelsToWire(report: LevelsReport): Static<typeof LevelsReportSchema> {
  return {
    ...reportToWire(report, levelsLinks),
    levels: report.levels.map(({ id, name, members, percent, reached, reachedBefore }) => ({
      level_id: id,
      name,
      members,
      percent,
      reached,
      reached_before: reachedBefore,
      link: levelLink(id),
    })),
  };
}

export function overviewToWire(
  overview: Overview,
  { now, today }: { now: Date; today: string },
  ids: Ids,
): Static<typeof ReportOverviewSchema> {
  const { liability, endingSoon } = overview;
  return {
    as_of: now,
    today,
    of_today: overview.ofToday,
    of_week_ago: overview.ofWeekAgo,
    last_30_days: overview.last30Days,
    before_30_days: overview.before30Days,
    days: [...overview.days],
    members: overview.members,
    has_sold: overview.hasSold,
    liability: { points: liability.points, holders: liability.holders },
    ending_soon: {
      days: SOON_DAYS,
      points: endingSoon.points,
      holders: endingSoon.holders,
      first_day: endingSoon.firstDay,
    },
    attention: overview.attention.map((one) => attentionToWire(one, ids)),
    links: overviewLinks(SOON_DAYS),
  };
}

function attentionToWire(
  attention: Attention,
  { memberIds, purchaseIds }: Ids,
): Static<typeof ReportOverviewSchema>['attention'][number] {
  if (attention.kind === 'unusual_purchase') {
    const { purchaseId, memberId, ...rest } = attention;
    return { ...rest, consumption_id: purchaseIds.toWire(purchaseId), member_id: memberIds.toWire(memberId) };
  }
  if (!('benefitId' in attention)) return attention;
  const { benefitId: benefit_id, ...rest } = attention;
  return { ...rest, benefit_id };
}

interface Ids {
  readonly memberIds: WireIds;
  readonly purchaseIds: WireIds;
}

export function reportMovementToWire(
  { id, type, at, person, points, amount, benefitId, title }: ListedMovement,
  ids: Ids,
): Static<typeof ReportMovementsSchema>['results'][number] {
  return {
    id: id === null ? 0 : ids.purchaseIds.toWire(id),
    kind: kindOfType(type),
    at,
    member: personToWire(person, ids.memberIds),
    points,
    amount,
    benefit_id: benefitId,
    title,
  };
}

export function reportPersonToWire(
  { person, at, day, points, benefitId, title }: ListedPersonOfReport,
  { memberIds }: Pick<Ids, 'memberIds'>,
): Static<typeof ReportPeopleSchema>['results'][number] {
  return { member: personToWire(person, memberIds), at, day, points, benefit_id: benefitId, title };
}

function personToWire(person: Person, memberIds: WireIds) {
  return {
    member_id: memberIds.toWire(person.id),
    client_code: person.code,
    username: person.username,
    state: personState(person),
  };
}
