/** A commerce of the service and its model, side by side, at the start of a program. */
import { randomBytes } from 'node:crypto';
import { checkProgram } from '#program/check-program.ts';
import { createKey } from '#commerces/api-keys.ts';
import { setClock } from '#commerces/clock.ts';
import type { Database } from '#db/database.ts';
import { applyProgram } from '#apply/apply-program.ts';
import type { Program } from '#program/program.ts';
import { earningFields } from './earning.ts';
import { Model, UNDO_DAYS, type Person, type Purchase, type Rules, type Voucher } from './model.ts';
import { TIER_IDS } from './ladder-histories.ts';
import { OFFERS, PEOPLE, type RandomProgram } from './programs.ts';
import { STAMPED, stampFields } from './stamps.ts';
import type { Till } from './till.ts';

export const DAY_MS = 86_400_000;

/** Everything that both sides have made so far. */
export interface World {
  readonly db: Database;
  readonly till: Till;
  readonly commerceId: number;
  readonly slug: string;
  readonly model: Model;
  readonly people: Known[];
  /** The rows of people who were erased. */
  readonly erased: { readonly memberId: number; readonly person: Person }[];
  /** In the order of their ids. */
  readonly purchases: { readonly id: number; readonly bought: Purchase }[];
  readonly vouchers: { readonly code: number; readonly issued: Voucher; uses: number }[];
  /** A key that may undo uses. */
  readonly keyId: number;
  /** Counts steps, so that no two fall on the same second of a day. */
  step: number;
  /** Purchases that were recorded although no client was told: every answer said that it repeats another. */
  untold: number;
}

/** A person as both sides know them. */
export interface Known {
  readonly email: string;
  readonly person: Person;
  userId: number | null;
  code: number | null;
}

export async function begin(
  db: Database,
  till: Till,
  { zone, startsIn, doubles, rules }: RandomProgram,
): Promise<World> {
  const slug = `model-${randomBytes(6).toString('hex')}`;
  const now = Date.UTC(2027, 0, 1, 12) + startsIn * DAY_MS;
  const double = doubles ? ([now + 10 * DAY_MS + 5_500, now + 40 * DAY_MS + 5_500] as const) : null;
  const model = new Model({ ...rules, zone, double }, OFFERS, now);
  const commerceId = await apply(db, slug, model.rules);
  await setClock(db, commerceId, new Date(now));
  const people = Array.from({ length: PEOPLE }, (_, i) => ({
    email: `p${i}-${slug}@example.com`,
    person: model.stranger(),
    userId: null,
    code: null,
  }));
  return {
    db,
    till,
    commerceId,
    slug,
    model,
    people,
    erased: [],
    purchases: [],
    vouchers: [],
    keyId: (await createKey(db, commerceId, 'returns', { scopes: ['undo'] })).id,
    step: 0,
    untold: 0,
  };
}

/** Applies these rules to the commerce with that slug. */
export async function apply(db: Database, slug: string, rules: Rules): Promise<number> {
  return (await applyProgram(db, programOf(slug, rules))).commerceId!;
}

/** Returns the program with these rules. */
export function programOf(slug: string, rules: Rules): Program {
  const { mode, months, returns, ceiling, measure, validMonths, ladder, welcome } = rules;
  const checked = checkProgram({
    slug,
    name: slug,
    currency: 'EUR',
    sandbox: true,
    time_zone: rules.zone,
    earning: {
      ...earningFields(rules),
      max_amount: ceiling,
      returns,
      pending: rules.waits === null ? null : { days: rules.waits },
    },
    points_expiration: mode === 'none' ? { mode } : { mode, months },
    codes: { undo_days: UNDO_DAYS },
    levels: {
      threshold_type: measure,
      valid_months: validMonths,
      ladder: ladder.map(({ id, threshold, multiplier, gift }) => ({
        id,
        name: `Tier ${id}`,
        threshold,
        points_multiplier: multiplier / 1000,
        benefit: gift ? `tier-${id}` : null,
      })),
    },
    stamps: stampFields(rules.stamps),
    benefits: [
      { ...described(STAMPED), cost: 0, on_sale: false },
      ...OFFERS.map(({ id, cost, limit, validDays }) => ({
        ...described(id),
        cost,
        buy_limit: limit,
        valid_days: validDays,
      })),
      ...TIER_IDS.map((id) => ({ ...described(`tier-${id}`), benefit_type: 'level', cost: 0 })),
    ],
    rewards: { welcome: welcome === null ? null : { points: welcome } },
  });
  if (!checked.ok) throw new Error(JSON.stringify(checked.problems));
  return checked.program;
}

function described(id: string) {
  return { id, type: 'percentage_discount', title: id, value: 10 };
}
