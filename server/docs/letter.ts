import { readFileSync } from 'node:fs';
import mjml2html from 'mjml';

/**
 * Compiles the frame of all mails, so that the service itself needs no compiler. No font is loaded from elsewhere: a mail
 * that loads something tells its sender who has opened it.
 */
export async function compileLetter(): Promise<string> {
  const source = readFileSync(new URL('../src/platform/mail/template/letter.mjml', import.meta.url), 'utf8');
  const { html, errors } = await mjml2html(source, { validationLevel: 'strict', fonts: {} });
  if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join('\n'));
  return `${html
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n')}\n`;
}
