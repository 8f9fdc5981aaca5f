import { Readable } from 'node:stream';
import { Type } from 'typebox';
import { readCommerce, type Commerce } from '#commerces/commerce.ts';
import { sql, type Db, type Sql } from '#db/database.ts';
import { findMember } from '#members/lock-members.ts';
import type { Member } from '#members/member.ts';
import { UnknownMember } from '#members/refusals.ts';
import { withLots } from '#points/locked-member.ts';
import { balanceOn } from '#points/lots.ts';
import { pointsPendingAt, settled } from '#points/pending.ts';
import { remainderOf } from '#points/remainder.ts';
import { storedNote, tellNote, type StoredNote } from '#points/note.ts';
import { externalIdOf } from '#purchases/recorded-purchases.ts';
import { tierHeld } from '#tiers/ladder.ts';
import { standingAt } from '#tiers/standing.ts';

/** The facts known about a person at a commerce, in plain words. */
export interface PersonFacts {
  readonly member: Member;
  readonly profile: Readonly<Record<string, unknown>>;
  readonly figures: Readonly<Record<string, number | string | null>>;
  readonly level: Readonly<Record<string, unknown>> | null;
  readonly balances: readonly object[];
}

/** Reads the profile, the figures, the level and the points of a person. @throws UnknownMember */
export async function readPersonFacts(db: Db, commerceId: number, memberId: number): Promise<PersonFacts> {
  const member = await findMember(db, { commerceId, id: memberId });
  const commerce = await readCommerce(db, commerceId);
  if (member === undefined || commerce === undefined) throw new UnknownMember();
  const [stored] = await withLots(db, [member]);
  const { lots, pending } = settled(stored!, commerce);
  const { rows } = await sql<{ profile: PersonFacts['profile'] }>`
    select json_build_object(
             'client_code', m.code, 'email', m.email, 'username', m.username, 'phone', m.phone, 'birth_date', m.birth_date,
             'birth_date_entered_at', m.birth_date_set_at,
             'state', case when m.erased_at is not null then 'erased' when m.blocked_at is not null then 'blocked' else m.state end,
             'known_since', m.created_at, 'enrolled_at', m.enrolled_at, 'left_at', m.left_at, 'invited_at', m.invited_at,
             'blocked_at', m.blocked_at, 'block_reason', m.block_reason, 'erased_at', m.erased_at,
             'account_since', u.created_at) as profile
      from members m
      left join users u on u.id = m.user_id
     where m.commerce_id = ${commerceId} and m.id = ${memberId}`.execute(db);
  return {
    member,
    profile: rows[0]!.profile,
    figures: {
      points: balanceOn(lots, commerce.today),
      points_waiting: pointsPendingAt(pending, commerce.now),
      lifetime_points: member.figures.points,
      lifetime_amount: member.figures.amount,
      purchases: member.purchases,
      last_purchase_or_exchange_on: member.movedOn,
      money_for_the_next_point: remainderOf(member.remainder, commerce.rules.earning) / 1000,
    },
    level: levelOf(member, commerce),
    balances: lots
      .filter(({ expiresOn }) => expiresOn >= commerce.today)
      .map(({ expiresOn, moving, points }) => ({
        points,
        expires_on: expiresOn === 'infinity' ? null : expiresOn,
        moves_with_purchases: moving,
      })),
  };
}

function levelOf(member: Member, { rules, now }: Commerce): PersonFacts['level'] {
  const { standing } = standingAt(member, rules, now);
  const tier = tierHeld(standing, rules.tiers);
  if (tier === null) return null;
  const { reachedAt, expiresOn, expired, beneath } = standing;
  const pinned = beneath !== null;
  return { id: tier.id, name: tier.name, reached_at: reachedAt, expires_on: expiresOn, expired, pinned };
}

/**
 * Writes everything that is stored about a person at a commerce as one JSON document, in pieces, so that a long history is never
 * in memory at once. A part is as it is when it is read; every movement recorded before the document began is in it once.
 * Secrets such as the hashes of codes and tokens are left out.
 * @throws UnknownMember before the first piece
 */
export async function* writePersonData(
  db: Db,
  commerceId: number,
  memberId: number,
): AsyncGenerator<string, void> {
  const { member, ...facts } = await readPersonFacts(db, commerceId, memberId);
  const commerce = (await readCommerce(db, commerceId))!;
  const head = {
    commerce: { slug: commerce.slug, name: commerce.program.name },
    written_at: commerce.now,
    time_zone: commerce.rules.timeZone,
    ...facts,
  };
  yield JSON.stringify(head, null, 2).slice(0, -2);
  for (const [name, readPage] of Object.entries(listsOf(member))) {
    yield `,\n  ${JSON.stringify(name)}: [`;
    let isFirst = true;
    for (let after = 0; ;) {
      const { rows } = await sql<{ place: number; entry: { note?: StoredNote | null } }>`${readPage(after)}
     order by place
     limit ${PAGE}`.execute(db);
      for (const { entry } of rows) {
        const { note = null } = entry;
        const told =
          name === 'movements' ? { ...entry, note: tellNote(note, commerce.program.locale) } : entry;
        yield `${isFirst ? '' : ','}\n    ${JSON.stringify(told)}`;
        isFirst = false;
      }
      if (rows.length < PAGE) break;
      after = rows.at(-1)!.place;
    }
    yield isFirst ? ']' : '\n  ]';
  }
  yield '\n}\n';
}

