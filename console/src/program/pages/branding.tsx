import { useContext } from 'react';
import { LocaleContext } from '../../language.ts';
import { useCurrencies } from '../../ui/use-currencies.ts';
import { useEditing } from '../editing.ts';
import { ChoiceAt, TextAt, useAt } from '../parts.tsx';
import { PictureAt } from '../picture-at.tsx';
import { PortalPicture } from '../portal-picture.tsx';
import { SectionHead } from '../section-head.tsx';
import { useProgramTexts } from '../texts.ts';
import { usePageTexts } from './texts.ts';

const ZONES = Intl.supportedValuesOf('timeZone');

/** How members see the shop: its name, color and pictures, and where and in which currency it is. */
export default function BrandingPage() {
  const shared = useProgramTexts();
  const t = usePageTexts();
  const { program } = useEditing();
  const currencies = useCurrencies(program.currency);
  const languages = useLanguages(program.locale);
  const label = (path: string) => ({ path, label: shared.labels[path]! });
  return (
    <div className="with-side">
      <div className="stack">
        <SectionHead title={shared.sections.branding}>{t.brandingLead}</SectionHead>
        <section className="card inside form">
          <h2>{t.look}</h2>
          <TextAt {...label('name')} autoComplete="off" />
          <ColorAt {...label('color')} hint={t.colorHint} />
          <TextAt {...label('category_name')} hint={t.optionalHint} autoComplete="off" />
          <TextAt {...label('tagline')} hint={t.taglineHint} autoComplete="off" />
          <PictureAt {...label('logo')} hint={t.pictureHint} />
          <PictureAt {...label('cover')} hint={t.pictureHint} />
        </section>
      </div>
      <PortalPicture />
      <div className="stack">
        <section className="card inside form">
          <h2>{t.shop}</h2>
          <div className="field-pair">
            <ChoiceAt {...label('currency')} hint={t.currencyHint} options={currencies} />
            <ChoiceAt
              {...label('time_zone')}
              hint={t.zoneHint}
              options={[...new Set([program.time_zone, ...ZONES])].map((one) => [
                one,
                one.replaceAll('_', ' '),
              ])}
            />
            <ChoiceAt {...label('locale')} hint={t.localeHint} options={languages} />
            <ChoiceAt
              {...label('status')}
              options={(['active', 'paused'] as const).map((one) => [one, shared.statuses[one]])}
            />
          </div>
        </section>
      </div>
    </div>
  );
}

/** The languages that have texts of their own, and the one of the program, such as `es-AR`. */
function useLanguages(chosen: string): readonly (readonly [string, string])[] {
  const locale = useContext(LocaleContext);
  const names = new Intl.DisplayNames(locale, { type: 'language' });
  return [...new Set(['en', 'es', chosen])].map((one) => [one, languageName(names, one)]);
}

/** The name of a language, or the text itself where that is no tag: a file may bring anything into a draft. */
function languageName(names: Intl.DisplayNames, tag: string): string {
  try {
    const name = names.of(tag) ?? tag;
    return name.charAt(0).toLocaleUpperCase() + name.slice(1);
  } catch {
    return tag;
  }
}

/** A color, by the browser's own choice of colors or by its six digits. */
function ColorAt({ path, label, hint }: { path: string; label: string; hint: string }) {
  const t = usePageTexts();
  const { value, set } = useAt(path);
  const color = typeof value === 'string' ? value : '';
  return (
    <div className="color-at">
      <input
        type="color"
        aria-label={t.colorPick}
        value={/^#[0-9a-f]{6}$/i.test(color) ? color.toLowerCase() : '#334155'}
        onChange={(event) => set(event.currentTarget.value)}
      />
      <TextAt path={path} label={label} hint={hint} spellCheck={false} autoComplete="off" />
    </div>
  );
}
