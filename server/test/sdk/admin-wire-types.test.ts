/** The types of the back office's client are written by hand too, so the compiler compares them with the routes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Static, TSchema } from 'typebox';
import * as audit from '#admin/audit/wire.ts';
import * as members from '#admin/members/wire.ts';
import * as till from '#admin/till/wire.ts';
import type { tillDeskRoutes } from '#admin/till/routes.ts';
import * as staff from '#staff/wire.ts';
import type * as sdk from '../../../sdk/src/admin.ts';
import { holds, type Plain, type Same } from './same-types.ts';

test('the types of the back office’s client equal those of the routes', () => {
  const compared = [
    holds<sdk.StaffSession, typeof staff.StaffSessionSchema>(staff.StaffSessionSchema),
    holds<sdk.StaffProgram, typeof till.StaffProgramSchema>(till.StaffProgramSchema),
    holds<sdk.Found, typeof till.FoundSchema>(till.FoundSchema),
    holds<sdk.FoundMember, typeof till.FoundMemberSchema>(till.FoundMemberSchema),
    holds<sdk.TillMember, typeof till.TillMemberSchema>(till.TillMemberSchema),
    holds<sdk.TillVoucher, typeof till.TillVoucherSchema>(till.TillVoucherSchema),
    holds<sdk.PurchasePreview, typeof till.PurchasePreviewSchema>(till.PurchasePreviewSchema),
    holds<sdk.RecordedPurchase, typeof till.RecordedPurchaseSchema>(till.RecordedPurchaseSchema),
    holds<sdk.TillDay, typeof till.TillDaySchema>(till.TillDaySchema),
    holds<sdk.Reversed, typeof till.ReversedSchema>(till.ReversedSchema),
    holds<sdk.MemberPage, typeof members.MemberPageSchema>(members.MemberPageSchema),
    holds<sdk.MemberHistory, typeof members.MemberHistorySchema>(members.MemberHistorySchema),
    holds<sdk.AdjustedPoints, typeof members.AdjustedPointsSchema>(members.AdjustedPointsSchema),
    holds<sdk.GivenBack, typeof members.GivenBackSchema>(members.GivenBackSchema),
    holds<sdk.AuditPage, typeof audit.AuditPageSchema>(audit.AuditPageSchema),
  ];
  assert.equal(new Set(compared).size, 15);
});

type Routes = ReturnType<typeof tillDeskRoutes>;
type BodyOf<Id extends keyof Routes> = Routes[Id] extends { schema: { body: infer Body extends TSchema } }
  ? Static<Body>
  : never;
type Client = sdk.AdminClient;
/** The fields of a buyer, of which a call has one. */
type WithOneBuyer<Sent> = Omit<Sent, 'member_id' | 'client_email'> & {
  member_id?: number;
  client_email?: string;
};

/** Does not compile where a method of the client does not take what its route takes. */
const bodies = {
  find: true satisfies Same<{ text: Parameters<Client['find']>[0] }, Plain<BodyOf<'find'>>>,
  previewPurchase: true satisfies Same<
    Plain<WithOneBuyer<Parameters<Client['previewPurchase']>[0]>>,
    Plain<BodyOf<'previewPurchase'>>
  >,
  recordPurchase: true satisfies Same<
    Plain<WithOneBuyer<Omit<sdk.PurchaseToRecord, never>>>,
    Plain<BodyOf<'recordPurchase'>>
  >,
  redeemVoucher: true satisfies Same<
    NonNullable<Parameters<Client['redeemVoucher']>[1]>,
    Plain<BodyOf<'redeemVoucher'>>
  >,
};

test('the client sends what the routes take', () => {
  assert.ok(Object.values(bodies).every(Boolean));
});
