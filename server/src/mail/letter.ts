import { deriveBrandColors } from '#colors/brand-colors.ts';
import { escapeHtml } from './escape-html.ts';

/** The content of a mail before it is written as text and HTML: paragraphs, a code to type in, a link to follow. */
export interface Letter {
  readonly language: string;
  /** The shop's name. */
  readonly from: string;
  /** `#rrggbb` */
  readonly color: string;
  /** The address of a picture, or null. */
  readonly logo: string | null;
  readonly lines: readonly (
    | string
    | { readonly code: string }
    | { readonly link: string; readonly label: string }
  )[];
}

/** Writes a letter as plain text. A code or a link has a line to itself, so it is easy to copy. */
export function writeText({ from, lines }: Letter): string {
  const paragraphs = lines.map((line) => {
    if (typeof line === 'string') return line;
    return 'code' in line ? line.code : `${line.label}:\n${line.link}`;
  });
  return `${[...paragraphs, `-- \n${from}`].join('\n\n')}\n`;
}

/**
 * Writes a letter as HTML with inline styles, which all mail clients keep. The style sheet is only for dark mode, and
 * the letter does not need it. The shop's own logo is the only picture.
 */
export function writeHtml({ language, from, color, logo, lines }: Letter): string {
  const { onBrand } = deriveBrandColors(color);
  const paragraphs = lines.map((line, i) => {
    if (typeof line === 'string') return writeParagraph(line, isFinePrint(lines, i));
    if ('code' in line) {
      return `<p class="code" style="margin:4px 0 20px;padding:16px 12px;border-radius:12px;background:#f0f3f5;color:#15181d;font:bold 34px/1.2 ui-monospace,Consolas,monospace;letter-spacing:8px;text-align:center">${escapeHtml(line.code)}</p>`;
    }
    return `<p style="margin:0 0 24px"><a href="${escapeHtml(line.link)}" style="display:inline-block;padding:14px 24px;border-radius:12px;background:${color};color:${onBrand};font-weight:600;text-decoration:none">${escapeHtml(line.label)}</a></p>`;
  });
  return `<!doctype html>
<html lang="${language}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark"><title>${escapeHtml(from)}</title><style>${DARK_STYLE}</style></head>
<body class="ground" style="margin:0;padding:24px 12px;background:#f5f6f8;color:#15181d;font:16px/1.55 Inter,system-ui,-apple-system,'Segoe UI',Roboto,sans-serif">
<div class="card" style="max-width:520px;margin:0 auto;background:#ffffff;border-radius:16px;overflow:hidden">
<div style="padding:20px 24px;background:${color};color:${onBrand};font-weight:bold">
<table role="presentation" cellpadding="0" cellspacing="0" border="0"><tr>
<td style="width:44px">${writeLogo(from, color, logo)}</td>
<td style="padding-left:14px;color:${onBrand};font-weight:bold;font-size:18px">${escapeHtml(from)}</td>
</tr></table>
</div>
<div style="padding:28px 24px 12px">
${paragraphs.join('\n')}
</div>
</div>
</body>
</html>
`;
}

const DARK_STYLE =
  '@media (prefers-color-scheme:dark){.ground{background:#101417!important}.card{background:#1a2024!important;color:#eef1f3!important}.soft{color:#a9b3bc!important}.code{background:#101417!important;color:#eef1f3!important}}';

function writeParagraph(text: string, isFine: boolean): string {
  return isFine
    ? `<p class="soft" style="margin:0 0 16px;font-size:14px;color:#565e6a">${escapeHtml(text)}</p>`
    : `<p style="margin:0 0 16px">${escapeHtml(text)}</p>`;
}

/** The sentences after a code or a link say what is good to know. */
function isFinePrint(lines: Letter['lines'], i: number): boolean {
  const next = lines[i + 1];
  const isBefore = next !== undefined && typeof next !== 'string';
  return !isBefore && lines.slice(0, i).some((line) => typeof line !== 'string');
}

/** Mail clients show no SVG, so a shop without another logo gets the first letter of its name. */
function writeLogo(from: string, color: string, logo: string | null): string {
  const { onBrand } = deriveBrandColors(color);
  const tile = `display:block;width:44px;height:44px;border-radius:12px;background:${onBrand};color:${color};text-align:center;line-height:44px;font-size:22px;font-weight:bold`;
  if (logo !== null && /^https:.*\.(?:png|jpe?g|gif|webp)(?:\?|$)/i.test(logo))
    return `<img src="${escapeHtml(logo)}" alt="" width="44" height="44" style="${tile};object-fit:cover">`;
  const [first] = new Intl.Segmenter().segment(from.trim());
  const letter = escapeHtml((first?.segment ?? '').toLocaleUpperCase());
  return `<span aria-hidden="true" style="${tile}">${letter}</span>`;
}
