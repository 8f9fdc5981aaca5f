import type { RedeemableBenefit } from '@loyalty/sdk';
import { useRef } from 'preact/hooks';
import { useClub } from './club.ts';
import { useLoaded } from './use-loaded.ts';

/** `void`: the shop has taken the code back. */
export type VoucherState = 'good' | 'used' | 'past' | 'void';

/** Whether the till can still redeem a code, by the commerce's time. */
export function voucherState(voucher: RedeemableBenefit, now: Date): Exclude<VoucherState, 'void'> {
  if (voucher.used) return 'used';
  return voucher.due_date !== null && new Date(voucher.due_date) <= now ? 'past' : 'good';
}

const EVERY_MS = 3_000;

/** Follows a code that is on the screen, so that it changes by itself when the till redeems it. */
export function useVoucherState(voucher: RedeemableBenefit): {
  readonly state: VoucherState;
  /** True if the service does not answer, so that another state may be true by now. */
  readonly isStale: boolean;
} {
  const { client, now } = useClub();
  const isOver = useRef(false);
  const { value, isStale } = useLoaded(
    async (signal) => {
      const vouchers = await client.listMyBenefits({ signal, timeoutMs: 5_000 });
      const same = vouchers.find((one) => one.client_benefit_code === voucher.client_benefit_code);
      return { voucher: same ?? null };
    },
    { now, ...(!isOver.current && { everyMs: EVERY_MS }) },
  );
  const current = value === null ? voucher : value.voucher;
  const state = current === null ? 'void' : voucherState(current, now());
  isOver.current = state !== 'good';
  return { state, isStale };
}
