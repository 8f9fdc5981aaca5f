import { createHash } from 'node:crypto';
import type { App } from '#http/server.ts';
import { PICTURE_SOURCE } from '#text/web-address.ts';

/**
 * Takes a mail from the page around it and shows it. The text is parsed apart from any page, so its scripts do not run, and
 * nothing in it can be pressed.
 */
const SCRIPT = `addEventListener('message', ({ source, data }) => {
  if (source !== parent || typeof data !== 'string') return;
  const { documentElement } = new DOMParser().parseFromString(data, 'text/html');
  document.replaceChild(document.adoptNode(documentElement), document.documentElement);
  parent.postMessage(document.documentElement.scrollHeight, '*');
});
addEventListener('click', (event) => event.preventDefault(), true);
parent.postMessage('ready', '*');`;

const PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><title>A mail</title><script>${SCRIPT}</script></html>`;

/** Mails bring their own styles. Beside those, this page may run its one script, load pictures, and do nothing else. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `script-src 'sha256-${createHash('sha256').update(SCRIPT).digest('base64')}'`,
  "style-src 'unsafe-inline'",
  `img-src 'self' ${PICTURE_SOURCE} data:`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
  'sandbox allow-scripts',
].join('; ');

/**
 * A page in which the console shows mails, in a frame of its own. The console's policy forbids the styles that mails are
 * made of, and a mail must not be able to reach the console.
 */
export function mailPreviewRoute(app: App): void {
  app.get(
    '/console/_mail-preview',
    { schema: { hide: true }, config: { credential: 'none', turn: 'none' } },
    (_request, reply) =>
      reply
        .type('text/html; charset=utf-8')
        .header('content-security-policy', CONTENT_SECURITY_POLICY)
        .header('cache-control', 'no-cache')
        .send(PAGE),
  );
}
