import './poster.css';
import type { StaffCommerce } from '@loyalty/sdk/admin';
import { useMemo } from 'react';
import { createFormat } from '../format.ts';
import { ShopLogo } from '../frame/shop-logo.tsx';
import { languageOf } from '../language.ts';
import { useProgram } from '../session.ts';
import { QrPicture } from '../ui/qr-picture.tsx';

/** The poster for the counter: how points are earned, and a code that leads to the members' page. In the members' language. */
export function Poster({
  shop,
  label,
  plain = false,
}: {
  shop: StaffCommerce;
  label: string;
  plain?: boolean;
}) {
  const program = useProgram();
  const words = WORDS[languageOf(shop.locale)];
  const format = useMemo(() => createFormat(shop.locale, 'UTC', shop.currency), [shop]);
  const price = program.data?.money_per_point;
  return (
    <article
      className={plain ? 'poster plain' : 'poster'}
      lang={languageOf(shop.locale)}
      aria-label={label}
      aria-busy={price === undefined}
    >
      <header>
        <p className="poster-shop">
          <ShopLogo shop={shop} />
          <span>{shop.name}</span>
        </p>
        <p className="poster-promise">{words.promise}</p>
        {price !== undefined && <p className="poster-rule">{words.rule(format.money(price))}</p>}
      </header>
      <div className="poster-code">
        <QrPicture text={shop.club_url} label={shop.club_url} />
        <p className="poster-scan">{words.scan}</p>
        <p className="poster-url">{shop.club_url.replace(/^https?:\/\//, '')}</p>
      </div>
      <ol className="poster-steps">
        {words.steps.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
    </article>
  );
}

const WORDS = {
  en: {
    promise: 'Collect points here',
    rule: (amount: string) => `1 point for each ${amount}`,
    scan: 'Scan and join',
    steps: ['Scan the code with your phone', 'Join with your e-mail address', 'Show your card when you pay'],
  },
  es: {
    promise: 'Aquí sumas puntos',
    rule: (amount: string) => `1 punto por cada ${amount}`,
    scan: 'Escanea y únete',
    steps: ['Escanea el código con tu teléfono', 'Únete con tu correo', 'Muestra tu tarjeta al pagar'],
  },
};
