/** The colors of a club's page, each as `#rrggbb`. `docs/design.md` says what each is for. */
export interface BrandColors {
  readonly brand: string;
  /** Text on the brand color. */
  readonly onBrand: string;
  readonly light: SchemeColors;
  readonly dark: SchemeColors;
}

/** The colors that differ between a light and a dark page. */
export interface SchemeColors {
  /** The brand color, dark or light enough for text on every background of the page. */
  readonly accent: string;
  /** Text on the accent color. */
  readonly onAccent: string;
  /** A background in a hint of the brand color, for chips and icons. Text on it has the accent color. */
  readonly tint: string;
  /** The large colored area at the top, from its brightest corner to its darkest. */
  readonly ground: readonly [lift: string, base: string, deep: string];
  /** Text on any of the three. */
  readonly onGround: string;
  /** Behind text on the ground, to set it apart. It makes the text more readable, never less. */
  readonly veil: string;
}

/** The brand color of a shop that has not chosen one. */
export const DEFAULT_BRAND = '#334155';

// The darkest light background and the lightest dark one. A text color that is readable on these is readable on all.
export const LIGHT_GROUND = '#eef0f3';
export const DARK_GROUND = '#24272d';

/** WCAG 2.2 AA asks for 4.5 for text of any size. The rest is a margin for rounding. */
const MIN_CONTRAST = 4.55;

/** Derives the colors of a page from any brand color, so that its text is always readable. */
export function deriveBrandColors(brand: string): BrandColors {
  return { brand, onBrand: textOn(brand), light: deriveLight(brand), dark: deriveDark(brand) };
}

function deriveLight(brand: string): SchemeColors {
  const tint = mix(brand, '#ffffff', 0.9);
  const onGround = textOn(brand);
  const isDark = onGround === '#ffffff';
  return {
    accent: mixUntilReadable(brand, '#000000', [LIGHT_GROUND, tint]),
    onAccent: '#ffffff',
    tint,
    ground: [
      mixWhileReadable(brand, '#ffffff', 0.2, onGround),
      brand,
      mixWhileReadable(brand, '#000000', 0.32, onGround),
    ],
    onGround,
    veil: isDark ? '#00000038' : '#ffffff66',
  };
}

function deriveDark(brand: string): SchemeColors {
  const tint = mix(brand, DARK_GROUND, 0.82);
  // Dark enough for a dark page, and never so dark that it looks like the page itself.
  const base = mixUntilReadable(mix(brand, '#ffffff', 0.06), '#000000', ['#ffffff'], 8);
  return {
    accent: lightenUntilReadable(brand, [DARK_GROUND, tint]),
    onAccent: '#000000',
    tint,
    ground: [mixWhileReadable(base, '#ffffff', 0.14, '#ffffff'), base, mix(base, '#000000', 0.35)],
    onGround: '#ffffff',
    veil: '#00000052',
  };
}

/** Returns the contrast ratio of two colors as WCAG defines it, from 1 to 21. */
export function contrast(a: string, b: string): number {
  const [light, dark] = [luminance(a), luminance(b)].toSorted((x, y) => y - x) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

function textOn(color: string): '#ffffff' | '#000000' {
  return contrast(color, '#ffffff') >= contrast(color, '#000000') ? '#ffffff' : '#000000';
}

/** Mixes a color with just enough black or white to make it readable on all these backgrounds. */
function mixUntilReadable(
  color: string,
  blackOrWhite: string,
  grounds: readonly string[],
  least = MIN_CONTRAST,
): string {
  for (let share = 0; share < 1; share += 0.02) {
    const mixed = mix(color, blackOrWhite, share);
    if (grounds.every((ground) => contrast(mixed, ground) >= least)) return mixed;
  }
  return blackOrWhite;
}

/** White alone makes a color gray, and a gray button looks disabled. So the hue stays, and the saturation is never low. */
function lightenUntilReadable(color: string, grounds: readonly string[]): string {
  if (grounds.every((ground) => contrast(color, ground) >= MIN_CONTRAST)) return color;
  const parts = channels(color);
  const [least, most] = [Math.min(...parts), Math.max(...parts)];
  const spread = most - least;
  const start = (most + least) / 2 / 255;
  // A color that is nearly black or gray has a hue only by chance.
  const own = (spread / 255 / (1 - Math.abs(2 * start - 1) || 1)) * Math.min(1, spread / 40);
  const saturation = Math.min(0.85, Math.max(own, 0.65 * Math.min(1, spread / 80)));
  for (let lightness = start; lightness < 1; lightness += 0.01) {
    const reach = saturation * (1 - Math.abs(2 * lightness - 1)) * 255;
    const low = lightness * 255 - reach / 2;
    const lighter = parts.map((part) => Math.round(low + ((part - least) / (spread || 1)) * reach));
    const hex = toHex(spread === 0 ? parts.map(() => Math.round(lightness * 255)) : lighter);
    if (grounds.every((ground) => contrast(hex, ground) >= MIN_CONTRAST)) return hex;
  }
  return '#ffffff';
}

/** Mixes a background with up to this share of black or white, as long as the text on it stays readable. */
function mixWhileReadable(color: string, blackOrWhite: string, most: number, text: string): string {
  let mixed = color;
  for (let share = 0; share <= most; share += 0.02) {
    const next = mix(color, blackOrWhite, share);
    if (contrast(next, text) < MIN_CONTRAST) break;
    mixed = next;
  }
  return mixed;
}

function mix(a: string, b: string, share: number): string {
  const other = channels(b);
  const mixed = channels(a).map((channel, i) => Math.round(channel + (other[i]! - channel) * share));
  return toHex(mixed);
}

function toHex(parts: readonly number[]): string {
  return `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}

function luminance(color: string): number {
  const [red, green, blue] = channels(color).map((channel) => {
    const part = channel / 255;
    return part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function channels(color: string): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
}
