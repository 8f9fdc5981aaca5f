import type { FastifyBaseLogger, FastifyRequest } from 'fastify';
import { auditRoutes } from '#admin/audit/routes.ts';
import { developerRoutes } from '#admin/developers/developer-routes.ts';
import type { ContractDocument } from '#admin/developers/example-calls.ts';
import { keyRoutes } from '#admin/developers/key-routes.ts';
import { eventLookRoutes } from '#admin/developers/event-routes.ts';
import { webhookRoutes } from '#admin/developers/webhook-routes.ts';
import { correctionRoutes } from '#admin/members/correction-routes.ts';
import { personRoutes } from '#admin/members/person-routes.ts';
import { memberRoutes } from '#admin/members/routes.ts';
import { adminOrderRoutes } from '#admin/orders/routes.ts';
import { reportRoutes } from '#admin/reports/routes.ts';
import { memberSearchRoutes } from '#admin/members/search-routes.ts';
import { pictureUploadRoutes } from '#admin/pictures/routes.ts';
import { programRoutes } from '#admin/program/routes.ts';
import { whatIfRoutes } from '#admin/what-if/routes.ts';
import { createWhatIfStreams } from '#admin/what-if/what-if-stream.ts';
import { messageRoutes } from '#admin/messages/routes.ts';
import { tillDeskRoutes } from '#admin/till/desk-routes.ts';
import { tillPurchaseRoutes } from '#admin/till/purchase-routes.ts';
import { tillReturnRoutes } from '#admin/till/return-routes.ts';
import { tillVoucherRoutes } from '#admin/till/voucher-routes.ts';
import { myMailsRoutes } from '#accounts/my-mails-routes.ts';
import { myAccountRoutes } from '#accounts/my-routes.ts';
import { createClientReader } from '#accounts/client-reader.ts';
import { clientRoutes } from '#accounts/shop-routes.ts';
import { benefitRoutes } from '#benefits/routes.ts';
import { createShelfReader } from '#benefits/shelf-reader.ts';
import { createCaps } from '#base/caps.ts';
import { tellCommerceTime } from '#commerces/commerce-time.ts';
import {
  createKeyReader,
  createOpenCommerceReader,
  createStaffKeyReader,
} from '#commerces/caller-readers.ts';
import { watchKeyCalls } from '#commerces/key-calls.ts';
import { rememberBriefly } from '#batching/short-memory.ts';
import { consoleRoutes } from '#console-page/routes.ts';
import type { Writer } from '#batching/writer.ts';
import type { Database } from '#db/database.ts';
import { refuseIfEnding } from '#http/end.ts';
import { createFailureLimit } from '#http/failed-credentials.ts';
import type { RateLimits } from '#http/rate-limits.ts';
import { limitCallTime } from '#http/call-time.ts';
import { ownLedger, type Ledger } from '#http/ledger.ts';
import { keepAnswers } from '#http/ready-answer.ts';
import type { Lookups } from '#http/credentials.ts';
import { createStillGood } from '#http/still-good.ts';
import { createServer, type AccessLog, type App } from '#http/server.ts';
import { namedCommerceOf } from '#http/authorize-staff.ts';
import type { SocketLimits } from '#http/sockets.ts';
import { isFromThisMachine } from '#http/this-machine.ts';
import { refuseUnheard } from '#http/refuse-unheard.ts';
import { takeTurns } from '#http/turns.ts';
import { addDevMailbox } from '#mail/dev-mailbox.ts';
import { mailHookRoutes } from '#messages/hook-routes.ts';
import { mailSettingsRoutes } from '#messages/settings-routes.ts';
import type { Metrics } from '#monitoring/metrics.ts';
import type { InvitationLimit } from '#members/invite-people.ts';
import { healthRoutes } from '#monitoring/health.ts';
import { createAdminRoutes } from '#admin/admin-routes.ts';
import { teamRoutes } from '#admin/team-routes.ts';
import { createAside, type Aside } from '#aside/aside.ts';
import { createReadiness } from '#monitoring/readiness.ts';
import { createEventCursors } from '#events/event-cursor.ts';
import { createFollower } from '#events/follower.ts';
import { eventRoutes } from '#events/routes.ts';
import { createSnapshotSender } from '#events/send-snapshot.ts';
import { enrolmentRoutes } from '#enrolment/routes.ts';
import { exportRoutes } from '#exports/routes.ts';
import { createExportSender } from '#exports/send-export.ts';
import { createHistoryReader } from '#history/history-reader.ts';
import { historyRoutes } from '#history/routes.ts';
import { createHolderReader } from '#points/holder-reader.ts';
import { myDataRoute } from '#member-care/my-data-route.ts';
import { pictureRoutes } from '#pictures/routes.ts';
import { portalRoutes } from '#club-page/routes.ts';
import { orderRoutes } from '#orders/routes.ts';
import { createPurchaseRecorder } from '#purchases/purchase-recorder.ts';
import { publicEarningRoutes } from '#purchases/public-routes.ts';
import { purchaseRoutes } from '#purchases/routes.ts';
import { referenceRoutes } from '#reference/routes.ts';
import { rewardRoutes } from '#rewards/routes.ts';
import { createAccessTokens, type SessionScope } from '#sign-in/access-token.ts';
import { undoRoutes } from '#corrections/undo-routes.ts';
import { signInRoutes } from '#sign-in/routes.ts';
import { vouchRoutes } from '#sign-in/vouch-routes.ts';
import { createSessionReader } from '#sign-in/session-reader.ts';
import { addDevSetUp, DEV_SET_UP } from '#set-up/dev-set-up.ts';
import { setUpRoutes } from '#set-up/routes.ts';
import { staffSignInRoutes } from '#staff/routes.ts';
import { createStaffSessionReader } from '#staff/staff-session.ts';
import { startPageRoutes } from '#start-page/routes.ts';
import type { DemoFacts } from '#start-page/write-start-page.ts';
import { tierRoutes } from '#tiers/routes.ts';
import { addWallets } from '#wallets/routes.ts';
import type { MailHookSettings } from '#settings/mail-hook-settings.ts';
import type { WalletSettings } from '#settings/wallet-settings.ts';
import { WEBHOOKS } from '#webhooks/describe-webhooks.ts';
import { INTERNET_ONLY, type AddressRules } from '#webhooks/webhook-address.ts';
import { holdRoutes } from '#vouchers/hold-routes.ts';
import { myVoucherRoutes } from '#vouchers/my-routes.ts';
import { tillRoutes } from '#vouchers/till-routes.ts';
import { createBenefitExchanger } from '#vouchers/benefit-exchanger.ts';
import { createVoucherRedeemer } from '#vouchers/voucher-redeemer.ts';
import type { SecretKeys } from '#settings/secret-key.ts';

