import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { marked } from 'marked';
import type { GuideLink } from './reference-page.ts';

const FOLDER = new URL('../../../docs/', import.meta.url);
/** Lists the guides in the order in which they are shown. */
const LIST = 'guides/README.md';

/** The documents of the service that `/docs` shows beside the reference, by their path below `docs/`. */
export interface Guides {
  readonly links: readonly GuideLink[];
  /** Returns the title and the HTML of a document, or null if there is none. */
  read(path: string): { readonly title: string; readonly html: string } | null;
}

/** Lists the documents in `docs/` and `docs/guides/`. A service without that folder has none. */
export function listGuides(): Guides {
  const paths = new Set([...markdownIn('.'), ...markdownIn('guides')]);
  const read = (path: string) => readFileSync(new URL(path, FOLDER), 'utf8');
  return {
    links: listedIn(paths.has(LIST) ? read(LIST) : '').map((path) => ({
      path,
      title: titleOf(read(path)),
      summary: firstSentenceOf(read(path)),
    })),
    read(path) {
      if (!paths.has(path)) return null;
      const text = read(path);
      return { title: titleOf(text), html: draw(text, path, paths) };
    },
  };
}

function markdownIn(folder: string): string[] {
  try {
    return readdirSync(new URL(`${folder}/`, FOLDER))
      .filter((name) => name.endsWith('.md'))
      .map((name) => posix.join(folder, name))
      .toSorted();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

function listedIn(list: string): string[] {
  return [...list.matchAll(/^\| \[[^\]]+\]\(([\w-]+\.md)\)/gm)].map(([, name]) => `guides/${name}`);
}

function titleOf(text: string): string {
  return /^# (.+)$/m.exec(text)?.[1] ?? 'Loyalty';
}

function firstSentenceOf(text: string): string {
  return (
    /^# .+\n+([^]+?\.)\s/
      .exec(text)?.[1]
      ?.replaceAll(/\s+/g, ' ')
      .replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1')
      .replaceAll('`', '') ?? ''
  );
}

/** Draws a document. Links to files that are not shown here become plain text; headings get the anchors of the web. */
function draw(text: string, path: string, shown: ReadonlySet<string>): string {
  return marked.parse(text, {
    async: false,
    gfm: true,
    walkTokens(token) {
      if (token.type !== 'link' && token.type !== 'image') return;
      const target = posix.join(posix.dirname(path), (token.href as string).split('#')[0]!);
      const isHere = /^(https?:|#)/.test(token.href as string) || shown.has(target);
      if (!isHere) Object.assign(token, { type: 'text', tokens: undefined });
    },
    renderer: addAnchors(),
  });
}

function addAnchors() {
  const renderer = new marked.Renderer();
  renderer.heading = function heading({ tokens, depth, text }) {
    const id = text
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, '')
      .replaceAll(' ', '-');
    return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
  };
  return renderer;
}
