import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { marked } from 'marked';
import type { GuideLink } from './reference-page.ts';

const ROOT = new URL('../../../', import.meta.url);
/** The address of a service in the commands of the guides. */
const EXAMPLE_ADDRESS = 'http://127.0.0.1:3000';
const SDK = 'sdk/README.md';
/** Lists the guides in the order in which they are shown. */
const LIST = 'guides/README.md';

/** The documents of the service that `/docs` shows beside the reference, by their path below `/docs/`. */
export interface Guides {
  readonly links: readonly GuideLink[];
  /**
   * Returns the title and the HTML of a document, or null if there is none.
   * @param address the service's own, for commands to be copied
   */
  read(path: string, address: string): { readonly title: string; readonly html: string } | null;
}

/** Lists the documents in `docs/` and `docs/guides/`, and the SDK's. A service without these files has none. */
export function listGuides(): Guides {
  const paths = new Set([
    ...markdownIn('.'),
    ...markdownIn('guides'),
    ...(existsSync(new URL(SDK, ROOT)) ? [SDK] : []),
  ]);
  const read = (path: string) => readFileSync(new URL(fileOf(path), ROOT), 'utf8');
  return {
    links: listedIn(paths.has(LIST) ? read(LIST) : '').map((path) => ({
      path,
      title: titleOf(read(path)),
      summary: firstSentenceOf(read(path)),
    })),
    read(path, address) {
      if (!paths.has(path)) return null;
      const text = path.startsWith('guides/') ? withAddress(read(path), address) : read(path);
      return { title: titleOf(text), html: draw(text, path, paths) };
    },
  };
}

/** Returns where the file of a document is in the repository. */
function fileOf(path: string): string {
  return path === SDK ? SDK : posix.join('docs', path);
}

/** Puts the address of the service into the commands. A caller can name any host: one that is no plain address is ignored. */
function withAddress(text: string, address: string): string {
  const isPlain = /^https?:\/\/[\w.:[\]-]+$/.test(address);
  return isPlain ? text.replaceAll(EXAMPLE_ADDRESS, address) : text;
}

function markdownIn(folder: string): string[] {
  try {
    return readdirSync(new URL(`docs/${folder}/`, ROOT))
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
      const href = token.href as string;
      if (/^(https?:|#)/.test(href)) return;
      const [file, anchor] = href.split('#') as [string, string?];
      const target = posix.join(posix.dirname(fileOf(path)), file);
      const page = [...shown].find((one) => fileOf(one) === target);
      if (page === undefined) Object.assign(token, { type: 'text', tokens: undefined });
      else
        token.href = posix.relative(posix.dirname(path), page) + (anchor === undefined ? '' : `#${anchor}`);
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