/** What the service needs. `run.ts` and the tests pass it in. */
export interface Deps {
  readonly db: Database;
  readonly log: FastifyBaseLogger | false;
  readonly trustProxy?: string[];
  /** Replaces some of the usual limits of sockets. */
  readonly sockets?: Partial<SocketLimits>;
  /** Signs tokens and cursors. */
  readonly secret: SecretKeys;
  /** Where a member's tokens are good; at every commerce by default. */
  readonly sessionScope?: SessionScope;
  /** Limits per key, member and client network. Without it there are no limits. */
  readonly rateLimits?: RateLimits | null;
  /** Where limits are counted. By default, in this process. */
  readonly ledger?: Ledger;
  /** Where the calls run that share transactions. By default, in this process. */
  readonly writer?: Writer;
  /** Invitations that one commerce may send on a day; null means no limit. */
  readonly invitationsPerDay?: number | null;
  /** Uses of codes that one key may undo on a day; null means no limit. */
  readonly undosPerDay?: number | null;
  /** Where webhooks may be sent to. By default, to the internet at the usual ports. */
  readonly webhookRules?: AddressRules;
  /** What does the work that grows with the body of a call. By default, processes of its own. */
  readonly aside?: Aside;
  /** Called when the clock of a sandbox has to be moved. */
  readonly onClockMove?: () => void;
  /** Called when a mail that a person is waiting for has been added to the outbox. */
  readonly onMailQueued?: () => void;
  readonly metrics?: Metrics | null;
  /** The calls that are logged. */
  readonly accessLog?: AccessLog;
  /** True if `/dev/mail` shows the outbox, including everybody's sign-in codes. */
  readonly devMailbox?: boolean;
  /** How mail providers prove that a report is theirs. Without it, no reports are taken. */
  readonly mailHooks?: MailHookSettings;
  /** What signs cards for wallets. Without it, there are none. */
  readonly wallets?: WalletSettings | null;
  /** False removes the service workers from the members' phones. */
  readonly worksOffline?: boolean;
  /** True if the page at `/docs` can make calls. It then shares its origin with the portal. */
  readonly tryItOut?: boolean;
  /** The demo, for the developer's page at `/` and the values that the page at `/docs` fills in. */
  readonly demo?: DemoFacts | null;
  /** The public address of the service, without a trailing slash. By default, the one that each caller has used. */
  readonly publicUrl?: string | null;
  /** The address of the console without its path, if it has a host of its own. */
  readonly consoleUrl?: string | null;
}

