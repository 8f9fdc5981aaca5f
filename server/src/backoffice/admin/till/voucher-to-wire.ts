import { pictureUrl } from '#pictures/picture-url.ts';
import { stateOfVoucher, type Voucher } from '#vouchers/voucher.ts';
import type { View } from './member-to-wire.ts';
import type { TillVoucherWire } from './wire.ts';

/** Returns a voucher as the back office shows it, with the name of the member who holds it. */
export function tillVoucherToWire(
  voucher: Voucher,
  { username, now }: { readonly username: string | null; readonly now: Date },
  { memberIds, serviceUrl }: Pick<View, 'memberIds' | 'serviceUrl'>,
): TillVoucherWire {
  const { benefit } = voucher;
  return {
    client_benefit_code: voucher.code,
    member_id: memberIds.toWire(voucher.memberId),
    username,
    benefit_id: benefit.id,
    title: benefit.title,
    description: benefit.description,
    type: benefit.type,
    value: benefit.value,
    image: pictureUrl(benefit.image, serviceUrl),
    color: benefit.color,
    source: voucher.source,
    cost: voucher.cost,
    issued_at: voucher.issuedAt,
    due_date: voucher.dueAt,
    state: stateOfVoucher(voucher, now),
    ended_at: voucher.usedAt ?? voucher.givenBackAt,
  };
}
