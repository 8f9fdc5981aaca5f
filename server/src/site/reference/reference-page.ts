import { Html, markup } from '#text/markup.ts';

/** A guide that the pages link to. */
export interface GuideLink {
  /** Relative to `/docs/`. */
  readonly path: string;
  readonly title: string;
  /** The first sentence of the guide. */
  readonly summary: string;
}

/**
 * Writes the page at `/docs`: an introduction of our own above the operations, which Swagger UI draws.
 * @param base the path from the page to `/docs/`
 * @param canCall whether the page offers to make calls
 */
export function writeReferencePage(base: string, canCall: boolean, guides: readonly GuideLink[]): string {
  return String(markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>Loyalty API</title>
<link rel="icon" href="${base}static/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${base}static/swagger-ui.css">
<link rel="stylesheet" href="${base}static/reference.css">
<script src="${base}static/swagger-ui-bundle.js" defer></script>
<script src="${base}static/search.js" defer></script>
<script src="${base}static/reference.js" defer${canCall ? ' data-can-call' : ''}></script>
</head>
<body>
${writeBar(
  base,
  markup`<h1>Loyalty API</h1>
<p class="lead">Record purchases, show members their points, and redeem the benefits that they trade them for. JSON over HTTP.</p>`,
)}
<div class="page">
<section class="intro" aria-label="Introduction">
<h2>Two credentials</h2>
<div class="cards">
<article>
<h3>API key</h3>
<p>For the shop’s server: purchases, members, codes. It sees every member, so it must never be in a browser.</p>
<pre>Authorization: Bearer lk_…</pre>
</article>
<article>
<h3>Access token</h3>
<p>For one member’s browser: points, history, buying benefits. Signing in returns it, and it is good for 15 minutes.</p>
<pre>Authorization: Bearer eyJ…
X-Commerce-Id: 1</pre>
</article>
</div>
<p>Visitors need neither: the catalog, the branding and signing in take <code>X-Commerce-Id</code> only.</p>
<h2>Three codes that must not be confused</h2>
<div class="wide"><table>
<thead><tr><th>code</th><th>identifies</th><th>used to</th></tr></thead>
<tbody>
<tr><td><code>client_code</code><br>9 digits</td><td>a member</td><td>record a purchase, look up the member</td></tr>
<tr><td><code>benefit_id</code><br>text</td><td>a benefit in the catalog</td><td>look it up, buy it</td></tr>
<tr><td><code>client_benefit_code</code><br>14 digits</td><td>one bought benefit of one member</td><td>look it up at the till and redeem it once; the coupon code of an online shop</td></tr>
</tbody>
</table></div>
<h2>Refusals</h2>
<p>Every refusal has its reason as one word in <code>X-Error-Code</code>, such as <code>points_short</code>, and a sentence in <code>X-Error-Hint</code> where the body cannot say what to do next. Each operation lists its words, and <a href="${base}errors.md">Errors</a> says what to do about each. Any operation can also answer with 429 or 503: repeat the call after <code>Retry-After</code> seconds. A 409 says that the same call is still running, or that another purchase has the <code>external_id</code>.</p>
${writeGuideList(base, guides)}
</section>
${
  canCall
    ? markup`<section class="ready" id="ready" aria-label="Ready to try" aria-live="polite" hidden>
<p id="ready-text"></p>
<p><button id="sign-in" type="button" hidden>Sign in as this member</button> <span id="signed-in" role="status"></span></p>
</section>`
    : markup`<section aria-label="Note"><p class="note">This page is for reading. Where the service runs on your own machine, it can also make calls.</p></section>`
}
<div class="search" role="search"><label for="search">Search the operations and the guides</label>
<input id="search" type="search" autocomplete="off" spellcheck="false" placeholder="refund, coupon, cents, external_id …">
<p id="matches" role="status"></p>
<ul id="in-guides" aria-label="In the guides" hidden></ul></div>
<div id="operations"><p class="note">Loading …</p></div>
<noscript><p class="note">The operations are drawn by a script. The same is in <a href="${base}openapi.json">openapi.json</a>.</p></noscript>
</div>
</body>
</html>
`);
}

/** A document as a page shows it. */
export interface ShownGuide {
  /** Relative to `/docs/`. */
  readonly path: string;
  readonly title: string;
  readonly html: string;
  /** The address of the service, for the commands. */
  readonly address: string;
  /** Whether the page can ask for the values of the demo. */
  readonly hasDemo: boolean;
}

/** Writes a guide as a page in the same look, with the way to the others beside it. */
export function writeGuidePage(
  base: string,
  { path, title, html: content, address, hasDemo }: ShownGuide,
  links: readonly Pick<GuideLink, 'path' | 'title'>[],
  others: readonly Pick<GuideLink, 'path' | 'title'>[],
): string {
  return String(markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="${base}static/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${base}static/reference.css">
<script src="${base}static/translate.js" defer></script>
<script src="${base}static/guide.js" defer${hasDemo ? ' data-has-demo' : ''}></script>
</head>
<body>
${writeBar(base)}
<div class="with-side">
<nav class="side" aria-label="All documents">
<a href="${base === '' ? './' : base}">API reference</a>
${writeSide(base, path, 'Guides', links)}
${writeSide(base, path, 'Documents', others)}
</nav>
<main class="guide">
${/\$(BASE|KEY|COMMERCE)\b/.test(content) ? writeValues(base, address) : ''}
${new Html(content)}
</main>
</div>
</body>
</html>
`);
}