/** Returns the same document as a stream. Reads the first part before the answer begins, so that a failure still has a status. */
export async function streamPersonData(db: Db, commerceId: number, memberId: number): Promise<Readable> {
  const parts = writePersonData(db, commerceId, memberId);
  const first = await parts.next();
  async function* all() {
    yield first.value as string;
    yield* parts;
  }
  return Readable.from(all(), { objectMode: false });
}

/** The document in the OpenAPI documents. */
export const PersonDataSchema = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
  title: 'PersonData',
});

const PAGE = 500;

/** The lists of the document, each with a select of its entries after a place. */
function listsOf({
  commerceId,
  id,
  userId,
  email,
}: Member): Readonly<Record<string, (after: number) => Sql>> {
  const here = sql`commerce_id = ${commerceId} and member_id = ${id}`;
  return {
    movements: (after) => sql`
    select p.id as place,
           json_build_object(
             'at', p.at, 'recorded_at', p.recorded_at, 'type', p.type, 'points', p.points, 'counts_as_earned', p.points_earned,
             'amount', p.amount, 'purchases', p.purchases, 'days', p.split, 'computed_from', p.snapshot - 'note',
             'balance_after', p.balance_after, 'register_id', p.register_id, 'branch_id', p.branch_id,
             'external_id', case when p.type = 'purchase' then ${externalIdOf(commerceId)} end,
             'returns_the_purchase_of', (select r.at from movements r where r.commerce_id = ${commerceId} and r.id = p.reverses_id),
             'client_benefit_code', p.voucher_code, 'event', p.event, 'note', ${storedNote('p', commerceId)}, 'lines', l.lines) as entry
      from movements p
      left join purchase_lines l on l.commerce_id = ${commerceId} and l.purchase_id = p.id
     where p.commerce_id = ${commerceId} and p.member_id = ${id} and p.id > ${after}`,
    happenings: (after) => sql`
    select id as place,
           json_build_object('type', type, 'at', at, 'recorded_at', recorded_at, 'client_benefit_code', voucher_code, 'facts', facts) as entry
      from happenings
     where ${here} and id > ${after}`,
    codes: (after) => sql`
    select code as place,
           json_build_object('client_benefit_code', code, 'benefit', benefit, 'source', source, 'level', tier_id, 'cost', cost,
             'issued_at', issued_at, 'due_at', due_at, 'due_at_before', first_due_at, 'used_at', used_at, 'given_back_or_void_at', given_back_at) as entry
      from vouchers
     where ${here} and code > ${after}`,
    stamp_cards: (after) => sql`
    select * from (
      select row_number() over (order by stamp_id, card) as place,
             json_build_object('card', stamp_id, 'number', card, 'stamps', have, 'ends_on', ends_on, 'stamped_at', stamped_at,
               'filled', filled, 'ended', ended) as entry
        from stamp_cards where ${here}) c
     where place > ${after}`,
    full_cards: (after) => sql`
    select * from (
      select row_number() over (order by stamp_id, ordinal) as place,
             json_build_object('card', stamp_id, 'number', ordinal, 'stamps', need, 'benefit_id', benefit_id,
               'client_benefit_code', code, 'taken_back_at', taken_at) as entry
        from full_cards where ${here}) c
     where place > ${after}`,
    redemptions: (after) => sql`
    select use_id as place,
           json_build_object('external_id', external_id, 'client_benefit_code', code, 'used_at', used_at, 'undone_at', undone_at) as entry
      from redemptions
     where ${here} and use_id > ${after}`,
    orders: (after) => sql`
    select * from (
      select row_number() over (order by o.placed_at, o.external_id) as place,
             json_build_object('external_id', o.external_id, 'status', o.status, 'paid', o.paid, 'refunded', o.refunded,
               'version', o.version, 'placed_at', o.placed_at, 'paid_at', o.paid_at, 'not_recorded_because', o.refusal,
               'codes', (select coalesce(json_agg(json_build_object('client_benefit_code', c.code, 'state', c.state, 'reason', c.reason)), '[]')
                           from order_codes c where c.commerce_id = ${commerceId} and c.external_id = o.external_id),
               'lines', l.lines) as entry
        from orders o
        left join order_lines l on l.commerce_id = ${commerceId} and l.external_id = o.external_id
       where o.commerce_id = ${commerceId} and o.member_id = ${id}) o
     where place > ${after}`,
    codes_in_carts: (after) => sql`
    select code as place,
           json_build_object('client_benefit_code', code, 'cart', external_id, 'held_at', held_at, 'expires_at', expires_at) as entry
      from holds
     where ${here} and code > ${after}`,
    rewards: (after) => sql`
    select * from (
      select row_number() over (order by at, event, period) as place,
             json_build_object('event', event, 'period', period, 'given_at', given_at, 'withheld_at', withheld_at,
               'benefit_id', benefit_id, 'withheld_because', reason) as entry
        from (select event, period, given_at as at, given_at, null::timestamptz as withheld_at, null as benefit_id, null as reason
                from rewards where ${here}
               union all
              select event, period, at, null, at, benefit_id, reason from withheld_rewards where ${here}) given) r
     where place > ${after}`,
    reminders: (after) => sql`
    select * from (
      select row_number() over (order by told_at, expires_on, days_before) as place,
             json_build_object('told_at', told_at, 'expires_on', expires_on, 'days_before', days_before) as entry
        from reminders where ${here}) r
     where place > ${after}`,
    invitations: (after) => sql`
    select * from (
      select 1 as place,
             json_build_object('mailbox_invited_at', i.sent_at, 'mailbox_welcomed', w.mailbox_hash is not null) as entry
        from (select mailbox_hash_of(${email}) as hash) mailbox
        left join invitations i on i.commerce_id = ${commerceId} and i.mailbox_hash = mailbox.hash
        left join welcomed_mailboxes w on w.commerce_id = ${commerceId} and w.mailbox_hash = mailbox.hash
       where i.mailbox_hash is not null or w.mailbox_hash is not null) i
     where place > ${after}`,
    mails: (after) => sql`
    select id as place,
           json_build_object('kind', kind, 'recipient', recipient, 'written_at', created_at, 'sent_at', sent_at,
             'failed_at', failed_at, 'attempts', attempts, 'last_error', last_error,
             'content', case when kind <> 'sign-in-code' then content end) as entry
      from outbox
     where commerce_id = ${commerceId} and recipient = ${email} and kind not in ('staff-invitation', 'test-message') and id > ${after}`,
    stopped_mails: (after) => sql`
    select * from (
      select row_number() over (order by at, what) as place, json_build_object('at', at, 'what', what) as entry
        from (select stopped_at as at, kind as what from mail_stops where ${here}
               union all
              select since, reason from mail_suppressions where mailbox_hash = mailbox_hash_of(${email})) stopped) s
     where place > ${after}`,
    sessions: (after) => sql`
    select id as place,
           json_build_object('started_at', started_at, 'last_renewed_at', refreshed_at, 'ends_at', ends_at,
             'ended_at', ended_at, 'ended_by', end_reason) as entry
      from sessions
     where user_id = ${userId} and commerce_id = ${commerceId} and id > ${after}`,
    sign_in: (after) => sql`
    select * from (
      select row_number() over (order by at) as place, entry
        from (select issued_at as at,
                     json_build_object('what', 'a code is valid', 'at', issued_at, 'until', expires_at, 'tries', tries) as entry
                from sign_in_codes where commerce_id = ${commerceId} and email = ${email}
               union all
              select sent_at, json_build_object('what', 'a code was sent', 'at', sent_at)
                from sign_in_sends where commerce_id = ${commerceId} and email = ${email}) happened) s
     where place > ${after}`,
    wallet_passes: (after) => sql`
    select * from (
      select row_number() over (order by p.created_at) as place,
             json_build_object('wallet', p.kind, 'serial', p.serial, 'added_at', p.created_at, 'changed_at', p.changed_at,
               'devices', (select coalesce(json_agg(json_build_object('device', d.device, 'registered_at', d.registered_at)), '[]')
                             from wallet_devices d where d.commerce_id = ${commerceId} and d.serial = p.serial)) as entry
        from wallet_passes p where p.commerce_id = ${commerceId} and p.member_id = ${id}) w
     where place > ${after}`,
    // The name of the colleague who acted is that person's data, and is left out.
    acts_of_staff: (after) => sql`
    select a.id as place,
           json_build_object('at', a.at, 'action', a.action, 'by', a.actor, 'before', a.before, 'after', a.after,
             'personal_before', t.before, 'personal_after', t.after, 'reason', t.reason) as entry
      from audit a
      left join audit_texts t on t.commerce_id = a.commerce_id and t.audit_id = a.id
     where a.commerce_id = ${commerceId} and a.member_id = ${id} and a.id > ${after}`,
  };
}
