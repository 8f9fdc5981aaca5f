import { sql, type Tx } from '#db/database.ts';

/**
 * Events other than movements of the ledger, with the facts that are kept of them: ids and numbers, never a personal value. Those of
 * holds are stored by the statements that store holds.
 */
export type HappeningFacts =
  | {
      readonly type:
        | 'member.invited'
        | 'member.left'
        | 'member.blocked'
        | 'member.unblocked'
        | 'member.erased';
    }
  | { readonly type: 'member.joined'; readonly facts: { readonly again: boolean } }
  | { readonly type: 'member.updated'; readonly facts: { readonly fields: readonly string[] } }
  | {
      readonly type: 'tier.reached' | 'tier.lost';
      readonly facts: {
        readonly level_id: string | null;
        readonly expired: boolean;
        readonly previous_level_id: string | null;
      };
    }
  | {
      readonly type: 'reward.given';
      readonly facts: { readonly reward: string; readonly period: string; readonly benefit_id: string };
    }
  | { readonly type: 'voucher.issued' | 'voucher.voided' | 'voucher.expiring' }
  | {
      readonly type: 'points.expiring';
      readonly facts: { readonly points: number; readonly expires_on: string; readonly days_before: number };
    }
  | {
      readonly type: 'stamp.given' | 'stamp.taken';
      readonly facts: {
        readonly stamp_id: string;
        readonly stamps: number;
        readonly have: number;
        readonly full: number;
      };
    }
  | { readonly type: 'points.cancelled'; readonly facts: { readonly points: number } }
  | {
      readonly type: 'order.changed';
      readonly facts: {
        readonly external_id: string;
        readonly status: string;
        readonly version: number;
        readonly paid: number;
        readonly refunded: number;
      };
    }
  | { readonly type: 'program.published'; readonly facts: { readonly version: number } };

/** Something that happened at a shop. */
export type Happening = HappeningFacts & {
  readonly commerceId: number;
  /** Null for what concerns the shop as a whole. */
  readonly memberId: number | null;
  /** By the commerce's clock. Now, if it is left out. */
  readonly at?: Date;
  readonly voucherCode?: number;
};

/**
 * Writes what happened, in the transaction in which it happens. Rows and movements take their ids from one sequence, and the feed of events
 * has them in that order. So this comes after the movement that it follows from.
 */
export async function storeHappenings(tx: Tx, happenings: readonly Happening[]): Promise<void> {
  if (happenings.length === 0) return;
  await sql`-- store-happenings
    insert into happenings (commerce_id, type, member_id, at, voucher_code, facts)
    select h.commerce_id, h.type, h.member_id, coalesce(h.at, program_now(c.clock_offset)), h.voucher_code, h.facts::jsonb
      from unnest(${happenings.map((h) => h.commerceId)}::bigint[], ${happenings.map((h) => h.type)}::text[],
                  ${happenings.map((h) => h.memberId)}::bigint[], ${happenings.map((h) => h.at ?? null)}::timestamptz[],
                  ${happenings.map((h) => h.voucherCode ?? null)}::bigint[],
                  ${happenings.map((h) => JSON.stringify('facts' in h ? h.facts : {}))}::text[])
             with ordinality as h(commerce_id, type, member_id, at, voucher_code, facts, position)
      join commerces c on c.id = h.commerce_id
     order by h.position`.execute(tx);
}
