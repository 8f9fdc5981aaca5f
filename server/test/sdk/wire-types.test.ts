/** The arguments of the SDK's methods are written by hand, so here the compiler compares them with the schemas of the routes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Static, TSchema } from 'typebox';
import { service } from '#test/harness.ts';
import type { Plain, Same } from './same-types.ts';
import type { myMailsRoutes } from '#accounts/my-mails-routes.ts';
import type { myAccountRoutes } from '#accounts/my-routes.ts';
import type { clientRoutes } from '#accounts/shop-routes.ts';
import type { benefitRoutes } from '#benefits/routes.ts';
import type { undoRoutes } from '#corrections/undo-routes.ts';
import type { enrolmentRoutes } from '#enrolment/routes.ts';
import type { eventRoutes } from '#events/routes.ts';
import type { exportRoutes } from '#exports/routes.ts';
import type { historyRoutes } from '#history/routes.ts';
import type { purchaseRoutes } from '#purchases/routes.ts';
import type { rewardRoutes } from '#rewards/routes.ts';
import type { signInRoutes } from '#sign-in/routes.ts';
import type { vouchRoutes } from '#sign-in/vouch-routes.ts';
import type { tierRoutes } from '#tiers/routes.ts';
import type { orderRoutes } from '#orders/routes.ts';
import type { holdRoutes } from '#vouchers/hold-routes.ts';
import type { myVoucherRoutes } from '#vouchers/my-routes.ts';
import type { tillRoutes } from '#vouchers/till-routes.ts';
import type * as sdk from '../../../sdk/src/index.ts';

/** The input of each operation, by the schemas of its route. */
type Routes = ReturnType<typeof purchaseRoutes> &
  ReturnType<typeof eventRoutes> &
  ReturnType<typeof exportRoutes> &
  ReturnType<typeof clientRoutes> &
  ReturnType<typeof benefitRoutes> &
  ReturnType<typeof tillRoutes> &
  ReturnType<typeof signInRoutes> &
  ReturnType<typeof vouchRoutes> &
  ReturnType<typeof myAccountRoutes> &
  ReturnType<typeof myMailsRoutes> &
  ReturnType<typeof myVoucherRoutes> &
  ReturnType<typeof orderRoutes> &
  ReturnType<typeof holdRoutes> &
  ReturnType<typeof undoRoutes> &
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

/** The bodies that the methods of the SDK send, by operation. Where a method takes single values, the body that it makes of them. */
interface SentBodies {
  recordConsumptionByClientCode: Parameters<Shop['recordConsumptionByClientCode']>[0];
  recordConsumptionByEmail: Parameters<Shop['recordConsumptionByEmail']>[0];
  previewConsumption: Parameters<Shop['previewConsumption']>[0];
  reverseConsumption: NonNullable<Parameters<Shop['reverseConsumption']>[1]>;
  getClientByEmail: { client_email: Parameters<Shop['getClientByEmail']>[0] };
  redeemBenefit: {
    client_benefit_code: Parameters<Shop['redeemBenefit']>[0];
    external_id?: NonNullable<sdk.RedeemOptions['externalId']>;
  };
  putOrder: sdk.OrderState;
  previewOrder: Parameters<Shop['previewOrder']>[0];
  previewEarning: Parameters<Member['previewEarning']>[0];
  holdVoucher: Parameters<Shop['holdVoucher']>[0];
  undoRedemption: Omit<Parameters<Shop['undoRedemption']>[0], 'external_id'>;
  vouchForMember: { client_email: Parameters<Shop['vouchForMember']>[0] };
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
  listEvents: keyof NonNullable<Parameters<Shop['listEvents']>[0]>;
  listConsumptions: keyof NonNullable<Parameters<Shop['listConsumptions']>[0]>;
  listOrders: keyof NonNullable<Parameters<Shop['listOrders']>[0]>;
  listClients: keyof NonNullable<Parameters<Shop['listClients']>[0]>;
  releaseHold: keyof Omit<Parameters<Shop['releaseHold']>[0], 'external_id'>;
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
  putOrder: true,
  previewOrder: true,
  previewEarning: true,
  holdVoucher: true,
  undoRedemption: true,
  vouchForMember: true,
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
  listOrders: true,
  listEvents: true,
  listClients: true,
  releaseHold: true,
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