/** Builds the whole service, ready to listen or to be called by a test. */
export async function buildApp(deps: Deps): Promise<App> {
  const service = await createService(deps);
  const { app, db } = service;
  addShopRoutes(service);
  addPublicRoutes(service);
  addMemberRoutes(service);
  addSignInOfStaff(service);
  addStaffRoutes(service);
  mailSettingsRoutes(app, deps);
  mailHookRoutes(app, deps);
  addHealthRoutes(service);
  pictureRoutes(app, db);
  portalRoutes(app, deps);
  consoleRoutes(app);
  referenceRoutes(app, deps);
  startPageRoutes(app, deps);
  if (deps.devMailbox === true) {
    addDevMailbox(app, deps);
    addDevSetUp(app, deps);
  }
  await app.ready();
  return app;
}

/** The server without routes, and all that several groups of routes share. */
type Service = Awaited<ReturnType<typeof createService>>;

async function createService(deps: Deps) {
  const { db, secret, rateLimits = null, onMailQueued = () => {}, ledger = ownLedger } = deps;
  const caps = createCaps();
  const accessTokens = createAccessTokens(secret, deps.sessionScope);
  const staffSessionOf = createStaffSessionReader(db);
  const limitFailures = createFailureLimit(rateLimits?.perNetwork ?? 0, caps, ledger);
  const keyOf = limitFailures(rememberBriefly(db, createKeyReader(db)));
  const sessionOf = createSessionReader(db);
  const lookups: Lookups = {
    key: keyOf,
    user: limitFailures((token) => accessTokens.userOf(sessionOf, token)),
    hasExpired: (token) => accessTokens.hasExpired(token),
    commerce: limitFailures(rememberBriefly(db, createOpenCommerceReader(db))),
    staffSession: limitFailures((token: string, request) => staffSessionOf(token, namedCommerceOf(request))),
    staffKey: limitFailures(createStaffKeyReader(db)),
  };
  const app = await createServer({
    log: deps.log,
    caps,
    rateLimits,
    ledger,
    publicUrl: deps.publicUrl ?? null,
    consoleUrl: deps.consoleUrl ?? null,
    webhooks: WEBHOOKS,
    ...(deps.accessLog && { accessLog: deps.accessLog }),
    tracing: db.tracing,
    ...(deps.trustProxy && { trustProxy: deps.trustProxy }),
    ...(deps.sockets && { sockets: deps.sockets }),
    noteUnavailable: (error) => db.trouble.note(error, 1),
    lookups,
  });

  refuseUnheard(app, db);
  const turns = takeTurns(app, {
    connections: db.pool.options.max,
    caps,
    longestWaitMs: db.patience.turnMs,
  });
  const callTime = limitCallTime(app, db.patience.callMs);
  tellCommerceTime(app);
  const invitations: InvitationLimit = {
    perDay: deps.invitationsPerDay ?? null,
    onHeldBack: () => caps.refused('invitations-of-a-commerce'),
  };
  const batches = createBatches(app, db, invitations, deps.writer);
  const follower = createFollower(db, app.log);
  deps.metrics?.watch(app, {
    caps,
    oldestMs: callTime.oldestMs,
    waiting: turns.waiting,
    batches: {
      purchases: () => batches.purchases.load(),
      exchanges: () => batches.exchanger.load(),
      redemptions: () => batches.redeemer.load(),
    },
    events: follower,
  });
  const holderOf = createHolderReader(db);
  // Phones, for the cards in their wallets.
  const wallet = addWallets(app, { db, holderOf, secret, wallets: deps.wallets ?? null });
  const { flush: noteCalls } = watchKeyCalls(app, db, app.log);
  const isStillGood = createStillGood(lookups);
  const exportSender = createExportSender(caps, isStillGood, ledger);
  app.addHook('preClose', async () => exportSender.stop());
  return {
    ...batches,
    app,
    db,
    secret,
    caps,
    ledger,
    limitNetworks: rateLimits !== null,
    devMailbox: deps.devMailbox ?? false,
    onMailQueued,
    invitations,
    keyOf,
    isStillGood,
    accessTokens,
    staffSessionOf,
    holderOf,
    callTime,
    follower,
    noteCalls,
    exportSender,
    wallet,
    benefit: benefitRoutes({ db, shelfOf: createShelfReader(db), sendReady: keepAnswers() }),
    order: orderRoutes({ db, secret, invitations, caps, undosPerDay: deps.undosPerDay ?? null }),
    undosPerDay: deps.undosPerDay ?? null,
    webhookRules: deps.webhookRules ?? INTERNET_ONLY,
    aside: deps.aside,
    onClockMove: deps.onClockMove ?? (() => {}),
  };
}

