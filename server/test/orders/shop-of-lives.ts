import { benefit, makeShop } from '#test/make.ts';
import type { Person } from './lives.ts';
import { MONEY_PER_POINT } from './oracle.ts';

const CODES = 2;

/** A shop whose orders restore their codes, and its members, each with codes to use. */
export async function makeShopOfLives(): Promise<{ id: number; person: () => Promise<Person> }> {
  const shop = await makeShop({
    earning: { money_per_point: MONEY_PER_POINT },
    benefits: [benefit('coffee', { cost: 0 })],
    codes: { undo_days: 30, with_return: 'restore' },
  });
  return {
    id: shop.id,
    async person() {
      const member = await shop.member();
      const codes: number[] = [];
      for (let i = 0; i < CODES; i += 1) codes.push(await shop.voucher(member, 'coffee'));
      return { clientCode: member.code, codes: codes.toSorted((a, b) => a - b) };
    },
  };
}
