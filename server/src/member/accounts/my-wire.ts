import { Type, type Static } from 'typebox';
import { CommerceSchema, commerceToWire } from '#commerces/wire.ts';
import { Instant, Int64, Nullable, StrEnum } from '#http/schema.ts';
import { balanceOn } from '#points/lots.ts';
import { expiringOf, type Account, type Expiring, type Waiting } from './my-account.ts';

const PointsExpirationSchema = Type.Object(
  {
    points: Int64({ description: 'The points that expire on the next date.', examples: [40] }),
    expiration_date: Nullable(Instant({ description: 'The end of their last day.' })),
    days_left: Nullable(Int64({ description: 'Local days until then. 0 on the last day.', examples: [61] })),
    months_left: Nullable(Int64({ description: 'Whole months until then.', examples: [2] })),
    mode: Nullable(
      StrEnum(['none', 'rolling', 'accumulated'], {
        description: 'Points never expire, each grant on its own date, or the whole balance on one date.',
      }),
    ),
  },
  { title: 'PointsExpiration' },
);

export const MyAccountSchema = Type.Object(
  {
    username: Nullable(Type.String({ description: 'The name at this shop.', examples: ['Eva'] })),
    email: Nullable(Type.String({ examples: ['eva@example.com'] })),
    phone: Nullable(Type.String({ description: 'In E.164 format.', examples: ['+351912345678'] })),
    points: Int64({ description: 'The balance that can be spent now.', examples: [340] }),
    subscribed: Type.Boolean({ description: 'True for a member of this program.', examples: [true] }),
    commerce: Nullable(CommerceSchema),
    points_expiration: Nullable(PointsExpirationSchema),
  },
  { title: 'MyAccount' },
);

export const ExpiringPointsSchema = Type.Object(
  {
    points: Int64({ description: 'The points that expire on this date.', examples: [40] }),
    expiration_date: Instant({ description: 'The end of their last day.' }),
    days_left: Int64({ description: 'Local days until then. 0 on the last day.', examples: [61] }),
    months_left: Int64({ description: 'Whole months until then.', examples: [2] }),
  },
  { title: 'ExpiringPoints' },
);

export const PendingPointsSchema = Type.Object(
  {
    points: Int64({ description: 'The points that wait.', examples: [40] }),
    available_at: Nullable(
      Instant({
        description:
          'From when on they can be spent. Null if they wait until the shop confirms the purchase.',
      }),
    ),
  },
  { title: 'PendingPoints' },
);

export const MyCardSchema = Type.Object(
  {
    client_code: Int64({ description: 'Nine digits, for the till', examples: [482915374] }),
    username: Nullable(Type.String({ examples: ['eva'] })),
  },
  { title: 'MyCard' },
);

export const MyProfileSchema = Type.Object(
  {
    username: Nullable(Type.String({ examples: ['eva'] })),
    phone: Nullable(Type.String({ description: 'E.164', examples: ['+5491122334455'] })),
    birth_date: Nullable(Type.String({ format: 'date', examples: ['1990-05-04'] })),
  },
  { title: 'MyProfile' },
);

/** Returns null for anyone who has never joined the program. */
export function myCardToWire({ member }: Account): Static<typeof MyCardSchema> | null {
  return member === null || member.code === null
    ? null
    : { client_code: member.code, username: member.username };
}

export function myProfileToWire({ member }: Account): Static<typeof MyProfileSchema> {
  return {
    username: member?.username ?? null,
    phone: member?.phone ?? null,
    birth_date: member?.birthDate ?? null,
  };
}

export function myAccountToWire(account: Account, serviceUrl: string): Static<typeof MyAccountSchema> {
  const { member, commerce, email } = account;
  return {
    username: member?.username ?? null,
    email,
    phone: member?.phone ?? null,
    points: member === null ? 0 : balanceOn(member.lots, commerce.today),
    subscribed: member?.state === 'member',
    commerce: commerceToWire(commerce, serviceUrl),
    points_expiration: pointsExpirationToWire(account),
  };
}

export function expiringPointsToWire(expiring: Expiring): Static<typeof ExpiringPointsSchema> {
  const { points, expiresAt, daysLeft, monthsLeft } = expiring;
  return { points, expiration_date: expiresAt, days_left: daysLeft, months_left: monthsLeft };
}

function pointsExpirationToWire(account: Account): Static<typeof PointsExpirationSchema> {
  const { mode } = account.commerce.rules.expiration;
  const next = mode === 'none' ? undefined : expiringOf(account)[0];
  return {
    points: next?.points ?? 0,
    expiration_date: next?.expiresAt ?? null,
    days_left: next?.daysLeft ?? null,
    months_left: next?.monthsLeft ?? null,
    mode,
  };
}

export function pendingPointsToWire({ points, availableAt }: Waiting): Static<typeof PendingPointsSchema> {
  return { points, available_at: availableAt };
}
