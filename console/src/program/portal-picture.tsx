import type { Program, ProgramBenefit } from '@loyalty/sdk/admin';
import { useQuery } from '@tanstack/react-query';
import { useState, type CSSProperties, type ReactNode } from 'react';
import { createFormat, firstLetter, useFormat, type Format } from '../format.ts';
import { languageOf, type Language } from '../language.ts';
import { colorsOf } from '../place.ts';
import { useDebounced } from '../ui/use-debounced.ts';
import { useEditing } from './editing.ts';
import { useProgramTexts } from './texts.ts';

/**
 * The portal as a visitor would see it under the draft: colors, words, pictures and the catalog, in the shop's language.
 * `shown` is the id of a benefit that must be among the few of the picture.
 */
export function PortalPicture({ shown }: { shown?: string }) {
  const t = useProgramTexts();
  const { program } = useEditing();
  const colors = useColors(program.color);
  const language = languageOf(typeof program.locale === 'string' ? program.locale : 'en');
  return (
    <figure className="aside portal-figure" aria-label={t.picture}>
      <div className="portal-picture" lang={language} style={colors} aria-hidden="true">
        <Visitor program={program} language={language} shown={shown} />
      </div>
      <figcaption className="small">{t.pictureText}</figcaption>
    </figure>
  );
}

function Visitor(props: { program: Program; language: Language; shown: string | undefined }) {
  const { program, language, shown } = props;
  const words = WORDS[language];
  const f = useShopFormat(program);
  const { earning, tagline, cover, name, logo } = program;
  const benefits = program.benefits
    .filter((one) => one.id === shown || (one.benefit_type === 'normal' && one.on_sale))
    .toSorted((a, b) => Number(b.id === shown) - Number(a.id === shown))
    .slice(0, 4);
  const money = typeof earning.money_per_point === 'number' ? f.money(earning.money_per_point) : '…';
  return (
    <>
      <div className="pp-ground">
        <p className="pp-shop">
          <Picture
            key={logo}
            src={logo}
            className="pp-logo"
            fallback={<span className="pp-logo">{firstLetter(name)}</span>}
          />
          <span>
            <b>{name}</b>
            {program.category_name}
          </span>
        </p>
        <p className="pp-title">{tagline ?? words.title(name)}</p>
        <p>{words.rule(money)}</p>
        <p className="pp-button">{words.join}</p>
        <Picture key={cover} src={cover} className="pp-cover" fallback={null} />
      </div>
      <p className="pp-head">{words.catalog}</p>
      <ul className="pp-cards">
        {benefits.map((benefit) => (
          <BenefitPicture key={benefit.id} benefit={benefit} f={f} words={words} />
        ))}
      </ul>
    </>
  );
}

function BenefitPicture({ benefit, f, words }: { benefit: ProgramBenefit; f: Format; words: Words }) {
  const { image, color, title, cost } = benefit;
  return (
    <li>
      <Picture
        key={image}
        src={image}
        className="pp-benefit"
        fallback={<span className="pp-benefit" style={isColor(color) ? { background: color } : undefined} />}
      />
      <b>{title}</b>
      <span>{typeof cost === 'number' ? words.points(f.number(cost)) : '…'}</span>
    </li>
  );
}

/** A picture by its address, or what stands there without one. */
function Picture(props: { src: unknown; className: string; fallback: ReactNode }) {
  const [isBroken, setBroken] = useState(false);
  const { src, className, fallback } = props;
  if (typeof src !== 'string' || !/^(https:\/)?\//.test(src) || isBroken) return fallback;
  return (
    <img
      className={className}
      src={src}
      alt=""
      referrerPolicy="no-referrer"
      onError={() => setBroken(true)}
    />
  );
}

function useShopFormat({ locale, currency }: Program): Format {
  const f = useFormat();
  try {
    return createFormat(locale, 'UTC', currency);
  } catch {
    // A language or currency that is still being typed.
    return f;
  }
}

const DEFAULT_COLOR = '#334155';

/** The colors that follow from the shop's own. They are those of the service, for a light page. */
function useColors(color: unknown): CSSProperties {
  const wanted = useDebounced(isColor(color) ? color.toLowerCase() : DEFAULT_COLOR, 200);
  const sheet = useQuery({
    queryKey: ['colors', wanted],
    queryFn: async ({ signal }) => (await fetch(colorsOf(wanted), { signal })).text(),
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: (before) => before,
  });
  const [, light = ''] = /:root\{([^}]*)\}/.exec(sheet.data ?? '') ?? [];
  return Object.fromEntries(light.split(';').map((line) => line.split(':'))) as CSSProperties;
}

const isColor = (color: unknown): color is string =>
  typeof color === 'string' && /^#[0-9a-f]{6}$/i.test(color);

interface Words {
  readonly title: (shop: string) => string;
  readonly rule: (money: string) => string;
  readonly points: (cost: string) => string;
  readonly join: string;
  readonly catalog: string;
}

/** The portal's own words, in the language of the shop and not in that of the reader. */
const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    title: (shop) => `Points at ${shop}`,
    rule: (money) => `1 point for every ${money}`,
    points: (cost) => `${cost} points`,
    join: 'Join the club',
    catalog: 'What you can have',
  },
  es: {
    title: (shop) => `Puntos en ${shop}`,
    rule: (money) => `1 punto por cada ${money}`,
    points: (cost) => `${cost} puntos`,
    join: 'Unirme al club',
    catalog: 'Lo que puedes conseguir',
  },
};
