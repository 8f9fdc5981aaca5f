import type { StaffCommerce } from '@loyalty/sdk/admin';
import { useState } from 'react';
import { firstLetter } from '../format.ts';

/** The shop's own picture, or its first letter on its color. */
export function ShopLogo({ shop }: { shop: StaffCommerce }) {
  const [isBroken, setBroken] = useState(false);
  if (shop.logo !== null && !isBroken)
    return (
      <img
        className="logo"
        src={shop.logo}
        alt=""
        referrerPolicy="no-referrer"
        onError={() => setBroken(true)}
      />
    );
  return (
    <span
      className="logo"
      aria-hidden="true"
      style={{ background: shop.color, color: isLight(shop.color) ? '#000' : '#fff' }}
    >
      {firstLetter(shop.name)}
    </span>
  );
}

/** True if black stands out better from the color than white, as WCAG measures it. */
function isLight(color: string): boolean {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179;
}
