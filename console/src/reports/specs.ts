import type {
  BenefitsFigures,
  LevelsFigures,
  LiabilityFigures,
  MembersFigures,
  PointsFigures,
  PurchasesFigures,
  ReportName,
} from '@loyalty/sdk/admin';
import type { ChartSeries, Tone } from './chart-look.ts';

/** One series of a chart: a figure, or what is left of one without another. */
export interface SeriesSpec<Key> {
  readonly figure: Key;
  /** Subtracted from the figure, such as the first-time buyers from all. */
  readonly less?: Key;
  readonly look: ChartSeries['look'];
  readonly tone: Tone;
  readonly isDown?: boolean;
}

export interface ChartSpec<Key> {
  /** The figure at the head that shows this chart, and stands for it in the address. */
  readonly key: Key;
  readonly series: readonly SeriesSpec<Key>[];
  /** The figure that the range before is drawn of. */
  readonly before: Key | null;
  readonly isFromZero?: boolean;
}

/** How a report is shown: its figures at the head, its charts, and the columns of its table. */
export interface ReportSpec<Key extends string = string> {
  readonly name: ReportName;
  readonly heads: readonly Key[];
  readonly charts: readonly ChartSpec<Key>[];
  /** Columns beside the heads that are shown only if there is something in them. */
  readonly columns: readonly Key[];
  readonly money: readonly Key[];
  /** Of these, more is good news. */
  readonly good: readonly Key[];
}

const spec = <Figures>(it: ReportSpec<Extract<keyof Figures, string>>) => it as unknown as ReportSpec;

export const SPECS: Readonly<Record<ReportName, ReportSpec>> = {
  points: spec<PointsFigures>({
    name: 'points',
    heads: ['earned', 'spent', 'expired', 'returned'],
    charts: [
      {
        key: 'earned',
        series: [
          { figure: 'earned', look: 'bar', tone: 'main' },
          { figure: 'spent', look: 'bar', tone: 'out', isDown: true },
          { figure: 'expired', look: 'bar', tone: 'ending', isDown: true },
          { figure: 'returned', look: 'bar', tone: 'back', isDown: true },
        ],
        before: 'earned',
      },
    ],
    columns: ['given_back', 'taken_by_hand', 'erased', 'change'],
    money: [],
    good: ['earned'],
  }),
  purchases: spec<PurchasesFigures>({
    name: 'purchases',
    heads: ['amount', 'purchases', 'average_amount', 'returned_amount'],
    charts: [
      {
        key: 'amount',
        series: [
          { figure: 'amount', look: 'bar', tone: 'main' },
          { figure: 'returned_amount', look: 'bar', tone: 'back', isDown: true },
        ],
        before: 'amount',
      },
      { key: 'purchases', series: [{ figure: 'purchases', look: 'bar', tone: 'main' }], before: 'purchases' },
      {
        key: 'average_amount',
        series: [{ figure: 'average_amount', look: 'line', tone: 'main' }],
        before: 'average_amount',
      },
    ],
    columns: ['returns', 'net_amount'],
    money: ['amount', 'average_amount', 'returned_amount', 'net_amount'],
    good: ['amount', 'purchases'],
  }),
  members: spec<MembersFigures>({
    name: 'members',
    heads: ['active', 'joined', 'left', 'members'],
    charts: [
      {
        key: 'active',
        series: [
          { figure: 'active', less: 'first_time', look: 'bar', tone: 'main' },
          { figure: 'first_time', look: 'bar', tone: 'second' },
        ],
        before: 'active',
      },
      {
        key: 'joined',
        series: [
          { figure: 'joined', look: 'bar', tone: 'main' },
          { figure: 'left', look: 'bar', tone: 'back', isDown: true },
        ],
        before: 'joined',
      },
      {
        key: 'members',
        series: [{ figure: 'members', look: 'area', tone: 'main' }],
        before: null,
        isFromZero: false,
      },
    ],
    columns: ['first_time'],
    money: [],
    good: ['active', 'joined'],
  }),
  levels: spec<LevelsFigures>({
    name: 'levels',
    heads: ['reached'],
    charts: [
      { key: 'reached', series: [{ figure: 'reached', look: 'bar', tone: 'main' }], before: 'reached' },
    ],
    columns: [],
    money: [],
    good: ['reached'],
  }),
  benefits: spec<BenefitsFigures>({
    name: 'benefits',
    heads: ['bought', 'given', 'used', 'points'],
    charts: [
      {
        key: 'bought',
        series: [
          { figure: 'bought', look: 'bar', tone: 'main' },
          { figure: 'given', look: 'bar', tone: 'second' },
          { figure: 'used', look: 'bar', tone: 'out', isDown: true },
        ],
        before: null,
      },
      { key: 'points', series: [{ figure: 'points', look: 'bar', tone: 'main' }], before: 'points' },
    ],
    columns: ['given_back'],
    money: [],
    good: ['bought', 'used'],
  }),
  liability: spec<LiabilityFigures>({
    name: 'liability',
    heads: ['outstanding', 'spent', 'broken', 'breakage_percent'],
    charts: [
      {
        key: 'outstanding',
        series: [{ figure: 'outstanding', look: 'area', tone: 'main' }],
        before: null,
        isFromZero: false,
      },
      {
        key: 'spent',
        series: [
          { figure: 'spent', look: 'bar', tone: 'out' },
          { figure: 'broken', look: 'bar', tone: 'ending' },
        ],
        before: 'spent',
      },
    ],
    columns: [],
    money: [],
    good: [],
  }),
};

/** A report with a specification, or the one that has figures of its own. */
export type Tab = ReportName | 'earning';

/** All reports, in the order of their tabs. */
export const TABS: readonly Tab[] = [
  'points',
  'purchases',
  'earning',
  'members',
  'levels',
  'benefits',
  'liability',
];

/** Which color a figure has in a chart, and which chart it belongs to. */
export function placeOf(
  spec: ReportSpec,
  figure: string,
): { chart: ChartSpec<string>; series: SeriesSpec<string> } | null {
  for (const chart of spec.charts)
    for (const series of chart.series) if (series.figure === figure) return { chart, series };
  return null;
}
