/** The SDK's types are written by hand, so here the compiler compares each with the schema of the routes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Static, TSchema } from 'typebox';
import * as activity from '#history/wire.ts';
import * as account from '#accounts/my-wire.ts';
import * as tier from '#tiers/wire.ts';
import * as reward from '#rewards/wire.ts';
import * as enrolment from '#enrolment/wire.ts';
import * as benefits from '#benefits/wire.ts';
import * as clients from '#accounts/shop-wire.ts';
import * as commerces from '#commerces/wire.ts';
import * as http from '#http/schema.ts';
import * as purchases from '#purchases/wire.ts';
import * as signIn from '#sign-in/routes.ts';
import * as vouchers from '#vouchers/wire.ts';
import type * as sdk from '../../../sdk/src/index.ts';

/** The type of a schema's value after it was sent as JSON. */
type Sent<T> = T extends Date
  ? string
  : T extends readonly (infer Item)[]
    ? Sent<Item>[]
    : T extends object
      ? { [Field in keyof T]: Sent<T[Field]> }
      : T;

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- only this form tells optional and readonly apart
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
type Plain<T> = T extends readonly (infer Item)[]
  ? Plain<Item>[]
  : T extends object
    ? { [Field in keyof T]: Plain<T[Field]> }
    : T;

/** Does not compile if the SDK's type differs from the schema's. */
function holds<Type, Schema extends TSchema>(
  schema: Schema,
  ..._proof: Same<Plain<Type>, Plain<Sent<Static<Schema>>>> extends true ? [] : ['the types differ']
): string {
  return (schema as { title?: string }).title ?? '';
}

test('the types of the SDK equal those of the routes', () => {
  const compared = [
    holds<sdk.Message, typeof http.Message>(http.Message),
    holds<sdk.Client, typeof clients.Client>(clients.Client),
    holds<sdk.ClientPage, typeof clients.ClientPage>(clients.ClientPage),
    holds<sdk.Benefit, typeof benefits.Benefit>(benefits.Benefit),
    holds<sdk.BenefitV2, typeof benefits.BenefitV2>(benefits.BenefitV2),
    holds<sdk.RedeemableBenefit, typeof vouchers.RedeemableBenefit>(vouchers.RedeemableBenefit),
    holds<sdk.ConsumptionPreview, typeof purchases.ConsumptionPreview>(purchases.ConsumptionPreview),
    holds<sdk.Consumption, typeof purchases.Consumption>(purchases.Consumption),
    holds<sdk.ConsumptionReversal, typeof purchases.ConsumptionReversal>(purchases.ConsumptionReversal),
    holds<sdk.Commerce, typeof commerces.Commerce>(commerces.Commerce),
    holds<sdk.Session, typeof signIn.Session>(signIn.Session),
    holds<sdk.RefreshedSession, typeof signIn.RefreshedSession>(signIn.RefreshedSession),
    holds<sdk.MyAccount, typeof account.MyAccount>(account.MyAccount),
    holds<sdk.ExpiringPoints, typeof account.ExpiringPoints>(account.ExpiringPoints),
    holds<sdk.Level, typeof tier.Level>(tier.Level),
    holds<sdk.ActivityItem, typeof activity.ActivityItem>(activity.ActivityItem),
    holds<sdk.ActivityPage, typeof activity.ActivityPage>(activity.ActivityPage),
    holds<sdk.AutomaticReward, typeof reward.AutomaticReward>(reward.AutomaticReward),
    holds<sdk.JoinResult, typeof enrolment.JoinResult>(enrolment.JoinResult),
  ];
  assert.equal(new Set(compared).size, 19);
});
