import { Type, type TSchema } from 'typebox';
import { readWireIds } from '#batching/wire-ids.ts';
import { readCommerce, type Commerce } from '#commerces/commerce.ts';
import type { Db } from '#db/database.ts';
import { StrEnum } from '#http/schema.ts';
import { readBenefitsReport } from '#reports/benefits-report.ts';
import { readEarningReport } from '#reports/earning-report.ts';
import { readLevelsReport } from '#reports/levels-report.ts';
import { readLiabilityReport } from '#reports/liability-report.ts';
import { listMovements } from '#reports/list-movements.ts';
import { listPeople } from '#reports/list-people.ts';
import { readMembersReport } from '#reports/members-report.ts';
import { readOverview } from '#reports/overview.ts';
import { readPointsReport } from '#reports/points-report.ts';
import { readPurchasesReport } from '#reports/purchases-report.ts';
import { resolveRange, STEPS, type AskedRange, type ReportRange } from '#reports/report-range.ts';
import type { AdminRoutes } from '../admin-routes.ts';
import { movementCursors, peopleCursors } from './cursors.ts';
import { membersLinks, pointsLinks, purchasesLinks } from './links.ts';
import {
  benefitsToWire,
  earningToWire,
  levelsToWire,
  liabilityToWire,
  overviewToWire,
  reportMovementToWire,
  reportPersonToWire,
  reportToWire,
} from './to-wire.ts';
import {
  BenefitsReportSchema,
  EarningReportSchema,
  LevelsReportSchema,
  LiabilityReportSchema,
  MembersReportSchema,
  MovementFigureSchema,
  PeopleKindSchema,
  PointsReportSchema,
  PurchasesReportSchema,
  ReportMovementsSchema,
  ReportOverviewSchema,
  ReportPeopleSchema,
} from './wire.ts';
import { REPORT_FILES, writeReportFile } from './write-report-file.ts';
import type { SecretKeys } from '#settings/secret-key.ts';

const tags = ['Reports'];

const day = (description: string, example: string) =>
  Type.Optional(Type.String({ format: 'date', description, examples: [example] }));
const days = {
  from: day('The first day, by the commerce’s calendar. By default 30 days with the last one.', '2026-11-01'),
  to: day('The last day. By default today.', '2026-11-30'),
};
const asked = Type.Object({
  ...days,
  by: Type.Optional(StrEnum(STEPS, { description: 'The periods of the report, `day` by default.' })),
});
const cursor = Type.Optional(Type.String({ maxLength: 512, description: 'Omit it to get the first page.' }));
const benefitId = Type.Optional(
  Type.String({ maxLength: 64, description: 'Only codes of this benefit.', examples: ['coffee'] }),
);

