import type { Benefit } from '@loyalty/sdk';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

type Kind = 'coffee' | 'bread' | 'cake' | 'percent' | 'money' | 'parcel' | 'gift';

/** A benefit's picture. If it has none or it cannot be loaded, one is drawn by its kind in the shop's colors. */
export function Picture({ benefit }: { benefit: Benefit }) {
  const src = benefit.prize?.image ?? null;
  const [broken, setBroken] = useState<string | null>(null);
  if (src !== null && src !== broken)
    return <img class="picture" src={src} alt="" loading="lazy" onError={() => setBroken(src)} />;
  return <Drawing kind={kindOf(benefit)} color={benefit.color} />;
}

/** Words in a benefit's texts that tell its kind, in the portal's languages. The first that fits is taken. */
const WORDS: readonly [Kind, RegExp][] = [
  ['cake', /\b(cake|cookie|brownie|muffin|dessert|torta|tarta|pastel|postre|galleta|porción|bizcocho)/i],
  ['coffee', /\b(coffee|espresso|latte|cappuccino|flat white|tea|café|cortado|té)\b/i],
  ['bread', /\b(bread|loaf|bun|roll|croissant|bagel|sandwich|breakfast|toast|pan|medialuna|desayuno)s?\b/i],
  ['parcel', /\b(hamper|box|bag|basket|delivery|shipping|cesta|caja|bolsa|envío)\b/i],
];

function kindOf({ type, prize, description }: Benefit): Kind {
  if (type === 'percentage_discount') return 'percent';
  if (type === 'absolute_discount') return 'money';
  const text = `${prize?.title ?? ''} ${prize?.product?.name ?? ''} ${description}`;
  return WORDS.find(([, words]) => words.test(text))?.[0] ?? 'gift';
}

/** The shapes have classes for light, middle and dark tones, which the style sheet makes from the shop's color. */
const DRAWINGS: Readonly<Record<Kind, ComponentChildren>> = {
  coffee: (
    <>
      <path class="a" d="M96 82h118v42a46 46 0 0 1-46 46h-26a46 46 0 0 1-46-46z" />
      <path class="a-line" d="M212 94h12a22 22 0 0 1 0 44h-14" />
      <path class="d" d="M108 92h94v6a22 22 0 0 1-22 22h-50a22 22 0 0 1-22-22z" />
      <path class="m-line" d="M138 66q-9-10 0-20t0-20M170 66q-9-10 0-20t0-20" />
    </>
  ),
  bread: (
    <>
      <path class="d" d="M70 150c0-52 40-90 90-90s90 38 90 90a14 14 0 0 1-14 14H84a14 14 0 0 1-14-14z" />
      <path class="t-line" d="m112 94 16 34M154 82l16 38M196 90l16 34" />
    </>
  ),
  cake: (
    <>
      <path class="m" d="m82 118 122-50c26 8 40 28 40 50z" />
      <path class="a" d="M82 118h162v16H82zM82 148h162v18H82z" />
      <path class="d" d="M82 134h162v14H82z" />
      <circle class="d" cx="206" cy="58" r="15" />
    </>
  ),
  percent: (
    <g transform="rotate(-8 160 100)">
      <path
        class="d"
        d="M92 54h136a14 14 0 0 1 14 14v16a17 17 0 0 0 0 34v16a14 14 0 0 1-14 14H92a14 14 0 0 1-14-14v-16a17 17 0 0 0 0-34V68a14 14 0 0 1 14-14z"
      />
      <path class="a-line thin" d="m139 126 42-52" />
      <circle class="a-line thin" cx="140" cy="82" r="9" />
      <circle class="a-line thin" cx="180" cy="119" r="9" />
    </g>
  ),
  money: (
    <>
      <circle class="m" cx="190" cy="112" r="46" />
      <circle class="d" cx="138" cy="94" r="52" />
      <circle class="a-line thin" cx="138" cy="94" r="36" />
      <path class="a-line thin" d="M124 94h28" />
    </>
  ),
  parcel: (
    <>
      <path class="d" d="M86 92h148l-12 68a12 12 0 0 1-12 10H110a12 12 0 0 1-12-10z" />
      <path class="m" d="M78 78h164v20H78z" />
      <path class="m-line" d="M116 78c0-64 88-64 88 0" />
      <path class="t-line thin" d="M130 112v42M160 112v42M190 112v42" />
    </>
  ),
  gift: (
    <>
      <path class="d" d="M92 98h136v60a12 12 0 0 1-12 12H104a12 12 0 0 1-12-12z" />
      <path class="m" d="M82 74h156v30H82z" />
      <path class="a" d="M149 74h22v96h-22z" />
      <path
        class="a-line thin"
        d="M160 72c-12-40-56-36-46-12 5 12 30 12 46 12zm0 0c12-40 56-36 46-12-5 12-30 12-46 12z"
      />
    </>
  ),
};

/** Each kind has its own place for the circle behind it, so that a catalog without pictures is not all alike. */
const CIRCLES: Readonly<Record<Kind, readonly [x: number, y: number]>> = {
  coffee: [250, 40],
  bread: [66, 168],
  cake: [252, 172],
  percent: [56, 36],
  money: [262, 60],
  parcel: [60, 60],
  gift: [256, 150],
};

export const KINDS = Object.keys(CIRCLES) as Kind[];

export function Drawing({ kind, color }: { kind: Kind; color?: string | null }) {
  const [x, y] = CIRCLES[kind];
  return (
    <svg
      class="picture drawing"
      viewBox="0 0 320 200"
      preserveAspectRatio="xMidYMid slice"
      aria-hidden="true"
      style={color ? { '--own': color } : undefined}
    >
      <rect class="t" width="320" height="200" />
      <circle class="c" cx={x} cy={y} r="96" />
      {DRAWINGS[kind]}
    </svg>
  );
}
