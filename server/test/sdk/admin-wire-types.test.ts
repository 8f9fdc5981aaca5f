/** The types of the back office's client are written by hand too, so the compiler compares them with the routes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Static, TSchema } from 'typebox';
import type { auditRoutes } from '#admin/audit/routes.ts';
import * as audit from '#admin/audit/wire.ts';
import type { developerRoutes } from '#admin/developers/developer-routes.ts';
import type { keyRoutes } from '#admin/developers/key-routes.ts';
import * as developers from '#admin/developers/wire.ts';
import * as members from '#admin/members/wire.ts';
import type { messageRoutes } from '#admin/messages/routes.ts';
import * as messages from '#admin/messages/wire.ts';
import type { programRoutes } from '#admin/program/routes.ts';
import * as program from '#admin/program/wire.ts';
import type { whatIfRoutes } from '#admin/what-if/routes.ts';
import * as whatIf from '#admin/what-if/wire.ts';
import { UploadedPictureSchema, type pictureUploadRoutes } from '#admin/pictures/routes.ts';
import * as reports from '#admin/reports/wire.ts';
import * as till from '#admin/till/wire.ts';
import * as team from '#admin/team-routes.ts';
import type { correctionRoutes } from '#admin/members/correction-routes.ts';
import type { personRoutes } from '#admin/members/person-routes.ts';
import type { memberSearchRoutes } from '#admin/members/search-routes.ts';
import type { tillDeskRoutes } from '#admin/till/desk-routes.ts';
import type { tillPurchaseRoutes } from '#admin/till/purchase-routes.ts';
import type { tillReturnRoutes } from '#admin/till/return-routes.ts';
import type { tillVoucherRoutes } from '#admin/till/voucher-routes.ts';
import { programSchema } from '#program/program.ts';
import type { setUpRoutes } from '#set-up/routes.ts';
import * as setUp from '#set-up/wire.ts';
import * as staff from '#staff/wire.ts';
import { service } from '#test/harness.ts';
import type * as sdk from '../../../sdk/src/admin.ts';
import { createAdminClient, createSetUpClient } from '../../../sdk/src/admin.ts';
import { holds, type Plain, type Same } from './same-types.ts';

test('the types of the back office’s client equal those of the routes', () => {
  const compared = [
    holds<sdk.StaffSession, typeof staff.StaffSessionSchema>(staff.StaffSessionSchema),
    holds<sdk.SetUp, typeof setUp.SetUpSchema>(setUp.SetUpSchema),
    holds<sdk.SetUpLink, typeof setUp.SetUpLinkSchema>(setUp.SetUpLinkSchema),
    holds<sdk.StaffProgram, typeof till.StaffProgramSchema>(till.StaffProgramSchema),
    holds<sdk.Found, typeof till.FoundSchema>(till.FoundSchema),
    holds<sdk.FoundMember, typeof till.FoundMemberSchema>(till.FoundMemberSchema),
    holds<sdk.TillMember, typeof till.TillMemberSchema>(till.TillMemberSchema),
    holds<sdk.TillVoucher, typeof till.TillVoucherSchema>(till.TillVoucherSchema),
    holds<sdk.PurchasePreview, typeof till.PurchasePreviewSchema>(till.PurchasePreviewSchema),
    holds<sdk.RecordedPurchase, typeof till.RecordedPurchaseSchema>(till.RecordedPurchaseSchema),
    holds<sdk.TillDay, typeof till.TillDaySchema>(till.TillDaySchema),
    holds<sdk.Reversed, typeof till.ReversedSchema>(till.ReversedSchema),
    holds<sdk.ReversalPreview, typeof till.ReversalPreviewSchema>(till.ReversalPreviewSchema),
    holds<sdk.MemberPage, typeof members.MemberPageSchema>(members.MemberPageSchema),
    holds<sdk.MemberHistory, typeof members.MemberHistorySchema>(members.MemberHistorySchema),
    holds<sdk.AdjustedPoints, typeof members.AdjustedPointsSchema>(members.AdjustedPointsSchema),
    holds<sdk.GivenBack, typeof members.GivenBackSchema>(members.GivenBackSchema),
    holds<sdk.MemberList, typeof members.MemberListSchema>(members.MemberListSchema),
    holds<sdk.ErasedMember, typeof members.ErasedMemberSchema>(members.ErasedMemberSchema),
    holds<sdk.Report<sdk.PointsFigures>, typeof reports.PointsReportSchema>(reports.PointsReportSchema),
    holds<sdk.Report<sdk.MembersFigures>, typeof reports.MembersReportSchema>(reports.MembersReportSchema),
    holds<sdk.Report<sdk.PurchasesFigures>, typeof reports.PurchasesReportSchema>(
      reports.PurchasesReportSchema,
    ),
    holds<sdk.LiabilityReport, typeof reports.LiabilityReportSchema>(reports.LiabilityReportSchema),
    holds<sdk.BenefitsReport, typeof reports.BenefitsReportSchema>(reports.BenefitsReportSchema),
    holds<sdk.LevelsReport, typeof reports.LevelsReportSchema>(reports.LevelsReportSchema),
    holds<sdk.ReportOverview, typeof reports.ReportOverviewSchema>(reports.ReportOverviewSchema),
    holds<sdk.ReportMovements, typeof reports.ReportMovementsSchema>(reports.ReportMovementsSchema),
    holds<sdk.ReportPeople, typeof reports.ReportPeopleSchema>(reports.ReportPeopleSchema),
    holds<sdk.StaffMember, typeof team.StaffMemberSchema>(team.StaffMemberSchema),
    holds<sdk.AuditPage, typeof audit.AuditPageSchema>(audit.AuditPageSchema),
    holds<sdk.AuditActors, typeof audit.AuditActorsSchema>(audit.AuditActorsSchema),
    holds<sdk.StaffDevice, typeof team.StaffDeviceSchema>(team.StaffDeviceSchema),
    holds<sdk.ApiKey, typeof developers.ApiKeySchema>(developers.ApiKeySchema),
    holds<sdk.NewApiKey, typeof developers.NewApiKeySchema>(developers.NewApiKeySchema),
    holds<sdk.ProblemCalls, typeof developers.ProblemCallsSchema>(developers.ProblemCallsSchema),
    holds<sdk.ExampleCalls, typeof developers.ExampleCallsSchema>(developers.ExampleCallsSchema),
    holds<sdk.ShopClock, typeof developers.ShopClockSchema>(developers.ShopClockSchema),
    holds<sdk.Program, typeof programSchema>(programSchema),
    holds<sdk.ProgramInForce, typeof program.ProgramInForceSchema>(program.ProgramInForceSchema),
    holds<sdk.TriedPurchase, typeof program.TriedPurchaseSchema>(program.TriedPurchaseSchema),
    holds<sdk.ProgramCheck, typeof program.ProgramCheckSchema>(program.ProgramCheckSchema),
    holds<sdk.PublishedProgram, typeof program.PublishedProgramSchema>(program.PublishedProgramSchema),
    holds<sdk.ProgramVersions, typeof program.ProgramVersionsSchema>(program.ProgramVersionsSchema),
    holds<sdk.ProgramVersion, typeof program.ProgramVersionSchema>(program.ProgramVersionSchema),
    holds<sdk.Messages, typeof messages.MessagesSchema>(messages.MessagesSchema),
    holds<sdk.MessagePreview, typeof messages.MessagePreviewSchema>(messages.MessagePreviewSchema),
    holds<sdk.ProgramFile, typeof program.ProgramFileSchema>(program.ProgramFileSchema),
    holds<sdk.ProgramFileRead, typeof program.ProgramFileReadSchema>(program.ProgramFileReadSchema),
    holds<sdk.WhatIf, typeof whatIf.WhatIfSchema>(whatIf.WhatIfSchema),
    holds<sdk.WhatIfWaiting, typeof whatIf.WhatIfWaitingSchema>(whatIf.WhatIfWaitingSchema),
    holds<sdk.WhatIfProgress, typeof whatIf.WhatIfProgressSchema>(whatIf.WhatIfProgressSchema),
    holds<sdk.WhatIfFailure, typeof whatIf.WhatIfFailureSchema>(whatIf.WhatIfFailureSchema),
    holds<sdk.UploadedPicture, typeof UploadedPictureSchema>(UploadedPictureSchema),
  ];
  assert.equal(new Set(compared).size, compared.length);
});

type Routes = ReturnType<typeof tillDeskRoutes> &
  ReturnType<typeof tillPurchaseRoutes> &
  ReturnType<typeof tillReturnRoutes> &
  ReturnType<typeof tillVoucherRoutes> &
  ReturnType<typeof setUpRoutes> &
  ReturnType<typeof correctionRoutes> &
  ReturnType<typeof personRoutes> &
  ReturnType<typeof memberSearchRoutes> &
  ReturnType<typeof team.teamRoutes> &
  ReturnType<typeof auditRoutes> &
  ReturnType<typeof keyRoutes> &
  ReturnType<typeof developerRoutes> &
  ReturnType<typeof whatIfRoutes> &
  ReturnType<typeof messageRoutes> &
  ReturnType<typeof pictureUploadRoutes> &
  ReturnType<typeof programRoutes>;
type BodyOf<Id extends keyof Routes> = Routes[Id] extends { schema: { body: infer Body extends TSchema } }
  ? Static<Body>
  : never;
type Client = sdk.AdminClient & sdk.SetUpClient;
/** The fields of a buyer, of which a call has one. */
type WithOneBuyer<Sent> = Omit<Sent, 'member_id' | 'client_email'> & {
  member_id?: number;
  client_email?: string;
};

