/** One call of every method of the SDK's clients, with all fields that it takes. */
import type { MemberClient, OrderState, OrderToPreview, ShopClient } from '../../../sdk/src/index.ts';
import type { AdminClient, Program, SetUpClient } from '../../../sdk/src/admin.ts';

export interface Example {
  readonly args: readonly unknown[];
  /** The fields of the objects that must be there. */
  readonly required?: readonly string[];
  /** The fields that may be null. */
  readonly nullable?: readonly string[];
  /** The fields that may be empty lists. */
  readonly mayBeEmpty?: readonly string[];
  /** An object without fields means something, although the argument must be there. */
  readonly emptyIsFine?: boolean;
  /** The service checks what is in it. */
  readonly isDocument?: boolean;
  /** How many calls the method sends. */
  readonly sends?: number;
}

/** The compiler asks for an example of each method, and checks its arguments. */
type Examples<Client> = {
  readonly [Name in keyof Client]: Example & {
    readonly args: Client[Name] extends (...args: infer Args) => unknown ? Partial<Args> : never;
  };
};

const purchase = { client_code: 123_456_789, amount: 20, counter_id: 1, id_suc: 2 };
const ofOrder = ['client_code', 'client_email', 'currency', 'id_suc', 'counter_id', 'channel', 'lines'];
const orderToPreview: OrderToPreview = {
  client_code: 123_456_789,
  client_email: 'ana@example.com',
  paid: 20,
  currency: 'EUR',
  id_suc: 2,
  counter_id: 1,
  channel: 'web',
  lines: [{ id: '1', amount: 20 }],
};
const orderState: OrderState = {
  ...orderToPreview,
  status: 'paid',
  refunded: 0,
  codes: [12_345_678_901_234],
  cart_id: 'cart 7/1',
  version: 1,
  paid_at: '2026-01-01T00:00:00Z',
  confirmed: true,
};
const atRegister = ['counter_id', 'id_suc'];
const range = { from: '2026-01-01', to: '2026-02-01' };
const program = { slug: 'luna' } as Program;
const cursor = { args: [{ cursor: 'c' }] as [{ cursor: string }], nullable: ['cursor'] };
const none: { args: [] } = { args: [] };

export const SHOP: Examples<ShopClient> = {
  recordConsumptionByClientCode: {
    args: [{ ...purchase, external_id: 'A' }],
    required: ['client_code', 'amount'],
    nullable: atRegister,
  },
  recordConsumptionByEmail: {
    args: [{ client_email: 'ana@example.com', amount: 20, external_id: 'A' }],
    required: ['client_email', 'amount'],
  },
  previewConsumption: { args: [purchase], required: ['client_code', 'amount'], nullable: atRegister },
  getConsumption: { args: [7] },
  listConsumptions: {
    args: [{ external_id: 'A', client_code: 123_456_789, ...range, cursor: 'c' }],
    nullable: ['cursor'],
  },
  allConsumptions: { args: [{ external_id: 'A', client_code: 123_456_789, ...range }] },
  findConsumption: { args: ['A'] },
  confirmConsumption: { args: [7] },
  reverseConsumption: { args: [7, { amount: 5 }] },
  putOrder: {
    args: [{ ...orderState, external_id: 'order 7/1' }],
    required: ['external_id', 'status', 'paid', 'refunded', 'codes', 'version'],
    nullable: [...ofOrder, 'cart_id', 'paid_at', 'confirmed'],
    mayBeEmpty: ['codes'],
  },
  getOrder: { args: [{ external_id: 'order 7/1' }], required: ['external_id'] },
  listOrders: {
    args: [{ client_code: 123_456_789, status: 'paid', ...range, cursor: 'c' }],
    nullable: ['cursor'],
  },
  previewOrder: { args: [orderToPreview], required: ['paid'], nullable: ofOrder },
  exportMembers: none,
  exportMovements: { args: [range] },
  listEvents: { args: [{ after: 'a', types: 'member.left', wait: 0, limit: 5 }] },
  snapshotEvents: none,
  listClients: { args: [{ limit: 5, offset: 5 }] },
  allClients: none,
  getClient: { args: [123_456_789] },
  getClientByEmail: { args: ['ana@example.com'] },
  getClientStanding: { args: [123_456_789] },
  listClientBenefits: { args: [123_456_789] },
  listPastBenefitsOfClient: { args: [123_456_789, { cursor: 'c' }], nullable: ['cursor'] },
  listBenefits: none,
  getBenefit: { args: ['flat-white'] },
  previewRedemptionCode: { args: [12_345_678_901_234] },
  previewRedemptionCodeV2: { args: [12_345_678_901_234] },
  redeemBenefit: { args: [12_345_678_901_234] },
  holdVoucher: {
    args: [{ client_benefit_code: 12_345_678_901_234, external_id: 'cart 7/1', minutes: 5 }],
    required: ['client_benefit_code', 'external_id'],
  },
  releaseHold: {
    args: [{ external_id: 'cart 7/1', client_benefit_code: 12_345_678_901_234 }],
    required: ['external_id'],
  },
  undoRedemption: {
    args: [{ external_id: 'order 7', client_benefit_code: 12_345_678_901_234 }],
    required: ['external_id'],
  },
  vouchForMember: { args: ['ana@example.com'] },
};

