/** The columns of exports, in this order. */
import { Type } from 'typebox';
import { Instant, Int64, Nullable, StrEnum } from '#http/schema.ts';

/** The columns that `members import` reads have its names. */
export const ExportedMemberSchema = Type.Object(
  {
    client_code: Nullable(Int64()),
    email: Nullable(Type.String({ description: 'Null for an erased person' })),
    username: Nullable(Type.String()),
    birth_date: Nullable(Type.String({ format: 'date' })),
    phone: Nullable(Type.String()),
    points: Int64({ description: 'The balance, without points that have expired' }),
    state: StrEnum(['member', 'left', 'blocked', 'erased']),
    enrolled_at: Nullable(Instant()),
    lifetime_points: Int64(),
    lifetime_amount: Int64(),
    purchases: Int64(),
    level: Nullable(Type.String({ description: 'The name of the tier' })),
  },
  { title: 'ExportedMember' },
);

export const ExportedMovementSchema = Type.Object(
  {
    id: Int64({ description: 'For a consumption, its consumption_id' }),
    date: Instant(),
    type: StrEnum([
      'consumption',
      'reversal',
      'benefit_exchange',
      'benefit_returned',
      'benefit_usage',
      'reward',
      'adjustment',
      'expiry',
    ]),
    client_code: Nullable(Int64({ description: 'Null while points wait for a person without an account' })),
    client_email: Nullable(Type.String()),
    points: Int64({ description: 'The change of the balance' }),
    amount: Nullable(Int64()),
    counter_id: Nullable(Int64()),
    id_suc: Nullable(Int64()),
    external_id: Nullable(Type.String()),
    reverses_id: Nullable(Int64({ description: 'The consumption that was reversed' })),
    client_benefit_code: Nullable(Int64()),
    event: Nullable(Type.String()),
    note: Nullable(Type.String()),
  },
  { title: 'ExportedMovement' },
);

export const MEMBER_COLUMNS = Object.keys(ExportedMemberSchema.properties);
export const MOVEMENT_COLUMNS = Object.keys(ExportedMovementSchema.properties);
