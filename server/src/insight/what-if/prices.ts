/** Counts what new prices of benefits would mean: who could still have paid what was bought, and who can pay it now. */
import type { Program } from '#program/program.ts';
import type { Recorded } from './read-history.ts';

export interface PriceFigures {
  readonly benefitId: string;
  readonly title: string;
  readonly before: number;
  readonly after: number;
  /** How often it was bought in the range. */
  bought: number;
  /** How many of these could have been paid at the new price, each by itself. */
  payable: number;
  /** Members who hold enough at the end of the range: for the price in force, and under the proposed program for the new one. */
  readonly able: { then: number; now: number };
}

/** Counts for each benefit that is for sale in both programs, at another price. */
export function createPrices(before: Program, after: Program) {
  const priced = before.benefits.flatMap((old): PriceFigures[] => {
    const next = after.benefits.find(({ id }) => id === old.id);
    if (next === undefined || old.benefit_type !== 'normal' || next.benefit_type !== 'normal') return [];
    if (next.cost === old.cost) return [];
    const { id: benefitId, title } = next;
    const figures = { bought: 0, payable: 0, able: { then: 0, now: 0 } };
    return [{ benefitId, title, before: old.cost, after: next.cost, ...figures }];
  });
  const byId = new Map(priced.map((one) => [one.benefitId, one]));
  return {
    all: priced as readonly PriceFigures[],
    /** @param balance what the member would have held at that moment */
    bought({ snapshot }: Recorded, balance: number): void {
      const { benefit = '' } = (snapshot ?? {}) as { benefit?: string };
      const one = byId.get(benefit);
      if (one === undefined) return;
      one.bought++;
      if (balance >= one.after) one.payable++;
    },
    /** @param held the balances of an active member at the end of the range */
    held(side: 'then' | 'now', points: number): void {
      for (const one of priced) if (points >= (side === 'then' ? one.before : one.after)) one.able[side]++;
    },
  };
}