/** Reports for managers and owners, and the lists that their figures are made of. */
export function reportRoutes({ admin: { adminRead }, secret }: { admin: AdminRoutes; secret: SecretKeys }) {
  /** A route of one report. */
  const report = <const Schema extends TSchema, Id extends string>(definition: {
    readonly operationId: Id;
    readonly summary: string;
    readonly description: string;
    readonly schema: Schema;
  }) => ({
    operationId: definition.operationId,
    summary: definition.summary,
    description: `${definition.description} With the range before. Every figure is defined in the guide to reports.`,
    tags,
    querystring: asked,
    response: { 200: definition.schema },
  });

  return {
    getReportOverview: adminRead({
      role: 'manager',
      schema: {
        operationId: 'getReportOverview',
        summary: 'How things are',
        description: 'Today, the last 30 days beside the 30 before, and what somebody should look at.',
        tags,
        response: { 200: ReportOverviewSchema },
      },
      read: async (db, { commerceId }) => {
        const commerce = (await readCommerce(db, commerceId))!;
        const ids = {
          memberIds: await readWireIds(db, commerceId, 'member'),
          purchaseIds: await readWireIds(db, commerceId, 'purchase'),
        };
        return overviewToWire(await readOverview(db, commerce), commerce, ids);
      },
    }),

    getPointsReport: adminRead({
      role: 'manager',
      schema: report({
        operationId: 'getPointsReport',
        summary: 'Points earned, spent, expired and returned',
        description: 'How points came and went.',
        schema: PointsReportSchema,
      }),
      read: async (db, { commerceId, query }) => {
        const { commerce, range } = await readRange(db, commerceId, query);
        return reportToWire(await readPointsReport(db, commerce, range), pointsLinks);
      },
    }),

    getMembersReport: adminRead({
      role: 'manager',
      schema: report({
        operationId: 'getMembersReport',
        summary: 'Active and new members',
        description: 'Who joined and left, and how many people were active, each counted once in a period.',
        schema: MembersReportSchema,
      }),
      read: async (db, { commerceId, query }) => {
        const { commerce, range } = await readRange(db, commerceId, query);
        return reportToWire(await readMembersReport(db, commerce, range), membersLinks);
      },
    }),

    getPurchasesReport: adminRead({
      role: 'manager',
      schema: report({
        operationId: 'getPurchasesReport',
        summary: 'Purchases and their amount',
        description: 'Members’ purchases, and returns on the day of the return.',
        schema: PurchasesReportSchema,
      }),
      read: async (db, { commerceId, query }) => {
        const { commerce, range } = await readRange(db, commerceId, query);
        return reportToWire(await readPurchasesReport(db, commerce, range), purchasesLinks);
      },
    }),

    getLiabilityReport: adminRead({
      role: 'manager',
      schema: report({
        operationId: 'getLiabilityReport',
        summary: 'Points that can still be spent',
        description:
          'How many there were at the end of each period, how many there are now and when they end.',
        schema: LiabilityReportSchema,
      }),
      read: async (db, { commerceId, query }) => {
        const { commerce, range } = await readRange(db, commerceId, query);
        return liabilityToWire(await readLiabilityReport(db, commerce, range));
      },
    }),

    getBenefitsReport: adminRead({
      role: 'manager',
      schema: report({
        operationId: 'getBenefitsReport',
        summary: 'Codes issued and used per benefit',
        description: 'Codes that members bought or were given, and what became of them.',
        schema: BenefitsReportSchema,
      }),
      read: async (db, { commerceId, serviceUrl, query }) => {
        const { commerce, range } = await readRange(db, commerceId, query);
        return benefitsToWire(await readBenefitsReport(db, commerce, range), serviceUrl);
      },
    }),

    getLevelsReport: adminRead({
      role: 'manager',
      schema: report({
        operationId: 'getLevelsReport',
        summary: 'Members per tier',
        description: 'How many members have each tier now, and how many of them reached it in each period.',
        schema: LevelsReportSchema,
      }),
      read: async (db, { commerceId, query }) => {
        const { commerce, range } = await readRange(db, commerceId, query);
        return levelsToWire(await readLevelsReport(db, commerce, range));
      },
    }),

    getEarningReport: adminRead({
      role: 'manager',
      schema: {
        operationId: 'getEarningReport',
        summary: 'What purchases earned, and why',
        description:
          'By rule, product, category, branch, and weekday and hour. Everything counts with its purchase, as it stands now. At most 366 days.',
        tags,
        querystring: Type.Object(days),
        response: { 200: EarningReportSchema },
      },
      read: async (db, { commerceId, query }) => {
        const { commerce, range } = await readRange(db, commerceId, daysOf(query));
        return earningToWire(await readEarningReport(db, commerce, range));
      },
    }),

    exportReport: adminRead({
      role: 'manager',
      schema: {
        operationId: 'exportReport',
        summary: 'A report as a file',
        description:
          'CSV that is safe to open in a spreadsheet: a line for each period, for each benefit in a period, for each tier, or for each rule, product, category, branch and hour. `endings` tells when the points of now end.',
        tags,
        params: Type.Object({ name: StrEnum(REPORT_FILES, { description: 'Which report.' }) }),
        querystring: asked,
        response: {
          200: {
            content: {
              'text/csv': {
                schema: {
                  type: 'string',
                  description: 'RFC 4180, UTF-8; the first line names the columns.',
                },
              },
            },
          },
        },
      },
      entry: (_db, { params: { name }, query }) => ({
        action: 'report.export',
        subject: name,
        after: { ...query },
      }),
      read: async (db, { commerceId, params: { name }, query }, reply) => {
        const { commerce, range } = await readRange(db, commerceId, query);
        const file = await writeReportFile(db, commerce, range, name);
        void reply
          .type('text/csv; charset=utf-8')
          .header('content-disposition', `attachment; filename="${name}-${range.from}-to-${range.to}.csv"`)
          .header('cache-control', 'no-store');
        return file;
      },
    }),

    listReportMovements: adminRead({
      role: 'manager',
      schema: {
        operationId: 'listReportMovements',
        summary: 'The movements that a figure is made of',
        description:
          'Newest first, at most 50 on a page. The points of all pages add up to the figure of the same days.',
        tags,
        querystring: Type.Object({ kind: MovementFigureSchema, ...days, benefit_id: benefitId, cursor }),
        response: { 200: ReportMovementsSchema },
      },
      read: async (db, { commerceId, query }) => {
        const { commerce, range } = await readRange(db, commerceId, daysOf(query));
        const { from, to } = range;
        const filter = { figure: query.kind, from, to, benefitId: query.benefit_id };
        const ids = {
          memberIds: await readWireIds(db, commerceId, 'member'),
          purchaseIds: await readWireIds(db, commerceId, 'purchase'),
        };
        const cursors = movementCursors(secret, commerceId, filter, ids);
        const after = (query.cursor ?? '') === '' ? null : cursors.open(query.cursor!);
        const { lines, next } = await listMovements(db, commerce, filter, after);
        return {
          results: lines.map((line) => reportMovementToWire(line, ids)),
          next_cursor: next && cursors.seal(next),
        };
      },
    }),

    listReportPeople: adminRead({
      role: 'manager',
      schema: {
        operationId: 'listReportPeople',
        summary: 'The people that a figure counts',
        description:
          'At most 50 on a page, newest first. For `ending`, those whose points end soonest come first.',
        tags,
        querystring: Type.Object({
          kind: PeopleKindSchema,
          ...days,
          benefit_id: benefitId,
          level_id: Type.Optional(
            Type.String({
              maxLength: 64,
              description: 'Only those who reached this tier.',
              examples: ['captain'],
            }),
          ),
          cursor,
        }),
        response: { 200: ReportPeopleSchema },
      },
      read: async (db, { commerceId, query }) => {
        const { commerce, range } = await readRange(db, commerceId, daysOf(query));
        const { from, to } = range;
        const { kind, benefit_id, level_id } = query;
        const filter = { kind, from, to, benefitId: benefit_id, levelId: level_id };
        const memberIds = await readWireIds(db, commerceId, 'member');
        const cursors = peopleCursors(secret, commerceId, filter, memberIds);
        const after = (query.cursor ?? '') === '' ? null : cursors.open(query.cursor!);
        const { lines, next } = await listPeople(db, commerce, filter, after);
        return {
          results: lines.map((line) => reportPersonToWire(line, { memberIds })),
          next_cursor: next && cursors.seal(next),
        };
      },
    }),
  };
}

async function readRange(
  db: Db,
  commerceId: number,
  { from, to, by }: AskedRange,
): Promise<{ commerce: Commerce; range: ReportRange }> {
  const commerce = (await readCommerce(db, commerceId))!;
  return { commerce, range: resolveRange({ from, to, by }, commerce.today) };
}

/** A list has no periods, so it may be as long as months allow. */
function daysOf({ from, to }: AskedRange): AskedRange {
  return { from, to, by: 'month' };
}
