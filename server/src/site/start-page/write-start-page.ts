import type { ListedCommerce } from '#commerces/list-commerces.ts';
import { Html, markup } from '#text/markup.ts';
import { pictureUrl } from '#pictures/picture-url.ts';

/** The facts about the demo that the page shows. The key is a secret. */
export interface DemoFacts {
  readonly commerceId: number;
  readonly name: string;
  readonly slug: string;
  readonly key: string;
  readonly clientCode: number;
}

interface Facts {
  readonly serviceUrl: string;
  /** The commerces that are not closed. */
  readonly shops: readonly Pick<ListedCommerce, 'id' | 'slug' | 'name' | 'members'>[];
  /** The demo, and the member to sign in as. */
  readonly demo: (DemoFacts & { readonly email: string | null; readonly username: string | null }) | null;
}

const MOST_SHOPS = 20;

/** Writes the page that shows a developer what runs and what to do next. */
export function writeStartPage({ serviceUrl, shops, demo }: Facts): string {
  const others = shops.filter(({ id }) => id !== demo?.commerceId);
  return writePage(
    'Loyalty is running',
    markup`<header>
<div class="wide hero">
<div>
<p class="pill"><span class="dot"></span>Running at ${serviceUrl}</p>
<h1>Loyalty is running</h1>
<p class="lede">${demo === null ? 'Points, benefits and codes for your shop.' : `Points, benefits and codes, with a demo to look at: ${demo.name}, its members and their last eight months.`}</p>
<p class="actions">${demo === null ? '' : markup`<a class="button" href="club/${demo.slug}">Open ${demo.name}’s club</a>`}<a class="button quiet" href="docs">API reference</a></p>
</div>
${demo === null ? '' : markup`<a class="cover" href="club/${demo.slug}" tabindex="-1" aria-hidden="true"><img src="${relative('/pictures/harbour-bakery-cover.svg')}" alt="" width="1600" height="900"></a>`}
</div>
</header>
<main class="wide">
${demo === null ? '' : writeDemo(serviceUrl, demo)}
<section class="card full">
<h2>Make your own shop</h2>
<p>In the browser, in about three minutes: its name and color, how points are earned, a first benefit, a poster to print.</p>
<p class="actions"><a class="button own" href="dev/set-up">Set it up in the browser</a></p>
<h3 class="over">Or with a file</h3>
<ol class="steps">
<li><h3>Answer a few questions</h3><p>They become a program file: how points are earned, tiers, benefits.</p>${copied('npx --no-install loyalty init --slug corner-shop')}</li>
<li><h3>Apply the file</h3><p>Edit it and apply it again as often as you like. It says what changes.</p>${copied('npx --no-install loyalty apply corner-shop.yaml')}</li>
<li><h3>Create its API key</h3><p>It is shown once. The key records purchases and redeems codes.</p>${copied('npx --no-install loyalty key create --commerce corner-shop')}</li>
</ol>
<p class="hint">The slug is the shop’s name in links and commands, and names its file. The club is then at <code>${serviceUrl}/club/corner-shop</code>.</p>
${writeShops(others)}
</section>
<section class="card full">
<h2>Look things up</h2>
<ul class="links">
<li><a href="docs">API reference</a><span>Every call, ready to try</span></li>
<li><a href="dev/mail">Mailbox</a><span>Mails to members, with sign-in codes</span></li>
<li><a href="openapi.json">openapi.json</a><span>The contract, for code generators</span></li>
<li><a href="openapi-extensions.json">openapi-extensions.json</a><span>What goes beyond it</span></li>
</ul>
</section>
</main>
<footer class="wide"><p>Only this machine sees this page. In production, the page says nothing.</p></footer>
<script>${new Html(SCRIPT)}</script>`,
    markup`<link rel="icon" href="${relative('/pictures/harbour-bakery-logo.svg')}">`,
  );
}

