import { localDay } from '#calendar/calendar.ts';
import { readRules, type Commerce } from '#commerces/commerce.ts';
import { sql, type Db } from '#db/database.ts';
import { EXPIRY_ID, sumExpiries } from '#history/read-history.ts';
import type { Position } from '#http/cursor.ts';
import { explainMovement } from '#books/explain-movement.ts';
import { expiredDays } from '#points/expired-days.ts';
import { factorsOf, wholeOfStored } from '#points/factors-of.ts';
import type { Kept } from '#points/line.ts';
import type { MovementType } from '#points/locked-member.ts';
import type { Lot } from '#points/lots.ts';
import { storedNote, tellNote, type StoredNote } from '#points/note.ts';
import type { Step } from '#points/points-for-purchase.ts';
import { shownPoints } from '#points/shown-points.ts';
import type { StoredSnapshot } from '#purchases/decide-purchase.ts';
import { externalIdOf } from '#purchases/recorded-purchases.ts';
import type { Voucher } from '#vouchers/voucher.ts';
import { auditActor, type AuditActor } from '../audit/audit-actor.ts';

/** One line of a member's history, with everything that the shop can know about it. */
export interface HistoryLine {
  /** The id of the movement; null for points that expired. */
  readonly id: number | null;
  readonly type: Exclude<MovementType, 'redate'>;
  readonly at: Date;
  readonly points: number;
  readonly balance: number | null;
  readonly amount: number | null;
  /** The part of the payment above `amount`, in the smallest unit of the currency. */
  readonly cents: number;
  readonly title: string | null;
  readonly event: string | null;
  readonly note: string | null;
  readonly registerId: number | null;
  readonly branchId: number | null;
  readonly externalId: string | null;
  readonly factors: readonly Step[];
  /** The lines of a purchase, if the shop said them. */
  readonly lines: Kept['lines'];
  readonly explanation: string | null;
  readonly programVersion: number | null;
  readonly reversesId: number | null;
  readonly reversedAmount: number;
  readonly reversedCents: number;
  readonly reversedPoints: number;
  readonly voucher: Pick<Voucher, 'code' | 'source' | 'dueAt' | 'usedAt' | 'givenBackAt'> | null;
  /** The actor, if the audit knows. */
  readonly actor: AuditActor | null;
}

export interface HistoryPage {
  /** Newest first. */
  readonly lines: HistoryLine[];
  /** Where the next page begins; null on the last page. */
  readonly next: Position | null;
}

const PAGE = 20;
/** Where only one type is shown, so many entries of the history are looked at for a page. */
const SCANNED = 500;

/**
 * Returns a page of a member's history, newest first, in one statement. Points that expired are one line a day, as the
 * member sees them. With a `type`, a page may be shorter than the others.
 */
export async function readMemberHistory(
  db: Db,
  commerce: Commerce,
  memberId: number,
  type: HistoryLine['type'] | null,
  position: Position | null,
): Promise<HistoryPage> {
  const rows = await readRows(db, commerce, memberId, type, position);
  const movements = await Promise.all(
    rows.filter((row) => row.part === 'movement').map((row) => lineOf(db, commerce, row)),
  );
  const lines = [...movements, ...expiriesOf(rows, commerce, type, position)].sort(newestFirst);
  const page = lines.slice(0, PAGE);
  const end =
    lines.length > PAGE
      ? { at: page.at(-1)!.at, id: page.at(-1)!.id ?? EXPIRY_ID }
      : rows.find((row) => row.part === 'end of scan');
  return { lines: page, next: end === undefined ? null : { direction: 'older', at: end.at, id: end.id } };
}

type Row =
  | ({ readonly part: 'movement' } & MovementRow)
  | { readonly part: 'end of scan'; readonly at: Date; readonly id: number }
  | { readonly part: 'written off'; readonly at: Date; readonly points: number }
  | ({ readonly part: 'held' } & Pick<Lot, 'expiresOn' | 'points'>);

interface MovementRow extends Omit<
  HistoryLine,
  'id' | 'note' | 'factors' | 'lines' | 'explanation' | 'programVersion' | 'voucher' | 'actor'