/** Groups the calls that arrive at once into shared transactions. */
function createBatches(app: App, db: Database, invitations: InvitationLimit, writer?: Writer) {
  const purchases = createPurchaseRecorder(db, invitations, writer);
  const exchanger = createBenefitExchanger(db, writer);
  const redeemer = createVoucherRedeemer(db, writer);
  // The server answers the requests it has before it closes, so the batches that they wait for must finish first.
  const drained = () => Promise.all([purchases.drained(), exchanger.drained(), redeemer.drained()]);
  app.addHook('preClose', async () => void (await drained()));
  return { purchases, exchanger, redeemer };
}

/** Shop servers, with an API key. */
function addShopRoutes(service: Service): void {
  const { app, db, secret, caps, holderOf, follower, benefit, order } = service;
  const purchase = purchaseRoutes({ db, purchases: service.purchases, secret });
  const client = clientRoutes({ db, clients: createClientReader(db), holderOf, secret });
  const till = tillRoutes({ db, redeemer: service.redeemer });
  const hold = holdRoutes({ db });
  const undo = undoRoutes({ db, perDay: service.undosPerDay, caps });
  const vouch = vouchRoutes({ db, accessTokens: service.accessTokens });
  const exported = exportRoutes({ db, exportSender: service.exportSender });
  const cursorsOf = createEventCursors(secret);
  const snapshots = createSnapshotSender({
    db,
    caps,
    log: app.log,
    follower,
    isStillGood: service.isStillGood,
    cursorsOf,
  });
  app.addHook('preClose', async () => {
    follower.stop();
    snapshots.stop();
  });
  const event = eventRoutes({ db, secret, follower, caps, keyOf: service.keyOf, snapshots });

  app.post('/v1/consumptions/client-code', purchase.recordConsumptionByClientCode);
  app.post('/v1/consumptions/email', purchase.recordConsumptionByEmail);
  app.post('/v1/consumptions/preview', purchase.previewConsumption);
  app.get('/v1/consumptions', purchase.listConsumptions);
  app.get('/v1/consumptions/:consumption_id', purchase.getConsumption);
  app.post('/v1/consumptions/:consumption_id/reversal', purchase.reverseConsumption);
  app.post('/v1/consumptions/:consumption_id/confirmation', purchase.confirmConsumption);
  app.put('/v1/orders/:external_id', order.putOrder);
  app.get('/v1/orders/:external_id', order.getOrder);
  app.get('/v1/orders', order.listOrders);
  app.post('/v1/orders/preview', order.previewOrder);
  app.post('/v1/sessions', vouch.vouchForMember);
  app.get('/v1/exports/members', exported.exportMembers);
  app.get('/v1/exports/movements', exported.exportMovements);
  app.get('/v1/events', event.listEvents);
  app.get('/v1/events/snapshot', event.snapshotEvents);
  app.get('/v1/clients/list', client.listClients);
  app.get('/v1/clients/:client_code', client.getClient);
  app.post('/v1/clients/email', client.getClientByEmail);
  app.get('/v1/clients/:client_code/standing', client.getClientStanding);
  app.get('/v1/clients/:client_code/benefits', client.listClientBenefits);
  app.get('/v1/clients/:client_code/benefits/past', client.listPastBenefitsOfClient);
  app.get('/v1/benefits/list', benefit.listBenefits);
  app.get('/v1/benefits/:benefit_id', benefit.getBenefit);
  app.get('/v1/benefits/preview/:client_benefit_code', till.previewRedemptionCode);
  app.get('/v2/benefits/preview/:client_benefit_code', till.previewRedemptionCodeV2);
  app.post('/v1/benefits/redeem', till.redeemBenefit);
  app.post('/v1/benefits/holds', hold.holdVoucher);
  app.delete('/v1/benefits/holds/:external_id', hold.releaseHold);
  app.post('/v1/benefits/redemptions/:external_id/undo', undo.undoRedemption);
}

