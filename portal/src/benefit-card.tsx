import type { Benefit } from '@loyalty/sdk';
import type { ComponentChildren } from 'preact';
import { useClub, type Club } from './club.ts';
import { Picture } from './ui/picture.tsx';

/** One benefit of the catalog, its picture first. `children` are its button or its progress. */
export function BenefitCard(props: {
  benefit: Benefit;
  /** One level below the heading above the cards. */
  heading: 'h2' | 'h3';
  children?: ComponentChildren;
}) {
  const { benefit, heading: Heading, children } = props;
  const { t, f, shopLocale } = useClub();
  const { expiration, cost, description } = benefit;
  return (
    <li class="card benefit">
      <Picture benefit={benefit} />
      <div class="benefit-words">
        <Heading lang={shopLocale}>{titleOf(benefit)}</Heading>
        {description && (
          <p class="description" lang={shopLocale}>
            {description}
          </p>
        )}
        <GiftLine benefit={benefit} />
        {expiration !== null && <p class="small ending">{t.until(f.day(expiration))}</p>}
      </div>
      <div class="benefit-end">
        <p class="cost">{t.points(cost, f)}</p>
        {children}
      </div>
    </li>
  );
}

/** The discount or the free product, unless the title says it already. */
export function GiftLine({ benefit }: { benefit: Benefit }) {
  const { t, f } = useClub();
  const gift = describeGift(benefit, t, f);
  if (gift === null) return null;
  const what = benefit.prize?.product?.name ?? gift;
  if (plain(titleOf(benefit)).includes(plain(what))) return null;
  return <p class="small">{gift}</p>;
}

const plain = (text: string) => text.toLowerCase().replaceAll(/\s/g, '');

/** A benefit that costs more than the member has, with what is missing as a bar and in words. */
export function Missing({ cost, points }: { cost: number; points: number }) {
  const { t, f } = useClub();
  return (
    <div class="missing">
      <progress aria-hidden="true" max={cost} value={Math.max(0, points)} />
      <p class="small">{t.missing(cost - points, f)}</p>
    </div>
  );
}

/** The button that opens the purchase of a benefit. */
export function GetButton({ benefit, onBuy }: { benefit: Benefit; onBuy: (benefitId: string) => void }) {
  const { t, f } = useClub();
  return (
    <button
      type="button"
      class="button main compact"
      aria-label={t.getNamed(titleOf(benefit), t.points(benefit.cost, f))}
      onClick={() => onBuy(benefit.id)}
    >
      {t.get}
    </button>
  );
}

export function titleOf(benefit: Benefit): string {
  return benefit.prize?.title ?? benefit.description;
}

/** Returns the discount or the free product, such as "10% off". Null if no product is named: then the title says what it is. */
function describeGift({ type, prize }: Benefit, t: Club['t'], f: Club['f']): string | null {
  if (type === 'free_product') return prize?.product?.name ? t.freeProductNamed(prize.product.name) : null;
  const value = prize?.value ?? 0;
  return t.off(type === 'percentage_discount' ? f.percent(value) : f.amount(value));
}