function writeDemo(serviceUrl: string, demo: NonNullable<Facts['demo']>): Html {
  const { name, slug, key, clientCode, email, username } = demo;
  const purchase = `curl -i ${serviceUrl}/v1/consumptions/client-code \\
  -H 'Authorization: Bearer ${key}' \\
  -H 'Content-Type: application/json' \\
  -d '{"client_code": ${clientCode}, "amount": 18}'`;
  const balance = `curl ${serviceUrl}/v1/clients/${clientCode} \\
  -H 'Authorization: Bearer ${key}'`;
  const who = username ?? 'a member';
  const signIn =
    email === null
      ? ''
      : markup`<section class="card">
<h2>Be a member</h2>
<p>Sign in as ${who}, who buys bread at ${name}.</p>
<ol class="list">
<li>Open <a href="club/${slug}">the club</a>, press “Sign in” and enter this address:${copied(email)}</li>
<li>Open <a href="dev/mail">the mailbox</a>. The newest mail has the code, and a link that signs in without it.</li>
<li>Leave the club open and record a purchase with the call beside this. The points arrive by themselves.</li>
</ol>
<dl><div><dt>Client code of ${who}</dt><dd>${clientCode}</dd></div><div><dt>X-Commerce-Id</dt><dd>${demo.commerceId}</dd></div></dl>
</section>`;
  return markup`${signIn}
<section class="card">
<h2>Be the shop</h2>
<p class="actions"><a class="button own" href="console">Open the console</a></p>
<p>Sign in there with the address that the start-up block shows, or call the API. This records a purchase of €18:</p>
${copied(purchase)}
<p>See the points that it earned:</p>
${copied(balance)}
<p>The API key of ${name}:</p>
${copied(key)}
</section>`;
}

function writeShops(shops: Facts['shops']): Html | null {
  if (shops.length === 0) return null;
  const rows = shops
    .slice(0, MOST_SHOPS)
    .map(
      ({ id, slug, name, members }) =>
        markup`<li><a href="club/${slug}">${name}</a><span>X-Commerce-Id ${id}, ${members === 1 ? '1 member' : `${members} members`}</span></li>`,
    );
  const more =
    shops.length > MOST_SHOPS ? markup`<p class="hint">And ${shops.length - MOST_SHOPS} more.</p>` : '';
  return markup`<h3 class="over">Shops here</h3><ul class="links">${rows}</ul>${more}`;
}

/** A text to copy. Without a script it can still be selected. */
function copied(text: string): Html {
  return markup`<div class="copied"><pre tabindex="0">${text}</pre><button type="button">Copy</button></div>`;
}

/** Relative, because a proxy may serve the service under a path of its own. */
function relative(picture: string): string {
  return pictureUrl(picture, '')!.slice(1);
}

/** Presses of a button copy the text beside it. A sandboxed page may not use the clipboard of every browser. */
export const SCRIPT = `
for (const button of document.querySelectorAll('.copied button')) {
  button.addEventListener('click', async () => {
    const pre = button.previousElementSibling;
    let done = true;
    try {
      await navigator.clipboard.writeText(pre.textContent);
    } catch {
      getSelection().selectAllChildren(pre);
      done = document.execCommand('copy');
    }
    button.textContent = done ? 'Copied' : 'Selected';
    setTimeout(() => { button.textContent = 'Copy'; }, 2000);
  });
}
`;