export const MEMBER: Examples<MemberClient> = {
  getCommerce: none,
  listPublicBenefits: none,
  getProgram: none,
  getEarningRules: none,
  previewEarning: {
    args: [{ amount: 20, lines: [{ id: '1', amount: 20 }], level: 'gold' }],
    required: ['amount'],
    nullable: ['lines', 'level'],
  },
  requestOneTimeCode: { args: ['ana@example.com'] },
  verifyOneTimeCode: { args: ['ana@example.com', '123456'] },
  verifySignInLink: { args: ['token'] },
  refreshSession: none,
  logOut: none,
  isSignedIn: { args: [], sends: 0 },
  getMyAccount: none,
  editMyAccount: {
    args: [{ username: 'Ana', phone: '+34600111222', birth_date: '1990-05-04' }],
    nullable: ['username', 'phone', 'birth_date'],
  },
  getMyCard: none,
  listMyWallets: none,
  getMyProfile: none,
  getMyMails: none,
  chooseMyMails: {
    args: [{ invitation: true, expiring: false, birthday: true, level: true, reward: false }],
  },
  getMyData: none,
  listMyExpirations: none,
  listMyPending: none,
  listMyStamps: none,
  listAvailableBenefits: none,
  exchangeBenefit: { args: ['flat-white'] },
  listMyBenefits: none,
  listMyHolds: none,
  listMyPastBenefits: cursor,
  listMyActivity: cursor,
  listMyHistory: cursor,
  getMyLevel: none,
  listAutomaticRewards: none,
  joinProgram: none,
  leaveProgram: none,
};

const report = { args: [{ ...range, by: 'day' }] as [{ from: string; to: string; by: 'day' }] };
const reason = { reason: 'sorry' };
const conditions = {
  text: 'ana',
  state: 'member' as const,
  level_id: 'gold',
  min_points: 1,
  max_points: 9,
  bought_from: '2026-01-01',
  bought_to: '2026-02-01',
  expiring_days: 30,
  sort: 'name' as const,
};
const lines = { member_id: 7, action: 'a', by: 'key' as const, staff_id: 7, key_id: 7, ...range };
const mail = { kind: 'level' as const, language: 'es' as const, program };

