import type { Benefit } from '@loyalty/sdk';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useClub, type Club } from './club.ts';

/** One benefit of the catalog. `children` are its buttons or its progress. */
export function BenefitCard(props: {
  benefit: Benefit;
  /** One level below the heading above the cards. */
  heading: 'h2' | 'h3';
  children?: ComponentChildren;
}) {
  const { benefit, heading: Heading, children } = props;
  const { t, f, shopLocale } = useClub();
  const { color, expiration, cost, description } = benefit;
  return (
    <li class="card benefit" style={color === null ? undefined : { borderTopColor: color }}>
      <Picture src={benefit.prize?.image ?? null} />
      <Heading lang={shopLocale}>{titleOf(benefit)}</Heading>
      <p class="tag">{describeGift(benefit, t, f)}</p>
      {description && (
        <p class="description" lang={shopLocale}>
          {description}
        </p>
      )}
      {expiration !== null && <p class="small">{t.until(f.day(expiration))}</p>}
      <div class="benefit-end">
        <p class="cost">{t.points(cost, f)}</p>
        {children}
      </div>
    </li>
  );
}

export function titleOf(benefit: Benefit): string {
  return benefit.prize?.title ?? benefit.description;
}

/** Returns the discount or the free product, such as "10% off". */
function describeGift({ type, prize }: Benefit, t: Club['t'], f: Club['f']): string {
  if (type === 'free_product')
    return prize?.product?.name ? t.freeProductNamed(prize.product.name) : t.freeProduct;
  const value = prize?.value ?? 0;
  return t.off(type === 'percentage_discount' ? f.percent(value) : f.amount(value));
}

/** Shows nothing if the picture cannot be loaded. */
function Picture({ src }: { src: string | null }) {
  const [broken, setBroken] = useState(false);
  if (src === null || broken) return null;
  return <img class="picture" src={src} alt="" loading="lazy" onError={() => setBroken(true)} />;
}