> {
  readonly id: number;
  readonly note: StoredNote | null;
  readonly split: readonly [day: string, moving: boolean, points: number][];
  readonly snapshot: { readonly rule?: number; readonly kept?: number; readonly expiresOn?: string } | null;
  /** The snapshot and the amount of the purchase that this is or takes back. */
  readonly rule: StoredSnapshot | null;
  readonly ruleAmount: number | null;
  readonly code: number | null;
  readonly source: Voucher['source'];
  readonly dueAt: string | null;
  readonly usedAt: string | null;
  readonly givenBackAt: string | null;
  readonly actor: AuditActor | null;
}

/**
 * Reads one more movement and one more day than fit on a page. It is one statement, because the job moves points from `held`
 * to `written off`.
 */
async function readRows(
  db: Db,
  { id: commerceId, today }: Commerce,
  memberId: number,
  type: HistoryLine['type'] | null,
  position: Position | null,
): Promise<Row[]> {
  const { at = null, id = null } = position ?? {};
  const beyond = sql`(coalesce(${at}::timestamptz, 'infinity'), coalesce(${id}::bigint, 0))`;
  const scanned = sql`
           select *
             from movements m
            where m.commerce_id = ${commerceId} and m.member_id = ${memberId} and m.type not in ('expiry', 'redate') and m.type <> 'available'
              and (m.at, m.id) < ${beyond}
            order by m.at desc, m.id desc`;
  const { rows } = await sql<{
    part: Row['part'];
    line: object;
    at: Date;
    id: number;
    points: number;
    day: string;
  }>`-- read-member-history
    (select 'movement' as part, p.at, p.id, ${shownPoints('p')} as points, null::date as day,
            jsonb_build_object(
              'type', p.type, 'balance', p.balance_after, 'amount', p.amount, 'event', p.event,
              'note', ${storedNote('p', commerceId)}, 'registerId', p.register_id, 'branchId', p.branch_id,
              'externalId', case when p.type = 'purchase' then ${externalIdOf(commerceId)} end,
              'split', p.split, 'snapshot', p.snapshot, 'rule', r.snapshot, 'ruleAmount', r.amount,
              'reversesId', p.reverses_id, 'cents', case p.type when 'reversal' then -1 else 1 end * coalesce((p.snapshot ->> 'cents')::bigint, 0),
              'reversedAmount', t.amount, 'reversedCents', t.cents, 'reversedPoints', t.points,
              'title', v.benefit ->> 'title', 'code', v.code, 'source', v.source, 'dueAt', v.due_at,
              'usedAt', v.used_at, 'givenBackAt', v.given_back_at, 'actor', a.actor) as line
       from (select * from (${scanned} limit ${type === null ? PAGE + 1 : type === 'expiry' ? 0 : SCANNED}::bigint) m
              where ${type}::text is null or m.type = ${type}::text
              order by m.at desc, m.id desc
              limit ${PAGE + 1}) p
       left join movements r on r.commerce_id = ${commerceId} and r.id = coalesce(p.reverses_id, p.id) and r.type = 'purchase'
       left join vouchers v on v.commerce_id = ${commerceId} and v.code = p.voucher_code
      cross join lateral (
            select coalesce(-sum(b.amount), 0)::bigint as amount, coalesce(-sum(${shownPoints('b')}), 0)::bigint as points,
                   coalesce(sum((b.snapshot ->> 'cents')::bigint), 0)::bigint as cents
              from movements b where b.commerce_id = ${commerceId} and b.reverses_id = p.id) t
       left join lateral (
            select ${auditActor} as actor
              from audit a
              left join staff s on s.commerce_id = ${commerceId} and s.id = a.staff_id
              left join staff_people w on w.id = s.person_id
              left join api_keys k on k.commerce_id = a.commerce_id and k.id = a.key_id
             where a.commerce_id = ${commerceId} and a.movement_id = p.id
             order by a.id
             limit 1) a on true
      where p.commerce_id = ${commerceId})
    union all
    (select 'end of scan', m.at, m.id, null, null, null
       from (${scanned} offset ${SCANNED - 1} limit ${type === null || type === 'expiry' ? 0 : 1}::bigint) m)
    union all
    (select 'written off', e.at, null, sum(e.points)::bigint, null, null
       from movements e
      where e.commerce_id = ${commerceId} and e.member_id = ${memberId} and e.type = 'expiry'
        and (e.at, ${EXPIRY_ID}::bigint) < ${beyond}
      group by e.at
      order by e.at desc
      limit ${PAGE + 1})
    union all
    select 'held', null, null, b.points, b.expires_on, null
      from balances b
     where b.commerce_id = ${commerceId} and b.member_id = ${memberId} and b.expires_on < ${today}::date`.execute(
    db,
  );
  return rows.map(({ line, day, ...row }) => ({ ...row, ...line, expiresOn: day }) as unknown as Row);
}

