import type { ReactNode } from 'react';
import { useTexts } from '../texts/texts.ts';

/** A page outside of any shop, such as the sign-in: one card in the middle. */
export function Plain({ children }: { children: ReactNode }) {
  const t = useTexts();
  return (
    <main className="plain-page">
      <p className="plain-name">
        <span className="logo" aria-hidden="true">
          ◆
        </span>
        {t.console}
      </p>
      <div className="card plain-card">{children}</div>
    </main>
  );
}
