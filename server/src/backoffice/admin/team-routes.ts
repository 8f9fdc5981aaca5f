import type { FastifyRequest } from 'fastify';
import { Type, type Static } from 'typebox';
import { readWireIds, type WireIds } from '#batching/wire-ids.ts';
import type { Db } from '#db/database.ts';
import { Instant, Int64, Message, Nullable, StrEnum } from '#http/schema.ts';
import { STAFF_ROLES } from '#http/staff-roles.ts';
import { changeRole } from '#staff/change-role.ts';
import { inviteStaff } from '#staff/invite-staff.ts';
import { listDevices } from '#staff/list-devices.ts';
import { removeStaff } from '#staff/remove-staff.ts';
import { signOutStaff } from '#staff/sign-out-staff.ts';
import { listStaff, OwnRole, UnknownColleague, type Colleague } from '#staff/team.ts';
import { ONE_LINE } from '#text/plain-text.ts';
import type { AdminRoutes } from './admin-routes.ts';

const role = StrEnum(STAFF_ROLES, {
  description: 'What the person may do at this commerce. Each role may do what the ones before it may.',
});

export const StaffMemberSchema = Type.Object(
  {
    staff_id: Int64({ examples: [281474976710663] }),
    email: Type.String({ examples: ['marta@example.com'] }),
    name: Type.String({ examples: ['Marta'] }),
    role,
    invited_at: Instant(),
    last_seen_at: Nullable(Instant({ description: 'The last call of any session of the person.' })),
    devices: Int64({ description: 'On how many devices the person is signed in.', examples: [2] }),
  },
  { title: 'StaffMember' },
);

export const StaffDeviceSchema = Type.Object(
  {
    started_at: Instant({ description: 'The sign-in.' }),
    last_seen_at: Instant({ description: 'The last call, about a minute exact.' }),
    ends_at: Instant({ description: 'When it ends if the person does nothing until then.' }),
    is_this: Type.Boolean({ description: 'True for the session that asks.' }),
  },
  { title: 'StaffDevice' },
);

const params = Type.Object({
  staff_id: Int64({ description: 'The `staff_id` in the list of the team.', examples: [281474976710663] }),
});
const tags = ['Team'];
const notFound = {
  404: 'The commerce does not exist, the person has no role there, or nobody with this id works there.',
};
const lastOwner = { 409: 'The person is the only owner, or yourself.' };
/** Changes of one team go one after the other. */
const turn = { write: () => 'team' };