/** What the methods of the client send, by operation. */
interface SentBodies {
  requestSetUpCode: Parameters<Client['requestSetUpCode']>[0];
  claimSetUp: Parameters<Client['claimSetUp']>[0];
  previewSetUp: Parameters<Client['previewSetUp']>[0];
  saveSetUp: Parameters<Client['saveSetUp']>[0];
  find: { text: Parameters<Client['find']>[0] };
  previewPurchase: WithOneBuyer<Parameters<Client['previewPurchase']>[0]>;
  recordPurchase: WithOneBuyer<sdk.PurchaseToRecord>;
  redeemVoucher: NonNullable<Parameters<Client['redeemVoucher']>[1]>;
  previewReversal: NonNullable<Parameters<Client['previewReversal']>[1]>;
  reversePurchase: NonNullable<Parameters<Client['reversePurchase']>[1]>;
  searchMembers: sdk.MemberSearch;
  exportMembers: NonNullable<Parameters<Client['exportMembers']>[0]>;
  adjustPoints: Parameters<Client['adjustPoints']>[1];
  pinLevel: Parameters<Client['pinLevel']>[1];
  blockMember: Parameters<Client['blockMember']>[1];
  unblockMember: NonNullable<Parameters<Client['unblockMember']>[1]>;
  editProfile: Parameters<Client['editProfile']>[1];
  eraseMember: Parameters<Client['eraseMember']>[1];
  giveBackVoucher: Parameters<Client['giveBackVoucher']>[1];
  inviteStaff: Parameters<Client['inviteStaff']>[0];
  changeStaffRole: Parameters<Client['changeStaffRole']>[1];
  exportAudit: sdk.AuditSearch;
  createKey: Parameters<Client['createKey']>[0];
  rotateKey: NonNullable<Parameters<Client['rotateKey']>[1]>;
  moveClock: Parameters<Client['moveClock']>[0];
  previewMessage: Parameters<Client['previewMessage']>[0];
  sendTestMessage: Parameters<Client['sendTestMessage']>[0];
  checkProgram: Parameters<Client['checkProgram']>[0];
  whatIf: Parameters<Client['whatIf']>[0];
  tryPurchase: Parameters<Client['tryPurchase']>[0];
  publishProgram: Parameters<Client['publishProgram']>[0];
  readProgramFile: { text: Parameters<Client['readProgramFile']>[0] };
  writeProgramFile: { program: Parameters<Client['writeProgramFile']>[0] };
  /** The bytes of the file that the method takes. */
  uploadPicture: { data: string };
}