export const STYLE = `
:root { color-scheme: light dark; --ground: #f5f6f8; --card: #fff; --ink: #15181d; --soft: #565e6a; --line: #e3e6ea; --brand: #0f5c6e; --code: #f0f3f5; --shadow: 0 1px 2px #0d17210d, 0 6px 20px #0d17210f }
@media (prefers-color-scheme: dark) { :root { --ground: #101417; --card: #1a2024; --ink: #eef1f3; --soft: #a9b3bc; --line: #2c353b; --brand: #7cc9d8; --code: #12181b; --shadow: none } }
* { box-sizing: border-box }
body { margin: 0; background: var(--ground); color: var(--ink); font: 450 15px/1.55 Inter, system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; overflow-wrap: anywhere }
.wide { width: 100%; max-width: 1136px; margin-inline: auto; padding-inline: 20px }
header { background: radial-gradient(90% 140% at 85% 0, #1f8aa2 0, #0f5c6e 45%, #0a3f4c 100%); color: #fff }
.hero { display: grid; gap: 32px; padding-top: 40px; padding-bottom: 88px }
h1 { margin: 14px 0 0; font-size: clamp(34px, 6vw, 54px); line-height: 1.06; letter-spacing: -.03em; font-weight: 750 }
h2 { margin: 0 0 4px; font-size: 22px; letter-spacing: -.015em; line-height: 1.25 }
h3 { margin: 0; font-size: 16px }
p { margin: 0 0 12px }
section > p, .steps p, .list { color: var(--soft) }
.lede { margin: 14px 0 24px; max-width: 32em; font-size: 18px; color: #dbeef1 }
.pill { display: inline-flex; align-items: center; gap: 8px; margin: 0; padding: 5px 12px; border-radius: 99px; background: #ffffff26; font-size: 13px; font-weight: 600 }
.dot { width: 8px; height: 8px; border-radius: 50%; background: #7be0a5 }
.actions { display: flex; flex-wrap: wrap; gap: 12px; margin: 0 }
.button { display: inline-flex; align-items: center; min-height: 46px; padding: 0 20px; border-radius: 12px; background: #fff; color: #0f5c6e; font-weight: 650; text-decoration: none }
.button.own { background: #0f5c6e; color: #fff }
.button.quiet { background: #ffffff26; color: #fff }
.cover img { display: block; width: 100%; height: auto; border-radius: 20px; box-shadow: 0 18px 44px #00000047 }
main { display: grid; gap: 20px; margin-top: -48px }
.card { min-width: 0; padding: 24px; border-radius: 16px; background: var(--card); box-shadow: var(--shadow) }
a { color: var(--brand); font-weight: 600; text-underline-offset: 3px }
:focus-visible { outline: 3px solid #f3a33b; outline-offset: 2px }
.list { margin: 0 0 12px; padding-left: 20px }
.list li { margin-bottom: 10px }
.list li::marker { color: var(--brand); font-weight: 700 }
.copied { display: grid; grid-template-columns: minmax(0, 1fr) auto; align-items: start; gap: 8px; margin: 8px 0 16px; padding: 6px; border-radius: 12px; background: var(--code) }
.copied:last-child { margin-bottom: 0 }
pre { margin: 0; padding: 4px 8px; overflow-x: auto; border-radius: 8px; font: 13px/1.65 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace }
code { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace }
.copied button { min-width: 68px; min-height: 30px; border: 1px solid var(--line); border-radius: 8px; background: var(--card); color: var(--ink); font: 600 13px system-ui, sans-serif; cursor: pointer }
dl { display: flex; flex-wrap: wrap; gap: 8px 32px; margin: 16px 0 0; padding-top: 16px; border-top: 1px solid var(--line) }
dt { font-size: 13px; color: var(--soft) }
dd { margin: 0; font-size: 18px; font-weight: 700; font-variant-numeric: tabular-nums }
.steps { display: grid; gap: 20px; margin: 16px 0 0; padding: 0; list-style: none; counter-reset: step }
.steps li { min-width: 0; counter-increment: step }
.steps pre { white-space: pre-wrap }
.steps h3::before { content: counter(step); display: inline-grid; place-items: center; width: 28px; height: 28px; margin-right: 10px; border-radius: 50%; background: #0f5c6e; color: #fff; font-size: 14px }
.steps p { margin: 6px 0 0 }
.hint { margin-top: 16px; font-size: 13px; color: var(--soft) }
.over { margin: 20px 0 0; padding-top: 20px; border-top: 1px solid var(--line) }
.links { display: grid; gap: 14px; margin: 14px 0 0; padding: 0; list-style: none }
.links span { display: block; font-size: 13px; color: var(--soft) }
footer { padding-top: 20px; padding-bottom: 40px; font-size: 13px; color: var(--soft) }
.plain { font-size: 20px;  display: grid; place-items: center; min-height: 100vh; margin: 0 }
@media (min-width: 860px) {
.hero { grid-template-columns: 1fr 440px; align-items: center; padding-top: 56px; padding-bottom: 104px }
main { grid-template-columns: 1fr 1fr; margin-top: -64px }
.full { grid-column: 1 / -1 }
.steps { grid-template-columns: repeat(3, 1fr) }
.links { grid-template-columns: repeat(4, 1fr) }
}
`;

/** The page for everyone but the developer. It says nothing about the service. */
export const NEUTRAL_PAGE = writePage('Loyalty', markup`<main class="plain"><h1>Loyalty</h1></main>`);

function writePage(title: string, body: Html, icon: Html | null = null): string {
  return String(markup`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">${icon}<title>${title}</title><style>${new Html(STYLE)}</style></head>
<body>
${body}
</body>
</html>
`);
}
