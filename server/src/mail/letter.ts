import { escapeHtml } from './escape-html.ts';

/** The content of a mail before it is written as text and HTML: paragraphs, a code to type in, a link to follow. */
export interface Letter {
  readonly language: string;
  /** The shop's name. */
  readonly from: string;
  /** `#rrggbb` */
  readonly color: string;
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

/** Writes a letter as HTML that looks the same in all mail clients: inline styles, no pictures, no remote content. */
export function writeHtml({ language, from, color, lines }: Letter): string {
  const ink = readableTextColor(color);
  const paragraphs = lines.map((line) => {
    if (typeof line === 'string') return `<p style="margin:0 0 16px">${escapeHtml(line)}</p>`;
    if ('code' in line) {
      return `<p style="margin:0 0 16px;font:bold 32px/1.4 ui-monospace,Consolas,monospace;letter-spacing:6px">${escapeHtml(line.code)}</p>`;
    }
    return `<p style="margin:0 0 16px"><a href="${escapeHtml(line.link)}" style="display:inline-block;padding:12px 20px;border-radius:6px;background:${color};color:${ink}">${escapeHtml(line.label)}</a></p>`;
  });
  return `<!doctype html>
<html lang="${language}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(from)}</title></head>
<body style="margin:0;padding:24px;background:#f3f4f6;color:#111827;font:16px/1.5 system-ui,sans-serif">
<div style="max-width:480px;margin:0 auto;background:#ffffff;border-radius:8px;overflow:hidden">
<div style="padding:16px 24px;background:${color};color:${ink};font-weight:bold">${escapeHtml(from)}</div>
<div style="padding:24px 24px 8px">
${paragraphs.join('\n')}
</div>
</div>
</body>
</html>
`;
}

/** Returns black or white, whichever is easier to read on a background colour. */
function readableTextColor(background: string): string {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(background.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  return luminance > 0.179 ? '#000000' : '#ffffff';
}
