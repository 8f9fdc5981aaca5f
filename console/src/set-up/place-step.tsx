import type { SetUp } from '@loyalty/sdk/admin';
import { useMemo, useState, type FormEvent } from 'react';
import { languageOf, type Language } from '../language.ts';
import { Choice } from '../ui/field.tsx';
import { useCurrencies } from '../ui/use-currencies.ts';
import { Next } from './next.tsx';
import { usePreview, useStep } from './set-up-state.ts';
import { Question, Shell } from './shell.tsx';
import { useSetUpTexts } from './texts.ts';

/** Currency, time zone and language, guessed from the browser. */
export function PlaceStep({ setUp }: { setUp: SetUp }) {
  const t = useSetUpTexts();
  const { answers } = setUp;
  const [currency, setCurrency] = useState(answers.currency ?? 'EUR');
  const [zone, setZone] = useState(answers.time_zone ?? 'UTC');
  const [locale, setLocale] = useState(answers.locale ?? 'en');
  const currencies = useCurrencies(currency);
  const zones = useMemo(() => zonesWith(zone), [zone]);
  const save = useStep('place', setUp);
  const changed = { currency, time_zone: zone, locale };
  function submit(event: FormEvent) {
    event.preventDefault();
    if (!save.isPending) save.mutate(changed);
  }
  return (
    <Shell setUp={usePreview(setUp, changed)} step="place">
      <Question>{t.placeTitle}</Question>
      <p>{t.placeText}</p>
      <form className="form" onSubmit={submit} onChange={save.reset} noValidate>
        <Choice
          label={t.currency}
          hint={t.currencyHint}
          value={currency}
          options={currencies}
          onChange={(event) => setCurrency(event.currentTarget.value)}
        />
        <Choice
          label={t.zone}
          hint={t.zoneHint}
          value={zone}
          options={zones}
          onChange={(event) => setZone(event.currentTarget.value)}
        />
        <Choice
          label={t.language}
          hint={t.languageHint}
          value={languageOf(locale)}
          options={(['en', 'es'] as const).map((one) => [one, t.languages[one]] as const)}
          onChange={(event) =>
            setLocale(localeFor(event.currentTarget.value as Language, answers.locale ?? 'en'))
          }
        />
        <Next step="place" busy={save.isPending} error={save.error} />
      </form>
    </Shell>
  );
}

function zonesWith(chosen: string): readonly (readonly [string, string])[] {
  const all = new Set([...Intl.supportedValuesOf('timeZone'), 'UTC', chosen]);
  return [...all].sort().map((zone) => [zone, zone.replaceAll('_', ' ')] as const);
}

/** The language with the region of the first guess, if that is of the language: `es-AR`. */
function localeFor(language: Language, guessed: string): string {
  return languageOf(guessed) === language ? guessed : language;
}