async function lineOf(db: Db, { id: commerceId, program }: Commerce, row: MovementRow): Promise<HistoryLine> {
  const { type, points, snapshot, rule, ruleAmount, code, event, title, split } = row;
  const note = tellNote(row.note, program.locale);
  const factors = rule === null ? [] : await factorsWithNames(db, commerceId, rule);
  const lines = rule === null ? null : wholeOfStored(ruleAmount ?? 0, rule).lines;
  const explanation = explainMovement(
    {
      type,
      points,
      days: split.map(([day, , held]) => ({ day, points: held })),
      purchase: rule === null || ruleAmount === null ? null : { amount: ruleAmount, lines, factors },
      kept: type === 'reversal' ? (snapshot?.kept ?? null) : null,
      benefit: title,
      event,
      note,
      isDayByHand: type === 'adjustment' && snapshot?.expiresOn !== undefined,
    },
    program.locale,
  );
  return {
    ...row,
    note,
    factors: type === 'purchase' ? factors : [],
    lines: type === 'purchase' ? lines : null,
    explanation: explanation === '' ? null : explanation,
    programVersion: snapshot?.rule ?? null,
    voucher:
      code === null
        ? null
        : {
            code,
            source: row.source,
            dueAt: dateOf(row.dueAt),
            usedAt: dateOf(row.usedAt),
            givenBackAt: dateOf(row.givenBackAt),
          },
  };
}

function dateOf(text: string | null): Date | null {
  return text === null ? null : new Date(text);
}

/** Release 0.1 did not store the names of tiers with a purchase. */
async function factorsWithNames(
  db: Db,
  commerceId: number,
  stored: StoredSnapshot,
): Promise<readonly Step[]> {
  if ('factors' in stored) return stored.factors;
  const { tiers } = await readRules(db, commerceId, stored.rule);
  return factorsOf(stored, tiers.ladder.find(({ rank }) => rank === stored.tier)?.name ?? null);
}

function expiriesOf(
  rows: readonly Row[],
  { today, rules, program }: Commerce,
  type: HistoryLine['type'] | null,
  position: Position | null,
): HistoryLine[] {
  if (type !== null && type !== 'expiry') return [];
  const held = rows.filter((row) => row.part === 'held');
  const pending = expiredDays(held, today, rules.timeZone)
    .map(({ at, points }) => ({ at, points: -points }))
    .filter(({ at }) => position === null || at < position.at);
  return sumExpiries([...rows.filter((row) => row.part === 'written off'), ...pending]).map(
    ({ at, points }) => ({
      ...EMPTY_LINE,
      at,
      points,
      explanation: explainMovement(
        { ...NO_FACTS, type: 'expiry', points, days: [{ day: localDay(at, rules.timeZone), points }] },
        program.locale,
      ),
    }),
  );
}

const EMPTY_LINE: Omit<HistoryLine, 'at' | 'points' | 'explanation'> = {
  id: null,
  type: 'expiry',
  balance: null,
  amount: null,
  cents: 0,
  title: null,
  event: null,
  note: null,
  registerId: null,
  branchId: null,
  externalId: null,
  factors: [],
  lines: null,
  programVersion: null,
  reversesId: null,
  reversedAmount: 0,
  reversedCents: 0,
  reversedPoints: 0,
  voucher: null,
  actor: null,
};
const NO_FACTS = {
  purchase: null,
  kept: null,
  benefit: null,
  event: null,
  note: null,
  isDayByHand: false,
} as const;

/** Points expire after everything else on their last day. */
function newestFirst(a: HistoryLine, b: HistoryLine): number {
  return b.at.getTime() - a.at.getTime() || (b.id ?? EXPIRY_ID) - (a.id ?? EXPIRY_ID);
}
