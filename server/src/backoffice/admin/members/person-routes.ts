import { Type } from 'typebox';
import { Message, Nullable } from '#http/schema.ts';
import type { InvitationLimit } from '#members/invite-people.ts';
import { findMember } from '#members/lock-members.ts';
import { PHONE, USERNAME } from '#members/profile.ts';
import { UnknownMember } from '#members/refusals.ts';
import { blockPerson } from '#member-care/block-person.ts';
import { editPerson } from '#member-care/edit-person.ts';
import { erasePerson } from '#member-care/erase-person.ts';
import { liftSuppression } from '#member-care/lift-suppression.ts';
import { PersonDataSchema, streamPersonData } from '#member-care/person-data.ts';
import { resendInvitation } from '#member-care/resend-invitation.ts';
import { unblockPerson } from '#member-care/unblock-person.ts';
import type { AdminRoutes } from '../admin-routes.ts';
import { memberParams, memberTurn, readPageWire, readStoredId, reason } from './member-request.ts';
import { ErasedMemberSchema, MemberPageSchema } from './wire.ts';

const tags = ['Members'];
const unknownMember = { 404: 'Nobody here has this id.' };
const turn = { write: memberTurn };

/** The acts of a manager for a person, or on one. */
export function personRoutes({
  admin: { adminRead, adminAct },
  invitations,
  onMailQueued,
}: {
  admin: AdminRoutes;
  invitations: InvitationLimit;
  onMailQueued: () => void;
}) {
  return {
    blockMember: adminAct({
      role: 'manager',
      schema: {
        operationId: 'blockMember',
        summary: 'Block a member',
        description: 'Purchases, exchanges and rewards are refused. Points and codes stay.',
        tags,
        params: memberParams,
        body: Type.Object({ reason }),
        response: { 200: MemberPageSchema },
      },
      turn,
      refusals: { 400: 'The member is blocked already, or erased.', ...unknownMember },
      act: async (tx, request) => {
        const { commerceId, body } = request;
        const { entry } = await blockPerson(tx, commerceId, await readStoredId(tx, request), body.reason);
        return { answer: await readPageWire(tx, request), entry };
      },
    }),

    unblockMember: adminAct({
      role: 'manager',
      schema: {
        operationId: 'unblockMember',
        summary: 'Lift the block of a member',
        tags,
        params: memberParams,
        body: Type.Object({ reason: Type.Optional(reason) }),
        response: { 200: MemberPageSchema },
      },
      turn,
      refusals: { 400: 'The member is not blocked, or is erased.', ...unknownMember },
      act: async (tx, request) => {
        const { commerceId, body } = request;
        const memberId = await readStoredId(tx, request);
        const { entry } = await unblockPerson(tx, commerceId, memberId, body.reason ?? null);
        return { answer: await readPageWire(tx, request), entry };
      },
    }),

    editProfile: adminAct({
      role: 'manager',
      schema: {
        operationId: 'editProfile',
        summary: 'Change a member’s profile',
        description: 'Changes only the fields that are sent. Null clears a field.',
        tags,
        params: memberParams,
        body: Type.Object({
          username: Type.Optional(Nullable(Type.String({ ...USERNAME, examples: ['Eva'] }))),
          phone: Type.Optional(
            Nullable(
              Type.String({
                ...PHONE,
                'x-hint': 'Send it with the country code: "+351912345678".',
                description: 'In E.164 format.',
                examples: ['+351912345678'],
              }),
            ),
          ),
          birth_date: Type.Optional(
            Nullable(
              Type.String({
                format: 'date',
                description: 'From 1900-01-01 to today.',
                examples: ['1990-05-14'],
              }),
            ),
          ),
        }),
        response: { 200: MemberPageSchema },
      },
      turn,
      refusals: { 400: 'The person is erased.', ...unknownMember },
      act: async (tx, request) => {
        const { username, phone, birth_date: birthDate } = request.body;
        const { entry } = await editPerson(tx, request.commerceId, await readStoredId(tx, request), {
          ...(username !== undefined && { username }),
          ...(phone !== undefined && { phone }),
          ...(birthDate !== undefined && { birthDate }),
        });
        return { answer: await readPageWire(tx, request), entry };
      },
    }),

    resendInvitation: adminAct({
      role: 'manager',
      schema: {
        operationId: 'resendInvitation',
        summary: 'Send the invitation again',
        description: 'To a person whose points wait, at most once a day.',
        tags,
        params: memberParams,
        body: Type.Object({}),
        response: { 200: Message },
      },
      turn,
      done: onMailQueued,
      refusals: {
        400: 'The person has joined, is blocked or erased, or enough mails were sent today.',
        ...unknownMember,
      },
      act: async (tx, request) => {
        const memberId = await readStoredId(tx, request);
        const { entry } = await resendInvitation(tx, request.commerceId, memberId, invitations);
        return { answer: { message: 'the invitation is on its way' }, entry };
      },
    }),

    liftSuppression: adminAct({
      role: 'manager',
      schema: {
        operationId: 'liftSuppression',
        summary: 'Let mails go to a person again whose mailbox did not exist',
        description: 'If it still does not, the next mail stops them again.',
        tags,
        params: memberParams,
        response: { 200: MemberPageSchema },
      },
      turn,
      refusals: { 400: 'No mail has bounced, or the person is erased.', ...unknownMember },
      act: async (tx, request) => {
        const { entry } = await liftSuppression(tx, request.commerceId, await readStoredId(tx, request));
        return { answer: await readPageWire(tx, request), entry };
      },
    }),

    exportMemberData: adminRead({
      role: 'manager',
      turn: 'list',
      schema: {
        operationId: 'exportMemberData',
        summary: 'Everything that is stored about a person',
        description: 'One JSON document, to hand it to the person.',
        tags,
        params: memberParams,
        response: { 200: PersonDataSchema },
      },
      refusals: unknownMember,
      entry: async (db, request) => {
        const { commerceId } = request;
        const member = await findMember(db, { commerceId, id: await readStoredId(db, request) });
        if (member === undefined) throw new UnknownMember();
        return { action: 'member.data', memberId: member.id };
      },
      read: async (db, request, reply) => {
        const stream = await streamPersonData(db, request.commerceId, await readStoredId(db, request));
        void reply.type('application/json; charset=utf-8').header('cache-control', 'no-store');
        return stream as never;
      },
    }),

    eraseMember: adminAct({
      role: 'manager',
      freshCode: true,
      schema: {
        operationId: 'eraseMember',
        summary: 'Erase a person',
        description:
          'For good. The books keep their figures without a name, points end, and unused codes are void. The reason stays, so it must not say who was erased.',
        tags,
        params: memberParams,
        body: Type.Object({
          confirm: Type.String({
            minLength: 1,
            maxLength: 254,
            description: 'The 9 digits of the member or, for a person without a code, the e-mail address.',
            examples: ['482915374'],
          }),
          reason,
        }),
        response: { 200: ErasedMemberSchema },
      },
      turn,
      refusals: {
        400: 'It is not confirmed, the reason names the person, or the person is erased already.',
        ...unknownMember,
      },
      act: async (tx, request) => {
        const memberId = await readStoredId(tx, request);
        return erasePerson(tx, request.commerceId, memberId, request.body);
      },
    }),
  };
}