/** Anyone, at the commerce in `X-Commerce-Id`. */
function addPublicRoutes(service: Service): void {
  const { app, db, secret, caps, limitNetworks, onMailQueued, accessTokens, benefit, order } = service;
  const earning = publicEarningRoutes({ db });
  const signIn = signInRoutes({ db, secret, accessTokens, caps, limitNetworks, onMailQueued });

  app.get('/v1/public/commerce', benefit.getCommerce);
  app.get('/v1/public/benefits', benefit.listPublicBenefits);
  app.get('/v1/public/program', benefit.getProgram);
  app.get('/v1/public/earning', earning.getEarningRules);
  app.post('/v1/public/earning-preview', order.previewEarning);
  app.post('/v1/auth/otp/request', signIn.requestOneTimeCode);
  app.post('/v1/auth/otp/verify', signIn.verifyOneTimeCode);
  app.post('/v1/auth/link/verify', signIn.verifySignInLink);
  app.post('/v1/auth/refresh', signIn.refreshSession);
  app.post('/v1/auth/logout', signIn.logOut);
}

/** Signed-in people, at the commerce in `X-Commerce-Id`. */
function addMemberRoutes({ app, db, secret, holderOf, exchanger, benefit, wallet }: Service): void {
  const account = myAccountRoutes({ db, holderOf });
  const myMails = myMailsRoutes({ db });
  const myData = myDataRoute({ db });
  const voucher = myVoucherRoutes({ db, holderOf, exchanger, secret });
  const history = historyRoutes({ db, historyOf: createHistoryReader(db), secret });
  const tier = tierRoutes({ holderOf });
  const reward = rewardRoutes({ db, holderOf });
  const enrolment = enrolmentRoutes({ db });

  app.get('/v1/me', account.getMyAccount);
  app.patch('/v1/me', account.editMyAccount);
  app.get('/v1/me/card', account.getMyCard);
  app.get('/v1/me/profile', account.getMyProfile);
  app.get('/v1/me/mails', myMails.getMyMails);
  app.patch('/v1/me/mails', myMails.chooseMyMails);
  app.get('/v1/me/data', myData.getMyData);
  app.get('/v1/me/points/expirations', account.listMyExpirations);
  app.get('/v1/me/points/pending', account.listMyPending);
  app.get('/v1/me/stamps', account.listMyStamps);
  app.get('/v1/me/level', tier.getMyLevel);
  app.get('/v1/me/rewards', reward.listAutomaticRewards);
  app.get('/v1/me/benefits/available', benefit.listAvailableBenefits);
  app.post('/v1/me/benefits/exchange', voucher.exchangeBenefit);
  app.get('/v1/me/benefits', voucher.listMyBenefits);
  app.get('/v1/me/benefits/past', voucher.listMyPastBenefits);
  app.get('/v1/me/benefits/holds', voucher.listMyHolds);
  app.get('/v1/me/activity', history.listMyActivity);
  app.get('/v1/me/history', history.listMyHistory);
  app.get('/v1/me/card/wallets', wallet.listMyWallets);
  app.post('/v1/me/subscription', enrolment.joinProgram);
  app.delete('/v1/me/subscription', enrolment.leaveProgram);
}

