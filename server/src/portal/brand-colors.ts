/** Colours of a page in a shop's own colour, each as `#rrggbb`. */
export interface BrandColors {
  readonly brand: string;
  /** For text on the brand's colour. */
  readonly onBrand: string;
  /** The brand's colour, as dark as text on light ground has to be. */
  readonly accentOnLight: string;
  /** The brand's colour, as light as text on dark ground has to be. */
  readonly accentOnDark: string;
}

/** The darkest of the light grounds and the lightest of the dark ones: what is readable there is so everywhere. */
export const LIGHT_GROUND = '#eef0f3';
export const DARK_GROUND = '#24272d';

/** WCAG 2.2 AA for text of any size, with a little to spare for rounding. */
const ENOUGH = 4.55;

/** What a page needs of any colour, readable whatever the shop has chosen. */
export function brandColorsOf(brand: string): BrandColors {
  return {
    brand,
    onBrand: contrast(brand, '#ffffff') >= contrast(brand, '#000000') ? '#ffffff' : '#000000',
    accentOnLight: movedTo('#000000', brand, LIGHT_GROUND),
    accentOnDark: movedTo('#ffffff', brand, DARK_GROUND),
  };
}

/** The contrast of two colours as WCAG defines it, from 1 to 21. */
export function contrast(a: string, b: string): number {
  const [light, dark] = [luminance(a), luminance(b)].toSorted((x, y) => y - x) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

/** The colour as it is, or mixed with as little black or white as makes it readable on that ground. */
function movedTo(end: string, color: string, ground: string): string {
  for (let share = 0; share < 1; share += 0.02) {
    const mixed = mix(color, end, share);
    if (contrast(mixed, ground) >= ENOUGH) return mixed;
  }
  return end;
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
