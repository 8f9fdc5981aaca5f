import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { marked } from 'marked';
import type { GuideLink } from './reference-page.ts';

const ROOT = new URL('../../../../', import.meta.url);
/** The address of a service in the commands of the guides. */
const EXAMPLE_ADDRESS = 'http://127.0.0.1:3000';
const SDK = 'sdk/README.md';
const CHANGELOG = 'CHANGELOG.md';
/** Lists the guides in the order in which they are shown. */
const LIST = 'guides/README.md';

/** The documents of the service that `/docs` shows beside the reference, by their path below `/docs/`. */
export interface Guides {
  readonly links: readonly GuideLink[];
  /** The links at the side of each page, beside the guides. */
  readonly others: readonly Pick<GuideLink, 'path' | 'title'>[];
  /** The parts of all guides, and of the documents beside them, to be searched. */
  readonly parts: readonly GuidePart[];
  /**
   * Returns the title and the HTML of a document, or null if there is none.
   * @param address that of `plainAddress`
   */
  read(path: string, address: string): { readonly title: string; readonly html: string } | null;
}

/** A document from one heading to the next. */
export interface GuidePart {
  /** With the anchor of the heading. */
  readonly path: string;
  readonly title: string;
  readonly heading: string;
  readonly text: string;
}

const OTHERS = [
  ['guides/README.md', 'Before you start'],
  ['api.md', 'Basics'],
  ['api.md#rate-limits', 'Rate limits'],
  ['errors.md', 'Errors'],
  ['program-file.md', 'The program file'],
  ['sdk/README.md', 'SDK'],
  [CHANGELOG, 'Changelog'],
] as const;

/** Lists the documents in `docs/` and `docs/guides/`, and the SDK's. A service without these files has none. */
export function listGuides(): Guides {
  const paths = new Set([
    ...markdownIn('.'),
    ...markdownIn('guides'),
    ...[SDK, CHANGELOG].filter((path) => existsSync(new URL(path, ROOT))),
  ]);
  const read = (path: string) => readFileSync(new URL(fileOf(path), ROOT), 'utf8');
  const guides = listedIn(paths.has(LIST) ? read(LIST) : '');
  const others = OTHERS.filter(([path]) => paths.has(path.split('#')[0]!));
  const searched = new Set([...guides, ...others.map(([path]) => path.split('#')[0]!)]);
  return {
    others: others.map(([path, title]) => ({ path, title })),
    parts: [...searched].flatMap((path) => partsOf(path, read(path))),
    links: guides.map((path) => ({
      path,
      title: titleOf(read(path)),
      summary: firstSentenceOf(read(path)),
    })),
    read(path, address) {
      if (!paths.has(path)) return null;
      const text = path.startsWith('guides/') ? read(path).replaceAll(EXAMPLE_ADDRESS, address) : read(path);
      return { title: titleOf(text), html: draw(text, path, paths) };
    },
  };
}

/** Returns where the file of a document is in the repository. */
function fileOf(path: string): string {
  return path === SDK || path === CHANGELOG ? path : posix.join('docs', path);
}

/** Returns the address for commands to be copied. A caller can name any host: one that is no plain address is ignored. */
export function plainAddress(address: string): string {
  return /^https?:\/\/[\w.:[\]-]+$/.test(address) ? address : EXAMPLE_ADDRESS;
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

/** Splits a document at its headings. Marks of code and links are left out of the texts. */
function partsOf(path: string, text: string): GuidePart[] {
  const title = titleOf(text);
  return text
    .split(/^(?=#{1,3} )/m)
    .filter((part) => part.startsWith('#'))
    .map((part) => {
      const heading = /^#+ (.+)$/m.exec(part)![1]!.replaceAll(/[`[\]]/g, '');
      const plain = part.replaceAll(/\]\([^)]*\)/g, ']').replaceAll(/[`*|[\]#]/g, ' ');
      return { path: `${path}#${anchorOf(heading)}`, title, heading, text: plain.replaceAll(/\s+/g, ' ') };
    });
}

function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .replaceAll(' ', '-');
}

function addAnchors() {
  const renderer = new marked.Renderer();
  renderer.heading = function heading({ tokens, depth, text }) {
    return `<h${depth} id="${anchorOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
  };
  return renderer;
}
