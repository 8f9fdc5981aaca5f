import type { MyCard } from '@loyalty/sdk';
import { useClub } from './club.ts';
import { QrPicture } from './qr-picture.tsx';

/** The member's own code, which the till scans to record a purchase. */
export function CardView({ card }: { card: MyCard }) {
  const { t } = useClub();
  const digits = String(card.client_code).replaceAll(/\d{3}(?=\d)/g, '$& ');
  return (
    <section class="card">
      <h2>{t.card}</h2>
      <QrPicture text={String(card.client_code)} label={t.codeAlt(digits)} />
      <p class="digits">{digits}</p>
    </section>
  );
}
