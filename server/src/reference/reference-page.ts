import { escapeHtml } from '#mail/escape-html.ts';

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
  return `<!doctype html>
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
  `<h1>Loyalty API</h1>
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
    ? `<section class="ready" id="ready" aria-label="Ready to try" aria-live="polite" hidden>
<p id="ready-text"></p>
<p><button id="sign-in" type="button" hidden>Sign in as this member</button> <span id="signed-in" role="status"></span></p>
</section>`
    : '<section aria-label="Note"><p class="note">This page is for reading. Where the service runs on your own machine, it can also make calls.</p></section>'
}
<div class="search" role="search"><label for="search">Search the operations</label>
<input id="search" type="search" autocomplete="off" spellcheck="false" placeholder="refund, coupon, external_id …">
<p id="matches" role="status"></p></div>
<div id="operations"><p class="note">Loading …</p></div>
<noscript><p class="note">The operations are drawn by a script. The same is in <a href="${base}openapi.json">openapi.json</a>.</p></noscript>
</div>
</body>
</html>
`;
}

/** Writes a guide as a page in the same look. */
export function writeGuidePage(base: string, title: string, html: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="${base}static/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${base}static/reference.css">
</head>
<body>
${writeBar(base)}
<main class="guide">
${html}
</main>
</body>
</html>
`;
}

/** The ground at the top of each page. */
function writeBar(base: string, content = ''): string {
  return `<header class="ground"><div class="bar"><a class="brand" href="${base === '' ? './' : base}">Loyalty</a>
<nav aria-label="Documents"><a href="${base}api.md">Basics</a> <a href="${base}guides/README.md">Guides</a> <a href="${base}errors.md">Errors</a> <a href="${base}sdk/README.md">SDK</a> <a href="${base}openapi.json">OpenAPI</a></nav></div>
${content}</header>`;
}

function writeGuideList(base: string, guides: readonly GuideLink[]): string {
  const items = guides.map(
    ({ path, title, summary }) =>
      `<li><a href="${base}${path}"><strong>${escapeHtml(title)}</strong></a> ${escapeHtml(summary)}</li>`,
  );
  return items.length === 0 ? '' : `<h2>Guides</h2>\n<ul class="guides">\n${items.join('\n')}\n</ul>`;
}