/** The ways in for the shop's own people: signing in, and setting up a shop. */
function addSignInOfStaff(service: Service): void {
  const { app, db, secret, caps, limitNetworks, devMailbox, onMailQueued } = service;
  const linksOf = (request: FastifyRequest) => ({
    serviceUrl: request.serviceUrl,
    ownShopUrl: devMailbox && isFromThisMachine(request) ? `${request.serviceUrl}${DEV_SET_UP}` : null,
  });
  const sessionOf = service.staffSessionOf;
  const both = { db, secret, sessionOf, caps, limitNetworks, onMailQueued, linksOf };
  const staff = staffSignInRoutes(both);
  const setUp = setUpRoutes({ ...both, devMailbox });

  app.post('/admin/v1/auth/otp/request', staff.requestStaffCode);
  app.post('/admin/v1/auth/otp/verify', staff.verifyStaffCode);
  app.post('/admin/v1/auth/link/verify', staff.verifyStaffLink);
  app.post('/admin/v1/auth/step-up/request', staff.requestStepUpCode);
  app.post('/admin/v1/auth/step-up/verify', staff.verifyStepUpCode);
  app.post('/admin/v1/auth/logout', staff.logOutStaff);
  app.post('/admin/v1/set-up/link', setUp.readSetUpLink);
  app.post('/admin/v1/set-up/code', setUp.requestSetUpCode);
  app.post('/admin/v1/set-up/claim', setUp.claimSetUp);
  app.get('/admin/v1/set-up', setUp.getSetUp);
  app.patch('/admin/v1/set-up', setUp.saveSetUp);
  app.post('/admin/v1/set-up/preview', setUp.previewSetUp);
  app.post('/admin/v1/set-up/shop', setUp.openShop);
  app.get('/admin/v1/session', staff.getStaffSession);
}

