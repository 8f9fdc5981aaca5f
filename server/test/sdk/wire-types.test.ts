/** The SDK's types are written by hand, so here the compiler compares each with the schema of the routes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Static, TSchema } from 'typebox';
import { service } from '#test/harness.ts';
import { holds, type Plain, type Same } from './same-types.ts';
import * as activity from '#history/wire.ts';
import * as account from '#accounts/my-wire.ts';
import { MyMailsSchema, type myMailsRoutes } from '#accounts/my-mails-routes.ts';
import * as tier from '#tiers/wire.ts';
import * as reward from '#rewards/wire.ts';
import * as enrolment from '#enrolment/wire.ts';
import * as benefits from '#benefits/wire.ts';
import * as publicProgram from '#benefits/public-program.ts';
import * as clients from '#accounts/shop-wire.ts';
import * as commerces from '#commerces/wire.ts';
import * as http from '#http/schema.ts';
import * as exported from '#exports/wire.ts';
import * as purchases from '#purchases/wire.ts';
import * as signIn from '#sign-in/routes.ts';
import * as vouchers from '#vouchers/wire.ts';
import * as wallets from '#wallets/wire.ts';
import type { myAccountRoutes } from '#accounts/my-routes.ts';
import type { clientRoutes } from '#accounts/shop-routes.ts';
import type { benefitRoutes } from '#benefits/routes.ts';
import type { enrolmentRoutes } from '#enrolment/routes.ts';
import type { exportRoutes } from '#exports/routes.ts';
import type { historyRoutes } from '#history/routes.ts';
import type { purchaseRoutes } from '#purchases/routes.ts';
import type { rewardRoutes } from '#rewards/routes.ts';
import type { signInRoutes } from '#sign-in/routes.ts';
import type { tierRoutes } from '#tiers/routes.ts';
import type { myVoucherRoutes } from '#vouchers/my-routes.ts';
import type { tillRoutes } from '#vouchers/till-routes.ts';
import type * as sdk from '../../../sdk/src/index.ts';

test('the types of the SDK equal those of the routes', () => {
  const compared = [
    holds<sdk.Message, typeof http.Message>(http.Message),
    holds<sdk.Client, typeof clients.ClientSchema>(clients.ClientSchema),
    holds<sdk.ClientPage, typeof clients.ClientPageSchema>(clients.ClientPageSchema),
    holds<sdk.Benefit, typeof benefits.BenefitSchema>(benefits.BenefitSchema),
    holds<sdk.BenefitV2, typeof benefits.BenefitV2Schema>(benefits.BenefitV2Schema),
    holds<sdk.RedeemableBenefit, typeof vouchers.RedeemableBenefitSchema>(vouchers.RedeemableBenefitSchema),
    holds<sdk.ConsumptionPreview, typeof purchases.ConsumptionPreviewSchema>(
      purchases.ConsumptionPreviewSchema,
    ),
    holds<sdk.Consumption, typeof purchases.ConsumptionSchema>(purchases.ConsumptionSchema),
    holds<sdk.ConsumptionPage, typeof purchases.ConsumptionPageSchema>(purchases.ConsumptionPageSchema),
    holds<sdk.ExportedMember, typeof exported.ExportedMemberSchema>(exported.ExportedMemberSchema),
    holds<sdk.ExportedMovement, typeof exported.ExportedMovementSchema>(exported.ExportedMovementSchema),
    holds<sdk.ConsumptionReversal, typeof purchases.ConsumptionReversalSchema>(
      purchases.ConsumptionReversalSchema,
    ),
    holds<sdk.Commerce, typeof commerces.CommerceSchema>(commerces.CommerceSchema),
    holds<sdk.PublicProgram, typeof publicProgram.PublicProgramSchema>(publicProgram.PublicProgramSchema),
    holds<sdk.Session, typeof signIn.Session>(signIn.Session),
    holds<sdk.RefreshedSession, typeof signIn.RefreshedSession>(signIn.RefreshedSession),
    holds<sdk.MyAccount, typeof account.MyAccountSchema>(account.MyAccountSchema),
    holds<sdk.MyCard, typeof account.MyCardSchema>(account.MyCardSchema),
    holds<sdk.CardWallets, typeof wallets.CardWalletsSchema>(wallets.CardWalletsSchema),
    holds<sdk.MyProfile, typeof account.MyProfileSchema>(account.MyProfileSchema),
    holds<sdk.MyMails, typeof MyMailsSchema>(MyMailsSchema),
    holds<sdk.ExpiringPoints, typeof account.ExpiringPointsSchema>(account.ExpiringPointsSchema),
    holds<sdk.Level, typeof tier.LevelSchema>(tier.LevelSchema),
    holds<sdk.ActivityItem, typeof activity.ActivityItemSchema>(activity.ActivityItemSchema),
    holds<sdk.PastBenefitsPage, typeof vouchers.PastBenefitsPageSchema>(vouchers.PastBenefitsPageSchema),
    holds<sdk.ActivityPage, typeof activity.ActivityPageSchema>(activity.ActivityPageSchema),
    holds<sdk.HistoryItem, typeof activity.HistoryItemSchema>(activity.HistoryItemSchema),
    holds<sdk.HistoryPage, typeof activity.HistoryPageSchema>(activity.HistoryPageSchema),
    holds<sdk.AutomaticReward, typeof reward.AutomaticRewardSchema>(reward.AutomaticRewardSchema),
    holds<sdk.JoinResult, typeof enrolment.JoinResultSchema>(enrolment.JoinResultSchema),
  ];
  assert.equal(new Set(compared).size, 30);
});

/** What each operation takes, by the schemas of its route. */
type Routes = ReturnType<typeof purchaseRoutes> &
  ReturnType<typeof exportRoutes> &
  ReturnType<typeof clientRoutes> &
  ReturnType<typeof benefitRoutes> &
  ReturnType<typeof tillRoutes> &
  ReturnType<typeof signInRoutes> &
  ReturnType<typeof myAccountRoutes> &
  ReturnType<typeof myMailsRoutes> &
  ReturnType<typeof myVoucherRoutes> &
  ReturnType<typeof historyRoutes> &
  ReturnType<typeof tierRoutes> &
  ReturnType<typeof rewardRoutes> &
  ReturnType<typeof enrolmentRoutes>;