function writeSide(
  base: string,
  path: string,
  heading: string,
  links: readonly Pick<GuideLink, 'path' | 'title'>[],
): Html | null {
  const items = links.map(
    (link) =>
      markup`<li><a href="${base}${link.path}"${link.path === path && markup` aria-current="page"`}>${link.title}</a></li>\n`,
  );
  return items.length === 0 ? null : markup`<h2>${heading}</h2>\n<ul>\n${items}</ul>`;
}

/** The fields whose values stand in the commands. Without a script they are of no use, and hidden. */
function writeValues(base: string, address: string): Html {
  const field = (name: string, value: string, hint: string) =>
    markup`<label>${name} <input name="${name}" value="${value}" placeholder="${hint}" pattern="[\\w.:\\/\\[\\]\\-]*" autocomplete="off" spellcheck="false"></label>`;
  return markup`<form class="values" aria-label="Your values">
<p>Your values stand in the commands below. On your own machine they are the demo’s; for benefits such as <code>flat-white</code> put those of <a href="${base}guides/README.md">Café Luna</a> here.</p>
${field('BASE', address, 'http://127.0.0.1:3000')}
${field('COMMERCE', '', '2')}
${field('KEY', '', 'lk_test_…')}
</form>`;
}

/** The ground at the top of each page. */
function writeBar(base: string, content: Html | null = null): Html {
  return markup`<header class="ground"><div class="bar"><a class="brand" href="${base === '' ? './' : base}">Loyalty</a>
<nav aria-label="Documents"><a href="${base}api.md">Basics</a> <a href="${base}guides/README.md">Guides</a> <a href="${base}errors.md">Errors</a> <a href="${base}sdk/README.md">SDK</a> <a href="${base}CHANGELOG.md">Changelog</a> <a href="${base}openapi.json">OpenAPI</a></nav></div>
${content}</header>`;
}

function writeGuideList(base: string, guides: readonly GuideLink[]): Html | null {
  const items = guides.map(
    ({ path, title, summary }) =>
      markup`<li><a href="${base}${path}"><strong>${title}</strong></a> ${summary}</li>\n`,
  );
  return items.length === 0 ? null : markup`<h2>Guides</h2>\n<ul class="guides">\n${items}</ul>`;
}