/** The shop's own people, with a session or a back-office key. */
function addStaffRoutes(service: Service): void {
  const { app, db, secret, caps, ledger, invitations, exportSender, noteCalls, onMailQueued } = service;
  const aside = service.aside ?? createAside(caps, {}, ledger);
  app.addHook('onClose', async () => aside.close());
  const admin = createAdminRoutes(db, aside);
  const whatIfs = createWhatIfStreams(db, caps, { ledger });
  app.addHook('preClose', async () => whatIfs.stop());
  const key = keyRoutes(admin, noteCalls);
  const developer = developerRoutes(admin, {
    secret,
    contract: () => app.swagger() as unknown as ContractDocument,
    noteCalls,
    onClockMove: service.onClockMove,
  });
  const eventLook = eventLookRoutes(admin, { db });
  const webhook = webhookRoutes(admin, { db, secret, rules: service.webhookRules });
  const team = teamRoutes(admin, onMailQueued);
  const tillDesk = tillDeskRoutes(admin, secret);
  const tillPurchase = tillPurchaseRoutes(admin, invitations);
  const tillVoucher = tillVoucherRoutes(admin);
  const tillReturn = tillReturnRoutes(admin);
  const members = memberRoutes({ admin, secret });
  const memberSearch = memberSearchRoutes({ admin, secret, exportSender });
  const person = personRoutes({ admin, invitations, onMailQueued });
  const correction = correctionRoutes({ admin });
  const program = programRoutes({ admin, secret });
  const whatIf = whatIfRoutes({ admin, whatIfs });
  const picture = pictureUploadRoutes(admin);
  const report = reportRoutes({ admin, secret });
  const message = messageRoutes({ admin, onMailQueued });
  const shopOrder = adminOrderRoutes({ admin, secret });
  const audit = auditRoutes({ admin, secret, exportSender });

  app.get('/admin/v1/program', tillDesk.getProgram);
  app.get('/admin/v1/program/model', program.getProgramModel);
  app.post('/admin/v1/program/check', program.checkProgram);
  app.post('/admin/v1/program/what-if', whatIf.whatIf);
  app.post('/admin/v1/program/try', program.tryPurchase);
  app.post('/admin/v1/program/publish', program.publishProgram);
  app.get('/admin/v1/program/versions', program.listProgramVersions);
  app.get('/admin/v1/program/versions/:version', program.getProgramVersion);
  app.get('/admin/v1/program/file', program.getProgramFile);
  app.post('/admin/v1/program/file/read', program.readProgramFile);
  app.post('/admin/v1/program/file/write', program.writeProgramFile);
  app.post('/admin/v1/pictures', picture.uploadPicture);
  app.post('/admin/v1/find', tillDesk.find);
  app.get('/admin/v1/till/members/:member_id', tillDesk.getTillMember);
  app.post('/admin/v1/till/preview', tillPurchase.previewPurchase);
  app.get('/admin/v1/till/day', tillDesk.listTillDay);
  app.post('/admin/v1/purchases', tillPurchase.recordPurchase);
  app.post('/admin/v1/purchases/:consumption_id/reversal/preview', tillReturn.previewReversal);
  app.post('/admin/v1/purchases/:consumption_id/reversal', tillReturn.reversePurchase);
  app.get('/admin/v1/vouchers/:client_benefit_code', tillVoucher.getVoucher);
  app.post('/admin/v1/vouchers/:client_benefit_code/redemption', tillVoucher.redeemVoucher);
  app.post('/admin/v1/members/search', memberSearch.searchMembers);
  app.post('/admin/v1/members/export', memberSearch.exportMembers);
  app.get('/admin/v1/members/:member_id', members.getMember);
  app.get('/admin/v1/members/:member_id/history', members.listMemberHistory);
  app.get('/admin/v1/members/:member_id/benefits', members.listMemberVouchers);
  app.get('/admin/v1/members/:member_id/data', person.exportMemberData);
  app.post('/admin/v1/members/:member_id/block', person.blockMember);
  app.post('/admin/v1/members/:member_id/unblock', person.unblockMember);
  app.patch('/admin/v1/members/:member_id/profile', person.editProfile);
  app.post('/admin/v1/members/:member_id/invitation', person.resendInvitation);
  app.delete('/admin/v1/members/:member_id/suppression', person.liftSuppression);
  app.post('/admin/v1/members/:member_id/erasure', person.eraseMember);
  app.post('/admin/v1/members/:member_id/adjustments', correction.adjustPoints);
  app.put('/admin/v1/members/:member_id/level', correction.pinLevel);
  app.delete('/admin/v1/members/:member_id/level', correction.unpinLevel);
  app.post('/admin/v1/vouchers/:client_benefit_code/return', correction.giveBackVoucher);
  app.get('/admin/v1/orders', shopOrder.listShopOrders);
  app.get('/admin/v1/orders/:external_id', shopOrder.getShopOrder);
  app.get('/admin/v1/keys', key.listKeys);
  app.post('/admin/v1/keys', key.createKey);
  app.post('/admin/v1/keys/:key_id/rotation', key.rotateKey);
  app.post('/admin/v1/keys/:key_id/revocation', key.revokeKey);
  app.get('/admin/v1/events', eventLook.listShopEvents);
  app.get('/admin/v1/events/:event_id', eventLook.getShopEvent);
  app.get('/admin/v1/webhooks', webhook.listWebhooks);
  app.post('/admin/v1/webhooks', webhook.createWebhook);
  app.get('/admin/v1/webhooks/:webhook_id', webhook.getWebhook);
  app.patch('/admin/v1/webhooks/:webhook_id', webhook.changeWebhook);
  app.delete('/admin/v1/webhooks/:webhook_id', webhook.deleteWebhook);
  app.post('/admin/v1/webhooks/:webhook_id/enable', webhook.enableWebhook);
  app.post('/admin/v1/webhooks/:webhook_id/disable', webhook.disableWebhook);
  app.post('/admin/v1/webhooks/:webhook_id/rotation', webhook.rotateWebhookSecret);
  app.post('/admin/v1/webhooks/:webhook_id/test', webhook.testWebhook);
  app.post('/admin/v1/webhooks/:webhook_id/replay', webhook.replayWebhook);
  app.get('/admin/v1/webhooks/:webhook_id/deliveries', webhook.listWebhookDeliveries);
  app.get('/admin/v1/webhooks/:webhook_id/deliveries/:delivery_id', webhook.getWebhookDelivery);
  app.post('/admin/v1/webhooks/:webhook_id/deliveries/:delivery_id/replay', webhook.replayWebhookDelivery);
  app.get('/admin/v1/problem-calls', developer.listProblemCalls);
  app.get('/admin/v1/ignored-fields', developer.listIgnoredFields);
  app.get('/admin/v1/example-calls', developer.listExampleCalls);
  app.get('/admin/v1/clock', developer.getClock);
  app.post('/admin/v1/clock/moves', developer.moveClock);
  app.get('/admin/v1/messages', message.getMessages);
  app.post('/admin/v1/messages/preview', message.previewMessage);
  app.post('/admin/v1/messages/test', message.sendTestMessage);
  app.get('/admin/v1/reports/overview', report.getReportOverview);
  app.get('/admin/v1/reports/points', report.getPointsReport);
  app.get('/admin/v1/reports/members', report.getMembersReport);
  app.get('/admin/v1/reports/purchases', report.getPurchasesReport);
  app.get('/admin/v1/reports/liability', report.getLiabilityReport);
  app.get('/admin/v1/reports/benefits', report.getBenefitsReport);
  app.get('/admin/v1/reports/levels', report.getLevelsReport);
  app.get('/admin/v1/reports/earning', report.getEarningReport);
  app.get('/admin/v1/reports/movements', report.listReportMovements);
  app.get('/admin/v1/reports/people', report.listReportPeople);
  app.get('/admin/v1/reports/:name/export', report.exportReport);
  app.get('/admin/v1/audit', audit.listAudit);
  app.get('/admin/v1/audit/actors', audit.listAuditActors);
  app.post('/admin/v1/audit/export', audit.exportAudit);
  app.get('/admin/v1/staff', team.listStaff);
  app.post('/admin/v1/staff', team.inviteStaff);
  app.patch('/admin/v1/staff/:staff_id', team.changeStaffRole);
  app.delete('/admin/v1/staff/:staff_id', team.removeStaff);
  app.get('/admin/v1/staff/:staff_id/devices', team.listStaffDevices);
  app.post('/admin/v1/staff/:staff_id/sign-out', team.signOutStaff);
}

function addHealthRoutes({ app, db, callTime }: Service): void {
  const health = healthRoutes({ readiness: createReadiness(db, callTime.oldestMs) });
  const unlimited = { rateLimit: 'none' } as const;
  app.get('/healthz', { ...health.healthz, config: { ...health.healthz.config, ...unlimited } });
  app.get('/readyz', {
    ...health.readyz,
    config: { ...health.readyz.config, ...unlimited },
    onRequest: refuseIfEnding,
  });
}