type BodyOf<Id extends keyof Routes> = Routes[Id] extends { schema: { body: infer Body extends TSchema } }
  ? Static<Body>
  : never;
type QueryOf<Id extends keyof Routes> = Routes[Id] extends {
  schema: { querystring: infer Query extends TSchema };
}
  ? Static<Query>
  : never;

type Shop = sdk.ShopClient;
type Member = sdk.MemberClient;

/** What the methods of the SDK send, by operation. Where a method takes single values, the body that it makes of them. */
interface SentBodies {
  recordConsumptionByClientCode: Parameters<Shop['recordConsumptionByClientCode']>[0];
  recordConsumptionByEmail: Parameters<Shop['recordConsumptionByEmail']>[0];
  previewConsumption: Parameters<Shop['previewConsumption']>[0];
  reverseConsumption: NonNullable<Parameters<Shop['reverseConsumption']>[1]>;
  getClientByEmail: { client_email: Parameters<Shop['getClientByEmail']>[0] };
  redeemBenefit: { client_benefit_code: Parameters<Shop['redeemBenefit']>[0] };
  requestOneTimeCode: { email: Parameters<Member['requestOneTimeCode']>[0] };
  verifyOneTimeCode: {
    email: Parameters<Member['verifyOneTimeCode']>[0];
    otp: Parameters<Member['verifyOneTimeCode']>[1];
  };
  verifySignInLink: { token: Parameters<Member['verifySignInLink']>[0] };
  refreshSession: { refresh: sdk.Tokens['refresh'] };
  logOut: { refresh: sdk.Tokens['refresh'] };
  editMyAccount: Parameters<Member['editMyAccount']>[0];
  chooseMyMails: Parameters<Member['chooseMyMails']>[0];
  exchangeBenefit: { benefit_id: Parameters<Member['exchangeBenefit']>[0] };
}

/** The fields that its methods send in a query. */
interface SentQueries {
  exportMembers: 'format';
  exportMovements: 'format' | keyof NonNullable<Parameters<Shop['exportMovements']>[0]>;
  listConsumptions: keyof NonNullable<Parameters<Shop['listConsumptions']>[0]>;
  listClients: keyof NonNullable<Parameters<Shop['listClients']>[0]>;
  listMyActivity: keyof NonNullable<Parameters<Member['listMyActivity']>[0]>;
  listMyHistory: keyof NonNullable<Parameters<Member['listMyHistory']>[0]>;
  listMyPastBenefits: keyof NonNullable<Parameters<Member['listMyPastBenefits']>[0]>;
  listPastBenefitsOfClient: keyof NonNullable<Parameters<Shop['listPastBenefitsOfClient']>[1]>;
}

/** Does not compile where a method of the SDK does not take what its route takes. */
const bodies: { [Id in keyof SentBodies]: Same<SentBodies[Id], Plain<BodyOf<Id>>> } = {
  recordConsumptionByClientCode: true,
  recordConsumptionByEmail: true,
  previewConsumption: true,
  reverseConsumption: true,
  getClientByEmail: true,
  redeemBenefit: true,
  requestOneTimeCode: true,
  verifyOneTimeCode: true,
  verifySignInLink: true,
  refreshSession: true,
  logOut: true,
  editMyAccount: true,
  chooseMyMails: true,
  exchangeBenefit: true,
};
const queries: { [Id in keyof SentQueries]: Same<SentQueries[Id], keyof QueryOf<Id>> } = {
  exportMembers: true,
  exportMovements: true,
  listConsumptions: true,
  listClients: true,
  listMyActivity: true,
  listMyHistory: true,
  listMyPastBenefits: true,
  listPastBenefitsOfClient: true,
};

test('the SDK sends what the routes take, and every operation that takes a body or a query is compared', async () => {
  const { app } = await service();
  const documents = await Promise.all(
    ['/openapi.json', '/openapi-extensions.json'].map(async (url) =>
      (await app.inject({ url })).json<{ paths: Record<string, Record<string, Taking>> }>(),
    ),
  );
  const operations = documents.flatMap(({ paths }) =>
    Object.values(paths).flatMap(Object.values),
  ) as Taking[];
  const idsOf = (takes: (operation: Taking) => boolean) =>
    operations
      .filter(takes)
      .map(({ operationId }) => operationId)
      .toSorted();
  assert.deepEqual(
    idsOf(({ requestBody }) => requestBody !== undefined),
    Object.keys(bodies).toSorted(),
  );
  assert.deepEqual(
    idsOf(({ parameters = [] }) => parameters.some((parameter) => parameter.in === 'query')),
    Object.keys(queries).toSorted(),
  );
});

interface Taking {
  readonly operationId: string;
  readonly requestBody?: object;
  readonly parameters?: readonly { readonly in: string }[];
}
