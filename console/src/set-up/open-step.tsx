import type { SetUp, SetUpStep } from '@loyalty/sdk/admin';
import { useMutation } from '@tanstack/react-query';
import { Fragment, useContext, useState, type FormEvent, type ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { isStatus } from '../api.ts';
import { languageOf, LocaleContext } from '../language.ts';
import { openSession } from '../session.ts';
import { useTexts } from '../texts/texts.ts';
import { TextButton } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { Next } from './next.tsx';
import { askAgainIfLost, keepSetUp, pathOf, setUpApi, useSetUpFormat } from './set-up-state.ts';
import { Question, Shell } from './shell.tsx';
import { useSetUpTexts } from './texts.ts';

/** All answers once more, each with a way back to it. Then the shop opens. */
export function OpenStep({ setUp }: { setUp: SetUp }) {
  const t = useSetUpTexts();
  const shared = useTexts();
  const locale = useContext(LocaleContext);
  const [, go] = useLocation();
  const { answers, benefits } = setUp;
  const format = useSetUpFormat(answers);
  const [slug, setSlug] = useState<string | null>(answers.slug);
  const open = useMutation({
    async mutationFn() {
      const kept = await setUpApi.saveSetUp({ slug });
      const session = await setUpApi.openShop();
      return { session, slug: kept.slug };
    },
    onSuccess({ session, slug }) {
      openSession(session);
      keepSetUp(null);
      const shop = session.commerces.find((one) => one.slug === slug) ?? session.commerces[0];
      go(`/${shop?.slug}/first-day`, { replace: true });
    },
    onError: askAgainIfLost,
  });
  const benefit = benefits.find(({ kind }) => kind === answers.benefit);
  const currency = new Intl.DisplayNames(locale, { type: 'currency' }).of(answers.currency ?? 'EUR');
  const isBlank = slug?.trim() === '';
  const isRefused = isBlank || isStatus(open.error, 422);
  const [before, after] = splitAddress(setUp.portal_url ?? '');
  function submit(event: FormEvent) {
    event.preventDefault();
    if (!isBlank && !open.isPending) open.mutate();
  }
  return (
    <Shell setUp={setUp} step="open">
      <Question>{t.openTitle}</Question>
      <p>{t.openText}</p>
      <form className="form" onSubmit={submit} noValidate>
        <dl className="checked">
          <Fact name={t.factPerson}>{setUp.email}</Fact>
          <Fact name={t.factName} step="shop">
            {answers.name}
          </Fact>
          <Fact name={t.factPlace} step="place">
            {currency}, {answers.time_zone?.replaceAll('_', ' ')},{' '}
            {t.languages[languageOf(answers.locale ?? 'en')]}
          </Fact>
          <Fact name={t.factRule} step="points">
            {t.factRuleText(format.money(answers.money_per_point ?? 1))}
          </Fact>
          <Fact name={t.factBenefit} step="benefit">
            {benefit === undefined ? t.noBenefit : `${benefit.title}, ${shared.points(benefit.cost, format)}`}
          </Fact>
        </dl>
        <div className="field">
          <p className="label">{t.address}</p>
          <p className="address">
            {before.split(/(?<=[/.:])/).map((part, i) => (
              <Fragment key={i}>
                {part}
                <wbr />
              </Fragment>
            ))}
            <b>{slug ?? after}</b>
          </p>
          {slug === null ? (
            <p>
              <TextButton onClick={() => setSlug(setUp.slug)}>{t.changeAddress}</TextButton>
            </p>
          ) : (
            <Field
              label={t.addressLabel}
              hint={t.addressHint}
              autoFocus
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              readOnly={open.isPending}
              maxLength={64}
              value={slug}
              problem={isRefused ? t.addressProblem : null}
              onChange={(event) => {
                setSlug(event.currentTarget.value.toLowerCase());
                open.reset();
              }}
            />
          )}
        </div>
        <p className="small">{t.openNote}</p>
        <Next
          step="open"
          busy={open.isPending}
          error={isRefused && slug !== null ? null : open.error}
          label={t.open}
        />
      </form>
    </Shell>
  );
}

function Fact({ name, step, children }: { name: string; step?: SetUpStep; children: ReactNode }) {
  const t = useSetUpTexts();
  return (
    <div>
      <dt className="label">{name}</dt>
      <dd>{children}</dd>
      {step !== undefined && (
        <dd>
          <Link href={pathOf(step)} aria-label={`${t.change}: ${name}`}>
            {t.change}
          </Link>
        </dd>
      )}
    </div>
  );
}

/** The address without its last part, and that part. */
function splitAddress(url: string): readonly [string, string] {
  const at = url.lastIndexOf('/') + 1;
  return [url.slice(0, at).replace(/^https?:\/\//, ''), url.slice(at)];
}
