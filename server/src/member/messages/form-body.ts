/** The bodies of forms and of hooks, which are not the JSON of the API. */
import type { App } from '#http/server.ts';

/** Makes the routes of a scope get their bodies as bytes, whatever the type. */
export function takeBytes(scope: App, bodyBytes: number): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: bodyBytes }, (_request, body, done) =>
    done(null, body),
  );
}

/** No form here has more than a few short fields. */
const FORM_BYTES = 4_096;

export function takeForms(scope: App): void {
  takeBytes(scope, FORM_BYTES);
}

/**
 * Returns the fields of a form. RFC 8058 lets a mail program send it in either of the two ways that browsers know. Anything
 * else is a form without fields.
 */
export function readForm(body: unknown): URLSearchParams {
  const text = Buffer.isBuffer(body) ? body.toString('latin1') : '';
  if (!text.startsWith('--')) return new URLSearchParams(text);
  const form = new URLSearchParams();
  for (const [, name = '', value = ''] of text.matchAll(PART)) form.append(name, value);
  return form;
}

/** A part of `multipart/form-data`: its name and its one line. */
const PART = /name="([\w-]{1,40})"[^\r\n]*\r?\n(?:[^\r\n]+\r?\n)*\r?\n([^\r\n]{0,200})\r?\n--/gi;
