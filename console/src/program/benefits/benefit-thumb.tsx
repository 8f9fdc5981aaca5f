import type { ProgramBenefit } from '@loyalty/sdk/admin';
import { useState } from 'react';
import { Icon } from '../../ui/icon.tsx';
import { smallPicture } from '../small-picture.ts';

/** The picture of a benefit, small. Without one, its color. */
export function BenefitThumb({
  benefit: { image, color },
}: {
  benefit: Pick<ProgramBenefit, 'image' | 'color'>;
}) {
  const [broken, setBroken] = useState<string | null>(null);
  if (typeof image === 'string' && image !== '' && image !== broken)
    return (
      <img
        className="benefit-thumb"
        src={smallPicture(image)}
        alt=""
        loading="lazy"
        referrerPolicy="no-referrer"
        onError={() => setBroken(image)}
      />
    );
  return (
    <span
      className="benefit-thumb"
      style={/^#[0-9a-f]{6}$/i.test(color ?? '') ? { background: color! } : undefined}
    >
      <Icon name="ticket" />
    </span>
  );
}
