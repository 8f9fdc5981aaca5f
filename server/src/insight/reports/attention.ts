import { addDays, endOfDay, localDay, startOfDay, type Day } from '#calendar/calendar.ts';
import { whyEnded } from '#benefits/benefit.ts';
import type { Commerce } from '#commerces/commerce.ts';
import { sql, type Db } from '#db/database.ts';
import { readUnusualPurchases, type UnusualPurchase } from '#purchases/unusual-amount.ts';

/** Something that somebody at the shop should look at. */
export type Attention =
  | { readonly kind: 'program_paused' }
  | { readonly kind: 'job_failing'; readonly job: string; readonly since: Date }
  | ({ readonly kind: 'unusual_purchase' } & UnusualPurchase)
  | { readonly kind: 'mail_failed'; readonly mails: number }
  | {
      readonly kind: 'reward_withheld';
      readonly event: string;
      readonly benefitId: string;
      readonly title: string;
      readonly times: number;
    }
  | { readonly kind: 'sold_out'; readonly benefitId: string; readonly title: string }
  | {
      readonly kind: 'nearly_sold_out';
      readonly benefitId: string;
      readonly title: string;
      readonly left: number;
    }
  | { readonly kind: 'benefit_ends'; readonly benefitId: string; readonly title: string; readonly day: Day };

const UNUSUAL_OF_DAYS = 30;
const MAILS_OF_DAYS = 7;
const REWARDS_OF_DAYS = 30;
const ENDS_WITHIN_DAYS = 14;

/** Reads what needs attention, the most pressing first. */
export async function readAttention(db: Db, commerce: Commerce): Promise<Attention[]> {
  const jobs = await readFailingJobs(db, commerce);
  const unusual = await readUnusualPurchases(db, commerce, UNUSUAL_OF_DAYS);
  const mails = await countFailedMails(db, commerce);
  const rewards = await readWithheldRewards(db, commerce);
  const benefits = await readBenefitsOnSale(db, commerce);
  return [
    ...(commerce.status === 'paused' ? [{ kind: 'program_paused' } as const] : []),
    ...jobs.map((job) => ({ kind: 'job_failing', ...job }) as const),
    ...unusual.map((purchase) => ({ kind: 'unusual_purchase', ...purchase }) as const),
    ...(mails > 0 ? [{ kind: 'mail_failed', mails } as const] : []),
    ...rewards.map((reward) => ({ kind: 'reward_withheld', ...reward }) as const),
    ...benefits.flatMap((benefit) => judgeBenefit(benefit, commerce)),
  ];
}

async function readFailingJobs(db: Db, { id }: Commerce) {
  const { rows } = await sql<{ job: string; since: Date }>`-- read-failing-jobs
    select job, failing_since as since
      from commerce_jobs
     where commerce_id = ${id} and failing_since is not null
     order by failing_since, job`.execute(db);
  return rows;
}

/** Real time, because mails do not follow the clock of a sandbox. */
async function countFailedMails(db: Db, { id }: Commerce): Promise<number> {
  const { rows } = await sql<{ mails: number }>`-- count-failed-mails
    select count(*) as mails
      from outbox
     where commerce_id = ${id} and failed_at > now() - make_interval(days => ${MAILS_OF_DAYS})`.execute(db);
  return rows[0]!.mails;
}

async function readWithheldRewards(db: Db, { id, today, rules }: Commerce) {
  const since = startOfDay(addDays(today, -REWARDS_OF_DAYS), rules.timeZone);
  const { rows } = await sql<{
    event: string;
    benefitId: string;
    title: string;
    times: number;
  }>`-- read-withheld-rewards
    select w.event, w.benefit_id as "benefitId", coalesce(b.title, w.benefit_id) as title, count(*) as times
      from withheld_rewards w
      left join benefits b on b.commerce_id = w.commerce_id and b.id = w.benefit_id
     where w.commerce_id = ${id} and w.at >= ${since}
     group by w.event, w.benefit_id, b.title
     order by count(*) desc, w.event, w.benefit_id`.execute(db);
  return rows;
}

interface OnSale {
  readonly id: string;
  readonly title: string;
  readonly buyLimit: number;
  readonly sold: number;
  readonly expiresAt: Date | null;
  readonly withdrawnAt: Date | null;
}

async function readBenefitsOnSale(db: Db, { id }: Commerce): Promise<OnSale[]> {
  const { rows } = await sql<OnSale>`-- read-benefits-on-sale
    select id, title, buy_limit as "buyLimit", sold, expires_at as "expiresAt", withdrawn_at as "withdrawnAt"
      from benefits
     where commerce_id = ${id} and benefit_type = 'normal' and on_sale and withdrawn_at is null
       and (buy_limit > 0 or expires_at is not null)
     order by position, id`.execute(db);
  return rows;
}

function judgeBenefit(benefit: OnSale, { now, today, rules }: Commerce): Attention[] {
  if (whyEnded(benefit, now) !== null) return [];
  const { id: benefitId, title, buyLimit, sold, expiresAt } = benefit;
  const left = buyLimit - sold;
  const isLimited = buyLimit > 0;
  return [
    ...(isLimited && left <= 0 ? [{ kind: 'sold_out', benefitId, title } as const] : []),
    ...(isLimited && left > 0 && left * 10 <= buyLimit
      ? [{ kind: 'nearly_sold_out', benefitId, title, left } as const]
      : []),
    ...(expiresAt !== null && expiresAt <= endOfDay(addDays(today, ENDS_WITHIN_DAYS), rules.timeZone)
      ? [{ kind: 'benefit_ends', benefitId, title, day: localDay(expiresAt, rules.timeZone) } as const]
      : []),
  ];
}