/** Does not compile where a method of the client does not send what its route takes. */
const bodies: { [Id in keyof SentBodies]: Same<Plain<SentBodies[Id]>, Plain<BodyOf<Id>>> } = {
  requestSetUpCode: true,
  claimSetUp: true,
  previewSetUp: true,
  saveSetUp: true,
  find: true,
  previewPurchase: true,
  recordPurchase: true,
  redeemVoucher: true,
  previewReversal: true,
  reversePurchase: true,
  searchMembers: true,
  exportMembers: true,
  adjustPoints: true,
  pinLevel: true,
  blockMember: true,
  unblockMember: true,
  editProfile: true,
  eraseMember: true,
  giveBackVoucher: true,
  inviteStaff: true,
  changeStaffRole: true,
  exportAudit: true,
  createKey: true,
  rotateKey: true,
  moveClock: true,
  previewMessage: true,
  sendTestMessage: true,
  checkProgram: true,
  whatIf: true,
  tryPurchase: true,
  publishProgram: true,
  readProgramFile: true,
  writeProgramFile: true,
  uploadPicture: true,
};

/** Their fields are single parameters of the methods, or there are none. */
const OTHERS = [
  'logOutStaff',
  'openShop',
  'readSetUpLink',
  'requestStaffCode',
  'resendInvitation',
  'verifyStaffCode',
  'verifyStaffLink',
  'verifyStepUpCode',
];

test('the client sends what the routes take, and has a method for every operation and no other', async () => {
  const { app } = await service();
  const { paths } = (await app.inject({ url: '/admin/openapi.json' })).json<{
    paths: Record<string, Record<string, { operationId: string; requestBody?: object }>>;
  }>();
  const operations = Object.values(paths).flatMap(Object.values) as {
    operationId: string;
    requestBody?: object;
  }[];
  assert.deepEqual(
    operations.map(({ operationId }) => operationId).toSorted(),
    Object.keys({
      ...createAdminClient({ baseUrl: 'https://x.example' }),
      ...createSetUpClient({ baseUrl: 'https://x.example' }),
    }).toSorted(),
  );
  assert.deepEqual(
    operations
      .filter(({ requestBody }) => requestBody !== undefined)
      .map(({ operationId }) => operationId)
      .filter((id) => !OTHERS.includes(id))
      .toSorted(),
    Object.keys(bodies).toSorted(),
  );
});