export const ADMIN: Examples<AdminClient> = {
  requestStaffCode: { args: ['eva@example.com'] },
  verifyStaffCode: { args: ['eva@example.com', '123456'] },
  verifyStaffLink: { args: ['token'] },
  getStaffSession: none,
  logOutStaff: { args: [{ everywhere: true }] },
  requestStepUpCode: none,
  verifyStepUpCode: { args: ['123456'] },
  getProgram: none,
  find: { args: ['ana'] },
  getTillMember: { args: [7] },
  previewPurchase: {
    args: [{ member_id: 7, amount: 20, lines: [{ id: '1', amount: 20 }] }],
    required: ['member_id', 'amount'],
    nullable: ['lines'],
  },
  recordPurchase: {
    args: [{ member_id: 7, amount: 20, register_id: 1, branch_id: 2, lines: [{ id: '1', amount: 20 }] }],
    required: ['member_id', 'amount'],
    nullable: ['register_id', 'branch_id', 'lines'],
  },
  listTillDay: { args: [{ register_id: 1, cursor: 'c' }], nullable: ['register_id', 'cursor'] },
  getVoucher: { args: [12_345_678_901_234] },
  redeemVoucher: { args: [12_345_678_901_234, { register_id: 1 }], nullable: ['register_id'] },
  previewReversal: { args: [7, { amount: 5 }] },
  reversePurchase: {
    args: [7, { amount: 5, reason: 'broken', register_id: 1 }],
    nullable: ['register_id'],
  },
  searchMembers: { args: [{ ...conditions, cursor: 'c', limit: 5 }], nullable: ['level_id'] },
  exportMembers: { args: [conditions], nullable: ['level_id'] },
  getMember: { args: [7] },
  listMemberHistory: { args: [7, { kind: 'purchase', cursor: 'c' }], nullable: ['kind', 'cursor'] },
  listMemberVouchers: { args: [7] },
  exportMemberData: { args: [7] },
  listShopOrders: { args: [{ member_id: 7, status: 'paid', ...range, cursor: 'c' }] },
  getShopOrder: { args: [{ external_id: 'order 7/1' }], required: ['external_id'] },
  adjustPoints: {
    args: [7, { points: -5, ...reason, expires_on: '2027-01-01' }],
    required: ['points', 'reason'],
    nullable: ['expires_on'],
  },
  blockMember: { args: [7, reason], required: ['reason'] },
  unblockMember: { args: [7, reason] },
  pinLevel: {
    args: [7, { level_id: 'gold', ...reason }],
    required: ['level_id', 'reason'],
    nullable: ['level_id'],
  },
  unpinLevel: { args: [7] },
  editProfile: {
    args: [7, { username: 'Ana', phone: '+34600111222', birth_date: '1990-05-04' }],
    nullable: ['username', 'phone', 'birth_date'],
  },
  resendInvitation: { args: [7] },
  liftSuppression: { args: [7] },
  eraseMember: { args: [7, { confirm: '123456789', ...reason }], required: ['confirm', 'reason'] },
  giveBackVoucher: { args: [12_345_678_901_234, reason], required: ['reason'] },
  getProgramModel: none,
  checkProgram: { args: [{ program, base_version: 3 }], required: ['program', 'base_version'] },
  tryPurchase: {
    args: [
      {
        program,
        amount: 20,
        at: '2026-03-14T09:00:00Z',
        client_code: 482_915_374,
        register_id: 2,
        branch_id: 3,
        channel: 'web',
        lines: [{ id: '1', amount: 20 }],
      },
    ],
    required: ['program', 'amount'],
    nullable: ['at', 'client_code', 'register_id', 'branch_id', 'channel', 'lines'],
  },
  whatIf: { args: [{ program, ...range }], required: ['program'], nullable: ['from', 'to'] },
  publishProgram: { args: [{ program, base_version: 3, note: 'n' }], required: ['program', 'base_version'] },
  listProgramVersions: cursor,
  getProgramVersion: { args: [3] },
  getProgramFile: none,
  writeProgramFile: { args: [program], isDocument: true },
  uploadPicture: { args: [new Blob(['x'])] },
  readProgramFile: { args: ['slug: luna'] },
  getMessages: none,
  previewMessage: { args: [mail], required: ['kind'] },
  sendTestMessage: { args: [mail], required: ['kind'] },
  getReportOverview: none,
  getPointsReport: report,
  getMembersReport: report,
  getPurchasesReport: report,
  getLiabilityReport: report,
  getBenefitsReport: report,
  getLevelsReport: report,
  getEarningReport: { args: [range] },
  exportReport: { args: ['points', { ...range, by: 'day' }] },
  listReportMovements: {
    args: [{ kind: 'spent', ...range, benefit_id: 'flat-white', cursor: 'c' }],
    required: ['kind'],
  },
  listReportPeople: {
    args: [{ kind: 'reached', ...range, benefit_id: 'flat-white', level_id: 'gold', cursor: 'c' }],
    required: ['kind'],
  },
  listAudit: { args: [{ ...lines, cursor: 'c' }], nullable: ['cursor'] },
  listAuditActors: none,
  exportAudit: { args: [lines] },
  listStaff: none,
  inviteStaff: {
    args: [{ email: 'eva@example.com', name: 'Eva', role: 'manager' }],
    required: ['email', 'role'],
  },
  changeStaffRole: { args: [7, { role: 'owner' }], required: ['role'] },
  removeStaff: { args: [7] },
  listStaffDevices: { args: [7] },
  signOutStaff: { args: [7] },
  listKeys: none,
  createKey: {
    args: [{ name: 'till', role: 'cashier', scopes: ['default', 'undo'] }],
    required: ['name'],
    nullable: ['role', 'scopes'],
  },
  rotateKey: { args: [7, { overlap_hours: 24 }] },
  revokeKey: { args: [7] },
  listWebhooks: none,
  getWebhook: { args: ['we_1'] },
  createWebhook: {
    args: [{ name: 'mails', url: 'https://shop.example/', types: ['voucher.used'], scopes: ['members'] }],
    required: ['name', 'url'],
    nullable: ['types'],
    mayBeEmpty: ['scopes'],
  },
  changeWebhook: {
    args: ['we_1', { name: 'mails', url: 'https://shop.example/', types: ['voucher.used'], scopes: [] }],
    nullable: ['types'],
    mayBeEmpty: ['scopes'],
    emptyIsFine: true,
  },
  listShopEvents: { args: [{ type: 'voucher.used', cursor: 'evt_1' }], nullable: ['type', 'cursor'] },
  getShopEvent: { args: ['evt_1'] },
  deleteWebhook: { args: ['we_1'] },
  enableWebhook: { args: ['we_1', { from: 'now' }] },
  disableWebhook: { args: ['we_1'] },
  rotateWebhookSecret: {
    args: ['we_1', { seen_old_secret_until: '2026-11-27T08:00:00Z' }],
    nullable: ['seen_old_secret_until'],
  },
  testWebhook: { args: ['we_1'] },
  replayWebhook: { args: ['we_1', { since: '2026-11-26T08:00:00Z', until: '2026-11-26T09:00:00Z' }] },
  listWebhookDeliveries: {
    args: ['we_1', { state: 'failed', cursor: 'c' }],
    nullable: ['state', 'cursor'],
  },
  getWebhookDelivery: { args: ['we_1', 'evt_1'] },
  replayWebhookDelivery: { args: ['we_1', 'evt_1'] },
  listProblemCalls: { args: [{ key_id: 7, cursor: 'c' }], nullable: ['key_id', 'cursor'] },
  listIgnoredFields: { args: [{ key_id: 7 }], nullable: ['key_id'] },
  listExampleCalls: none,
  getClock: none,
  moveClock: { args: [{ count: 1, unit: 'days' }], required: ['count', 'unit'] },
};

const answers = {
  step: 'shop' as const,
  name: 'Luna',
  slug: 'luna',
  color: '#000000',
  currency: 'EUR',
  time_zone: 'Europe/Madrid',
  locale: 'es',
  money_per_point: 1,
  benefit: 'product' as const,
  title: 'A coffee',
  cost: 10,
};
const proof = { token: 'token', email: 'eva@example.com', otp: '123456' };

export const SET_UP: Examples<SetUpClient> = {
  readSetUpLink: { args: ['token'] },
  requestSetUpCode: {
    args: [{ token: 'token', email: 'eva@example.com', locale: 'es' }],
    required: ['token', 'email'],
  },
  claimSetUp: {
    args: [{ ...proof, time_zone: 'Europe/Madrid', locale: 'es' }],
    required: ['token', 'email', 'otp'],
  },
  getSetUp: none,
  previewSetUp: { args: [answers], nullable: Object.keys(answers), emptyIsFine: true },
  saveSetUp: { args: [answers], nullable: Object.keys(answers) },
  openShop: none,
};
