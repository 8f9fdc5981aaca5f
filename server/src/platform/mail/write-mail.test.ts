import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assert as check, constantFrom, integer, oneof, property, string } from '#test/random.ts';
import { contrast } from '#colors/brand-colors.ts';
import { completeStored } from '#program/complete.ts';
import { mailContents } from './outbox.ts';
import { writeMail, type Shop } from './write-mail.ts';

const luna: Shop = {
  name: 'Luna',
  slug: 'luna',
  sender: null,
  color: null,
  logo: null,
  locale: 'en',
  words: null,
};
const links = { base: 'https://x.example' };

test('the code is in the subject, on a line of its own in the text, and in the HTML, and the link in both', () => {
  for (const locale of ['en', 'es', 'es-AR', 'pt', 'fr-CA']) {
    const mail = writeMail(
      'sign-in-code',
      { code: '012345', token: 't0ken', purpose: 'member' },
      { ...luna, locale },
      links,
    );
    assert.ok(mail.subject.includes('012345'));
    assert.equal(mail.text.split('\n').filter((line) => line === '012345').length, 1);
    assert.ok(mail.html.includes('>012345<'));
    assert.ok(mail.text.split('\n').includes('https://x.example/club/luna#link=t0ken'));
    assert.ok(mail.html.includes('href="https://x.example/club/luna#link=t0ken"'));
    assert.ok(mail.html.includes(`<html lang="${locale.startsWith('es') ? 'es' : 'en'}"`));
  }
});

test('the codes of the staff lead to the console, not to the club, and a fresh code has no link', () => {
  for (const [locale, role] of [
    ['en', 'manager'],
    ['es', 'encargo'],
  ] as const) {
    const shop = { ...luna, locale };
    const write = (purpose: 'staff' | 'step-up', token: string) =>
      writeMail('sign-in-code', { code: '012345', token, purpose }, shop, {
        base: 'https://club.example',
        consoleBase: 'https://x.example',
      });
    const { text, html } = write('staff', 't0ken');
    assert.ok(text.split('\n').includes('https://x.example/console#link=t0ken'));
    assert.ok(html.includes('href="https://x.example/console#link=t0ken"'));
    assert.ok(!write('step-up', '').text.includes('https://'));
    const invited = writeMail('staff-invitation', { role: 'manager' }, shop, links);
    assert.ok(invited.text.split('\n').includes('https://x.example/console'));
    assert.ok(invited.text.includes(role));
  }
});

test('a code that the release before put into the outbox is sent without a link', () => {
  const content = completeStored(mailContents['sign-in-code'], { code: '012345' });
  const mail = writeMail('sign-in-code', content, luna, links);
  assert.ok(!mail.text.includes('https://') && !mail.html.includes('href'));
});

test('the text and the HTML of an invitation say the same and link to the club', () => {
  for (const locale of ['en', 'es']) {
    const { text, html } = writeMail('invitation', { points: null }, { ...luna, locale }, links);
    for (const line of text.split('\n').filter((line) => line !== '' && line !== '-- ')) {
      assert.ok(html.includes(line.replace(/:$/, '')), line);
    }
    assert.ok(html.includes('href="https://x.example/club/luna"'));
  }
});

test('a shop’s name cannot break out of its header or its element', () => {
  const name = oneof(
    string({ unit: 'binary' }),
    constantFrom('x\r\nBcc: a@b.c', '<script>', '"><img src=x>', '\u2028', '&amp;'),
  );
  check(
    property(name, constantFrom('sign-in-code', 'invitation'), (name, kind) => {
      const { subject, html } = writeMail(
        kind,
        { code: '123456', token: '', purpose: 'member', points: 5 },
        { ...luna, name },
        links,
      );
      assert.ok(!/[\p{Cc}\p{Zl}\p{Zp}]/u.test(subject));
      const empty = writeMail(
        kind,
        { code: '123456', token: '', purpose: 'member', points: 5 },
        { ...luna, name: '' },
        links,
      ).html;
      assert.equal(html.split('<').length, empty.split('<').length);
      assert.equal(html.split('"').length, empty.split('"').length);
    }),
  );
});

test('the shop’s name is readable on any color', () => {
  const ink = (color: string) =>
    /background-color:#\w+;color:(#\w+);font-weight/.exec(
      writeMail('invitation', { points: null }, { ...luna, color }, links).html,
    )?.[1];
  assert.equal(ink('#000000'), '#ffffff');
  assert.equal(ink('#ffffff'), '#000000');
  assert.equal(ink('#ffee00'), '#000000');
  assert.equal(ink('#7a3e9d'), '#ffffff');
});

test('a logo is shown if mail clients can show it, else the first letter of the name', () => {
  const html = (logo: string | null) =>
    writeMail('invitation', { points: null }, { ...luna, logo }, links).html;
  assert.match(
    html('https://luna.example/logo.png?a=1&b'),
    /<img src="https:\/\/luna.example\/logo.png\?a=1&amp;b"/,
  );
  for (const logo of [
    null,
    'https://luna.example/logo.svg',
    '/pictures/cafe-luna.svg',
    'http://x.example/x.png',
  ]) {
    assert.ok(!html(logo).includes('<img'), String(logo));
    assert.match(html(logo), />L<\/span>/);
  }
});

test('with any color of the shop, the name, the letter and the button of a mail are readable', () => {
  check(
    property(integer({ min: 0, max: 0xff_ff_ff }), (rgb) => {
      const color = `#${rgb.toString(16).padStart(6, '0')}`;
      const { html } = writeMail('invitation', { points: 5 }, { ...luna, color }, links);
      const pairs = [...html.matchAll(/background(?:-color)?:(#\w{6});color:(#\w{6})/g)];
      assert.equal(pairs.length, 4);
      for (const [, ground, ink] of pairs) assert.ok(contrast(ground!, ink!) >= 4.5, `${ground} ${ink}`);
    }),
  );
});
