import { Type, type Static } from 'typebox';
import { transaction, type Database, type Db } from '#db/database.ts';
import { route } from '#http/route.ts';
import { readStoppedKinds, storeStoppedKinds } from '#mail/mail-stops.ts';
import { findMember, lockMember } from '#members/lock-members.ts';
import { NeverJoined } from '#members/refusals.ts';
import { NotFound } from '#problems/problem.ts';
import { canStop, MESSAGE_KINDS, type MessageKind } from '#program/messages.ts';

const wanted = (description: string) => Type.Boolean({ description, examples: [true] });

const FIELDS = {
  invitation: wanted('When points wait for somebody who has not joined, or has left.'),
  expiring: wanted('Before points expire.'),
  birthday: wanted('On the birthday.'),
  level: wanted('When a tier is reached.'),
  reward: wanted('When a reward is given.'),
};

/** True for the mails that a member gets, if the shop sends them. */
export const MyMailsSchema = Type.Object(FIELDS, { title: 'MyMails' });

type MyMails = Static<typeof MyMailsSchema>;

const KINDS = MESSAGE_KINDS.filter((kind): kind is keyof MyMails & MessageKind => canStop(kind));

/** Which mails a signed-in member gets: the same choice as behind the link at the end of every mail. */
export function myMailsRoutes({ db }: { db: Database }) {
  return {
    getMyMails: route({
      schema: {
        operationId: 'getMyMails',
        summary: 'Get which mails I get from this commerce',
        description:
          'True for those that the person gets, if the shop sends them. Sign-in codes always come.',
        tags: ['My account'],
        response: { 200: MyMailsSchema },
      },
      config: {
        turn: 'read',
        credential: 'user',
        document: 'extensions',
        refusals: { 404: 'The person has never joined the program, or the commerce does not exist.' },
      },
      handler: async ({ commerceId, userId }) => {
        const member = await findMember(db, { commerceId, userId });
        if (member === undefined) throw new NotFound('no mails yet: join the program first');
        return readMyMails(db, commerceId, member.id);
      },
    }),

    chooseMyMails: route({
      schema: {
        operationId: 'chooseMyMails',
        summary: 'Choose which mails I get from this commerce',
        description: 'Changes only the mails that you send. Repeating it changes nothing more.',
        tags: ['My account'],
        body: Type.Partial(MyMailsSchema),
        response: { 200: MyMailsSchema },
      },
      config: {
        turn: { write: ({ userId }) => `user ${userId}` },
        credential: 'user',
        signedIn: true,
        document: 'extensions',
        refusals: { 400: 'The person has never joined the program.' },
      },
      handler: ({ commerceId, userId, body }) =>
        transaction(db, async (tx) => {
          // Two devices may choose at once, and each changes only what it sends.
          const member = await lockMember(tx, { commerceId, userId });
          if (member === undefined) throw new NeverJoined();
          const memberId = member.id;
          const before = await readMyMails(tx, commerceId, memberId);
          const now = { ...before, ...body };
          await storeStoppedKinds(
            tx,
            { commerceId, memberId },
            KINDS.filter((kind) => !now[kind]),
          );
          return now;
        }),
    }),
  };
}

async function readMyMails(db: Db, commerceId: number, memberId: number): Promise<MyMails> {
  const stopped = await readStoppedKinds(db, { commerceId, memberId });
  return Object.fromEntries(KINDS.map((kind) => [kind, !stopped.includes(kind)])) as MyMails;
}