/** The owner decides who works at the commerce, and as what. */
export function teamRoutes({ adminRead, adminAct }: AdminRoutes, onMailQueued: () => void) {
  return {
    listStaff: adminRead({
      role: 'owner',
      schema: {
        operationId: 'listStaff',
        summary: 'List the people who work at the commerce',
        tags,
        response: { 200: Type.Array(StaffMemberSchema) },
      },
      read: async (reading, { commerceId }) => {
        const ids = await readWireIds(reading, commerceId, 'staff');
        return (await listStaff(reading, commerceId)).map((colleague) => staffMemberToWire(colleague, ids));
      },
    }),

    listStaffDevices: adminRead({
      role: 'owner',
      schema: {
        operationId: 'listStaffDevices',
        summary: 'List the devices on which a person is signed in',
        description: 'Newest first. A session is a device, whichever commerces the person works at.',
        tags,
        params,
        response: { 200: Type.Array(StaffDeviceSchema) },
      },
      refusals: notFound,
      read: async (reading, { commerceId, params, staffSession }) => {
        const staffId = await readStaffId(reading, commerceId, params.staff_id);
        const devices = await listDevices(reading, commerceId, staffId);
        if (devices === null) throw new UnknownColleague();
        return devices.map(({ sessionId, startedAt, seenAt, endsAt }) => ({
          started_at: startedAt,
          last_seen_at: seenAt,
          ends_at: endsAt,
          is_this: sessionId === staffSession?.sessionId,
        }));
      },
    }),

    inviteStaff: adminAct({
      role: 'owner',
      freshCode: true,
      schema: {
        operationId: 'inviteStaff',
        summary: 'Give a person a role',
        description: 'The person gets a mail, and signs in with a code that is mailed to the address.',
        tags,
        body: Type.Object({
          email: Type.String({ format: 'email', maxLength: 254, examples: ['marta@example.com'] }),
          name: Type.Optional(
            Type.String({
              maxLength: 100,
              pattern: ONE_LINE,
              description:
                'By default, the part of the address before the @. Ignored for a person who works somewhere already.',
              examples: ['Marta'],
            }),
          ),
          role,
        }),
        response: { 201: StaffMemberSchema },
      },
      refusals: { 409: 'The person works here already.' },
      turn,
      act: async (tx, { commerceId, body }) => {
        const { answer, entry } = await inviteStaff(tx, commerceId, body);
        return { answer: await readColleague(tx, commerceId, answer.staffId), entry };
      },
      done: onMailQueued,
    }),

    changeStaffRole: adminAct({
      role: 'owner',
      freshCode: true,
      schema: {
        operationId: 'changeStaffRole',
        summary: 'Change a person’s role',
        description: 'It counts from the person’s next call on.',
        tags,
        params,
        body: Type.Object({ role }),
        response: { 200: StaffMemberSchema },
      },
      refusals: { ...notFound, ...lastOwner },
      turn,
      act: async (tx, { commerceId, params, body, staff }) => {
        const staffId = await readStaffId(tx, commerceId, params.staff_id);
        const { entry } = await changeRole(tx, commerceId, staffId, body.role);
        if (entry !== null) refuseOwn(staffId, staff);
        return { answer: await readColleague(tx, commerceId, staffId), entry };
      },
    }),

    removeStaff: adminAct({
      role: 'owner',
      freshCode: true,
      schema: {
        operationId: 'removeStaff',
        summary: 'Remove a person from the commerce',
        description: 'The person’s next call there is refused.',
        tags,
        params,
        response: { 200: Message },
      },
      refusals: { ...notFound, ...lastOwner },
      turn,
      act: async (tx, { commerceId, params, staff }) => {
        const staffId = await readStaffId(tx, commerceId, params.staff_id);
        const { answer, entry } = await removeStaff(tx, commerceId, staffId);
        refuseOwn(staffId, staff);
        return { answer: { message: `${answer.email} no longer works here` }, entry };
      },
    }),

    signOutStaff: adminAct({
      role: 'owner',
      freshCode: true,
      schema: {
        operationId: 'signOutStaff',
        summary: 'End all sessions of a person',
        description: 'Also those at other commerces, because a session is a device.',
        tags,
        params,
        response: { 200: Message },
      },
      refusals: { ...notFound, 409: 'It is yourself.' },
      turn,
      act: async (tx, { commerceId, params, staff }) => {
        const staffId = await readStaffId(tx, commerceId, params.staff_id);
        const { answer, entry } = await signOutStaff(tx, commerceId, staffId);
        refuseOwn(staffId, staff);
        return { answer: { message: `${answer.email} is signed out everywhere` }, entry };
      },
    }),
  };
}

/** @throws UnknownColleague if no id was handed out as this number */
async function readStaffId(db: Db, commerceId: number, wireId: number): Promise<number> {
  const staffId = (await readWireIds(db, commerceId, 'staff')).fromWire(wireId);
  if (staffId === null) throw new UnknownColleague();
  return staffId;
}

/** Comes after the change, which is rolled back, so that the only owner reads what to do first. @throws OwnRole */
function refuseOwn(staffId: number, staff: FastifyRequest['staff']): void {
  if (staff?.by.kind === 'staff' && staff.by.staffId === staffId) throw new OwnRole();
}

async function readColleague(db: Db, commerceId: number, staffId: number) {
  const colleague = (await listStaff(db, commerceId)).find((one) => one.staffId === staffId);
  if (colleague === undefined) throw new UnknownColleague();
  return staffMemberToWire(colleague, await readWireIds(db, commerceId, 'staff'));
}

function staffMemberToWire(
  { staffId, email, name, role, invitedAt, lastSeenAt, devices }: Colleague,
  ids: WireIds,
): Static<typeof StaffMemberSchema> {
  return {
    staff_id: ids.toWire(staffId),
    email,
    name,
    role,
    invited_at: invitedAt,
    last_seen_at: lastSeenAt,
    devices,
  };
}
