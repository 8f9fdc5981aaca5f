/** The types of the back office's client are written by hand too, so the compiler compares them with the routes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Static, TSchema } from 'typebox';
import type { auditRoutes } from '#admin/audit/routes.ts';
import type { developerRoutes } from '#admin/developers/developer-routes.ts';
import type { keyRoutes } from '#admin/developers/key-routes.ts';
import type { webhookRoutes } from '#admin/developers/webhook-routes.ts';
import type { messageRoutes } from '#admin/messages/routes.ts';
import type { adminOrderRoutes } from '#admin/orders/routes.ts';
import type { programRoutes } from '#admin/program/routes.ts';
import type { whatIfRoutes } from '#admin/what-if/routes.ts';
import type { pictureUploadRoutes } from '#admin/pictures/routes.ts';
import type * as team from '#admin/team-routes.ts';
import type { correctionRoutes } from '#admin/members/correction-routes.ts';
import type { personRoutes } from '#admin/members/person-routes.ts';
import type { memberSearchRoutes } from '#admin/members/search-routes.ts';
import type { tillDeskRoutes } from '#admin/till/desk-routes.ts';
import type { tillPurchaseRoutes } from '#admin/till/purchase-routes.ts';
import type { tillReturnRoutes } from '#admin/till/return-routes.ts';
import type { tillVoucherRoutes } from '#admin/till/voucher-routes.ts';
import type { setUpRoutes } from '#set-up/routes.ts';
import { service } from '#test/harness.ts';
import type * as sdk from '../../../sdk/src/admin.ts';
import { createAdminClient, createSetUpClient } from '../../../sdk/src/admin.ts';
import type { Plain, Same } from './same-types.ts';

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
  ReturnType<typeof adminOrderRoutes> &
  ReturnType<typeof keyRoutes> &
  ReturnType<typeof developerRoutes> &
  ReturnType<typeof webhookRoutes> &
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

/** The bodies that the methods of the client send, by operation. */
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
  createWebhook: Parameters<Client['createWebhook']>[0];
  changeWebhook: Parameters<Client['changeWebhook']>[1];
  enableWebhook: NonNullable<Parameters<Client['enableWebhook']>[1]>;
  /** JSON has an instant as a text. */
  rotateWebhookSecret: { seen_old_secret_until?: Date | null };
  replayWebhook: { since?: Date; until?: Date };
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
  createWebhook: true,
  changeWebhook: true,
  enableWebhook: true,
  rotateWebhookSecret: true,
  replayWebhook: true,
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
