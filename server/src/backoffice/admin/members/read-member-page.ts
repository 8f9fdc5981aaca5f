import type { Commerce } from '#commerces/commerce.ts';
import { sql, type Db } from '#db/database.ts';
import { readStoppedKinds } from '#mail/mail-stops.ts';
import { readSuppression, type Suppression } from '#mail/suppressions.ts';
import { UnknownMember } from '#members/refusals.ts';
import { readHolders } from '#points/holder-reader.ts';
import type { LockedMember } from '#points/locked-member.ts';
import type { MessageKind } from '#program/messages.ts';
import { standingAt } from '#tiers/standing.ts';

/** A member with what only the page of the member shows. */
export interface MemberFacts {
  readonly member: LockedMember;
  readonly commerce: Commerce;
  readonly blockReason: string | null;
  /** The cost of the benefits that were bought and not given back. */
  readonly pointsSpent: number;
  readonly lastPurchaseAt: Date | null;
  /** The purchase that reached the member's tier; null if none did. */
  readonly reachedBy: number | null;
  readonly mail: { readonly suppression: Suppression | null; readonly stopped: MessageKind[] };
}

/** Reads what the page of a member shows. @throws UnknownMember */
export async function readMemberPage(db: Db, commerceId: number, memberId: number): Promise<MemberFacts> {
  const [holder] = await readHolders(db, [{ commerceId, id: memberId }]);
  const { member, commerce } = holder!;
  if (member === null) throw new UnknownMember();
  const { reachedAt } = standingAt(member, commerce.rules, commerce.now).standing;
  const { rows } = await sql<Omit<MemberFacts, 'member' | 'commerce' | 'mail'>>`-- read-member-page
    select m.block_reason as "blockReason",
           (select coalesce(sum(v.cost), 0)::bigint
              from vouchers v
             where v.commerce_id = ${commerceId} and v.member_id = m.id
               and v.source = 'exchange' and v.given_back_at is null) as "pointsSpent",
           (select max(p.at)
              from (select * from movements h
                     where h.commerce_id = ${commerceId} and h.member_id = m.id and h.type not in ('expiry', 'redate')
                     order by h.at desc, h.id desc
                     limit ${SCANNED}) p
             where p.type = 'purchase') as "lastPurchaseAt",
           (select p.id
              from movements p
             where p.commerce_id = ${commerceId} and p.member_id = m.id and p.type not in ('expiry', 'redate')
               and p.at = ${reachedAt}::timestamptz and p.type = 'purchase' and p.snapshot ? 'climbed'
             order by p.at desc, p.id desc
             limit 1) as "reachedBy"
      from members m
     where m.commerce_id = ${commerceId} and m.id = ${memberId}`.execute(db);
  const mail = {
    suppression: member.email === null ? null : await readSuppression(db, member.email),
    stopped: await readStoppedKinds(db, { commerceId, memberId }),
  };
  return { member, commerce, ...rows[0]!, mail };
}

/** The last purchase is looked for in so many entries of the history. */
const SCANNED = 500;
