/** The colours of a club's page, each as `#rrggbb`. */
export interface BrandColors {
  readonly brand: string;
  /** Text on the brand colour. */
  readonly onBrand: string;
  /** The brand colour, dark enough for text on a light background. */
  readonly accentOnLight: string;
  /** The brand colour, light enough for text on a dark background. */
  readonly accentOnDark: string;
}

// The darkest light background and the lightest dark one. A text colour that is readable on these is readable on all.
export const LIGHT_GROUND = '#eef0f3';
export const DARK_GROUND = '#24272d';

/** WCAG 2.2 AA asks for 4.5 for text of any size. The rest is a margin for rounding. */
const MIN_CONTRAST = 4.55;

/** Derives the colours of a page from any brand colour, so that its text is always readable. */
export function deriveBrandColors(brand: string): BrandColors {
  return {
    brand,
    onBrand: contrast(brand, '#ffffff') >= contrast(brand, '#000000') ? '#ffffff' : '#000000',
    accentOnLight: mixUntilReadable(brand, '#000000', LIGHT_GROUND),
    accentOnDark: mixUntilReadable(brand, '#ffffff', DARK_GROUND),
  };
}

/** Returns the contrast ratio of two colours as WCAG defines it, from 1 to 21. */
export function contrast(a: string, b: string): number {
  const [light, dark] = [luminance(a), luminance(b)].toSorted((x, y) => y - x) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

/** Mixes a colour with just enough black or white to make it readable on a background. */
function mixUntilReadable(color: string, blackOrWhite: string, ground: string): string {
  for (let share = 0; share < 1; share += 0.02) {
    const mixed = mix(color, blackOrWhite, share);
    if (contrast(mixed, ground) >= MIN_CONTRAST) return mixed;
  }
  return blackOrWhite;
}

function mix(a: string, b: string, share: number): string {
  const other = channels(b);
  const mixed = channels(a).map((channel, i) => Math.round(channel + (other[i]! - channel) * share));
  return `#${mixed.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
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
