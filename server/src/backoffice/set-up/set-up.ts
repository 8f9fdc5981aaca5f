import { sql, type Db, type Sql, type Tx } from '#db/database.ts';
import { Unauthorized } from '#problems/problem.ts';
import { checkAnswers, readStoredAnswers, type SetUpAnswers } from './answers.ts';
import { IDLE_HOURS } from '#staff/staff-session.ts';
import { hashOfSecret, IS_OPEN, LinkRefused } from './set-up-link.ts';
import { refuseTakenSlug } from './shop-slug.ts';

/** A shop that a person is setting up. */
export interface SetUp {
  readonly id: number;
  readonly email: string;
  readonly provedAt: Date;
  readonly expiresAt: Date;
  readonly forFirst: boolean;
  readonly answers: SetUpAnswers;
  /** The shop that it became; null until then. */
  readonly commerceId: number | null;
}

/** The browser has no set-up, or another browser goes on with it. */
export class SetUpUnknown extends Unauthorized {
  constructor() {
    super('missing_credential', 'open the set-up link, and prove your e-mail address with a code');
  }
}

/**
 * Returns the set-up of a browser.
 * @param token what the cookie holds
 * @throws SetUpUnknown, LinkRefused
 */
export async function readSetUp(db: Db, token: string | null): Promise<SetUp> {
  return findSetUp(db, token, sql.raw(''));
}

/** Does the same and locks it, so that two presses of one button run one after the other. */
export async function lockSetUp(tx: Tx, token: string | null): Promise<SetUp> {
  return findSetUp(tx, token, sql.raw('for update of s'));
}

async function findSetUp(db: Db, token: string | null, lock: Sql): Promise<SetUp> {
  if (token === null) throw new SetUpUnknown();
  const { rows } = await sql<SetUp & { answers: object; isOpen: boolean; wasIdle: boolean }>`
    select s.id, s.email, s.proved_at as "provedAt", s.expires_at as "expiresAt", s.for_first as "forFirst",
           s.answers, s.commerce_id as "commerceId", ${IS_OPEN} as "isOpen",
           s.finished_at is null and s.proved_at < now() - interval '${sql.raw(String(IDLE_HOURS))} hours' as "wasIdle"
      from set_ups s
     where s.session_hash = ${hashOfSecret(token)} ${lock}`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new SetUpUnknown();
  if (!row.isOpen && row.commerceId === null) throw new LinkRefused();
  if (row.wasIdle && (await worksAtAShop(db, row.email))) throw new SetUpUnknown();
  return { ...row, answers: readStoredAnswers(row.answers) };
}

/**
 * The person who opens the shop is signed in, also to shops where they work already. A session there ends when nothing is done for some
 * hours, and a set-up that was left for longer must not be a way around it. Another code from the same link goes on with it.
 */
async function worksAtAShop(db: Db, email: string): Promise<boolean> {
  const { rows } = await sql`
    select from staff_people p
      join staff w on w.person_id = p.id and w.removed_at is null
     where p.email = ${email}
     limit 1`.execute(db);
  return rows.length > 0;
}

/**
 * Keeps what was typed, so that the person can leave and go on at any step. Only the answers that are sent change.
 * @throws SetUpUnknown, LinkRefused, InvalidRequest
 */
export async function saveAnswers(
  tx: Tx,
  token: string | null,
  typed: Partial<SetUpAnswers>,
): Promise<SetUp> {
  const setUp = await lockSetUp(tx, token);
  const checked = checkAnswers(typed);
  if (setUp.commerceId !== null) return setUp;
  if (typeof checked.slug === 'string') await refuseTakenSlug(tx, checked.slug);
  await sql`-- save-set-up-answers
    update set_ups set answers = answers || ${JSON.stringify(checked)}::jsonb where id = ${setUp.id}`.execute(
    tx,
  );
  return { ...setUp, answers: { ...setUp.answers, ...checked } };
}
