import { readFileSync } from 'node:fs';
import { deriveBrandColors } from '#colors/brand-colors.ts';
import { Html, markup } from '#text/markup.ts';

/** The content of a mail before it is written as text and HTML. */
export interface Letter {
  readonly language: string;
  /** The shop's name. */
  readonly from: string;
  /** `#rrggbb` */
  readonly color: string;
  /** The address of a picture that mail clients show, or null. */
  readonly logo: string | null;
  readonly lines: readonly Line[];
  /** Why the mail was sent, and where to choose mails. Stands below the letter. */
  readonly foot: readonly (string | Link)[];
}

/** A paragraph, a heading, a code to type in, something that the member has or gets, or a link to follow. */
export type Line =
  | string
  | { readonly heading: string }
  | { readonly code: string }
  | { readonly figure: string; readonly caption: string }
  | Link;

interface Link {
  readonly link: string;
  readonly label: string;
}

/** Writes a letter as plain text. A code or a link has a line to itself, so it is easy to copy. */
export function writeText({ from, lines, foot }: Letter): string {
  return `${[...lines.map(writeTextLine), `-- \n${from}`, ...foot.map(writeTextLine)].join('\n\n')}\n`;
}

function writeTextLine(line: Line): string {
  if (typeof line === 'string') return line;
  if ('heading' in line) return line.heading;
  if ('code' in line) return line.code;
  return 'figure' in line ? `${line.figure}\n${line.caption}` : `${line.label}:\n${line.link}`;
}

/**
 * Writes a letter as HTML with inline styles, which all mail clients keep. The style sheet is only for dark mode and small
 * screens, and the letter does not need it. The shop's own logo is the only picture.
 */
export function writeHtml({ language, from, color, logo, lines, foot }: Letter): string {
  const { onBrand, light } = deriveBrandColors(color);
  const colors = { [BRAND]: color, [ON_BRAND]: onBrand, [TINT]: light.tint };
  const body = lines.map((line, i) => {
    if (typeof line === 'string')
      return fill(blocks[isFinePrint(lines, i) ? 'fine' : 'paragraph'], { text: line }, colors);
    if ('heading' in line) return fill(blocks.heading, { text: line.heading }, colors);
    if ('code' in line) return fill(blocks.code, { text: line.code }, colors);
    if ('figure' in line) return fill(blocks.figure, { text: line.figure, caption: line.caption }, colors);
    return fill(blocks.button, { link: line.link, text: line.label }, colors);
  });
  const below = foot.map((line) =>
    typeof line === 'string'
      ? fill(blocks.foot, { text: line }, colors)
      : fill(blocks.foot, { text: writeLink(line) }, colors),
  );
  const preview = lines.find((line) => typeof line === 'string') ?? from;
  return fill(
    frame,
    {
      language,
      from,
      preview,
      logo: writeLogo(from, color, logo),
      body: new Html(body.join('')),
      foot: new Html(below.join('')),
    },
    colors,
  );
}

// These colors in the template stand for those of the shop.
const [BRAND, ON_BRAND, TINT] = ['#b4a4d0', '#0b0a0d', '#f2f2f7'] as const;
const PLACE = new RegExp(`\\{\\{(\\w+)\\}\\}|${BRAND}|${ON_BRAND}|${TINT}`, 'g');

/** Fills a part of the template in one pass, so that nothing inside a value is taken for a place. */
function fill(
  part: string,
  values: Readonly<Record<string, string | Html>>,
  colors: Readonly<Record<string, string>>,
): string {
  return part.replaceAll(PLACE, (place: string, name?: string) => {
    if (name === undefined) return colors[place]!;
    const value = values[name]!;
    return String(markup`${value}`);
  });
}

const { frame, blocks } = cutTemplate(readFileSync(new URL('template/letter.html', import.meta.url), 'utf8'));

type Block = 'heading' | 'paragraph' | 'code' | 'figure' | 'button' | 'fine' | 'foot';

/** Cuts the compiled template at its comments into the frame and the blocks that a letter consists of. */
function cutTemplate(html: string): { frame: string; blocks: Readonly<Record<Block, string>> } {
  const [top, body, middle, foot, bottom] = html.split(
    /(?=<!-- block heading)|<!-- end of blocks -->\n|(?=<!-- block foot)/,
  ) as [string, string, string, string, string];
  const entries = (body + foot)
    .split('<!-- block ')
    .slice(1)
    .map((block) => block.split(' -->\n') as [Block, string]);
  return {
    frame: `${top}{{body}}${middle}{{foot}}${bottom}`,
    blocks: Object.fromEntries(entries) as Record<Block, string>,
  };
}

function writeLink({ link, label }: Link): Html {
  return markup`<a href="${link}" style="color:#565e6a;text-decoration:underline">${label}</a>`;
}

/** The sentences after a code, a figure or a link say what is good to know. */
function isFinePrint(lines: Letter['lines'], i: number): boolean {
  const isOffer = (line: Line) => typeof line !== 'string' && !('heading' in line);
  const next = lines[i + 1];
  const isBefore = next !== undefined && isOffer(next);
  return !isBefore && lines.slice(0, i).some(isOffer);
}

/** A shop without a logo that mail clients show gets the first letter of its name. */
function writeLogo(from: string, color: string, logo: string | null): Html {
  const { onBrand } = deriveBrandColors(color);
  const tile = `display:block;width:44px;height:44px;border-radius:12px;background:${onBrand};color:${color};text-align:center;line-height:44px;font-size:22px;font-weight:bold`;
  if (logo !== null)
    return markup`<img src="${logo}" alt="" width="44" height="44" style="${tile};object-fit:cover">`;
  const [first] = new Intl.Segmenter().segment(from.trim());
  const letter = (first?.segment ?? '').toLocaleUpperCase();
  return markup`<span aria-hidden="true" style="${tile}">${letter}</span>`;
}
