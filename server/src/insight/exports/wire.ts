/** The columns of exports, in this order. */
import { Type } from 'typebox';
import { Instant, Int64, Nullable, StrEnum } from '#http/schema.ts';

/** The columns that `members import` reads have its names. */
export const ExportedMemberSchema = Type.Object(
  {
    client_code: Nullable(Int64({ description: 'The member’s 9-digit code.' })),
    email: Nullable(Type.String({ description: 'Null for an erased person' })),
    username: Nullable(Type.String({ description: 'The name at this shop.' })),
    birth_date: Nullable(Type.String({ format: 'date', description: 'The birth date.' })),
    phone: Nullable(Type.String({ description: 'In E.164 format.' })),
    points: Int64({ description: 'The balance, without points that have expired' }),
    state: StrEnum(['member', 'left', 'blocked', 'erased']),
    enrolled_at: Nullable(Instant()),
    lifetime_points: Int64({ description: 'All points ever earned.' }),
    lifetime_amount: Int64({ description: 'All that was ever spent.' }),
    purchases: Int64({ description: 'The number of purchases.' }),
    level: Nullable(Type.String({ description: 'The name of the tier' })),
  },
  { title: 'ExportedMember' },
);

/** A line of the list of members in the back office. */
export const ListedMemberSchema = Type.Object(
  {
    client_code: Nullable(Int64({ description: 'The member’s 9-digit code. Null for an invited person.' })),
    username: Nullable(Type.String({ description: 'The name at this shop.' })),
    email: Nullable(Type.String({ description: 'Null for an erased person' })),
    state: StrEnum(['invited', 'member', 'left', 'blocked', 'erased']),
    level: Nullable(Type.String({ description: 'The name of the tier' })),
    points: Int64({ description: 'The balance, without points that have expired' }),
    enrolled_at: Nullable(Instant()),
    last_purchase_at: Nullable(Instant()),
    amount_spent: Int64({ description: 'All that was ever spent.' }),
    purchases: Int64({ description: 'The number of purchases.' }),
  },
  { title: 'ListedMember' },
);

export const ExportedMovementSchema = Type.Object(
  {
    id: Int64({ description: 'For a consumption, its consumption_id' }),
    date: Instant(),
    type: StrEnum([
      'consumption',
      'points_available',
      'correction',
      'reversal',
      'benefit_exchange',
      'benefit_returned',
      'benefit_usage',
      'benefit_usage_undone',
      'reward',
      'adjustment',
      'expiry',
    ]),
    client_code: Nullable(Int64({ description: 'Null while points wait for a person without an account' })),
    client_email: Nullable(Type.String({ description: 'The member’s e-mail address.' })),
    points: Int64({ description: 'The change of the balance' }),
    amount: Nullable(Int64({ description: 'Whole currency units.' })),
    counter_id: Nullable(Int64({ description: 'The id of the register.' })),
    id_suc: Nullable(Int64({ description: 'The id of the branch.' })),
    external_id: Nullable(Type.String({ description: 'The shop’s own id of the purchase.' })),
    reverses_id: Nullable(
      Int64({
        description: 'The consumption that was reversed or corrected, or whose points became available',
      }),
    ),
    client_benefit_code: Nullable(Int64({ description: 'The 14-digit code.' })),
    event: Nullable(Type.String({ description: 'The reward that gave the points.' })),
    note: Nullable(Type.String({ description: 'A sentence for the member.' })),
  },
  { title: 'ExportedMovement' },
);

export const MEMBER_COLUMNS = Object.keys(ExportedMemberSchema.properties);
export const MOVEMENT_COLUMNS = Object.keys(ExportedMovementSchema.properties);
export const LISTED_COLUMNS = Object.keys(ListedMemberSchema.properties);
