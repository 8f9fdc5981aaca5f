import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assert as check, constantFrom, oneof, property, string } from 'fast-check';
import { completeStored } from '#program/complete.ts';
import { mailContents } from './outbox.ts';
import { writeMail, type Shop } from './write-mail.ts';

const luna: Shop = { name: 'Luna', slug: 'luna', color: null, locale: 'en' };

test('the code is in the subject, on a line of its own in the text, and in the HTML, and the link in both', () => {
  for (const locale of ['en', 'es', 'es-AR', 'pt', 'fr-CA']) {
    const mail = writeMail(
      'sign-in-code',
      { code: '012345', token: 't0ken' },
      { ...luna, locale },
      'https://x.example',
    );
    assert.ok(mail.subject.includes('012345'));
    assert.equal(mail.text.split('\n').filter((line) => line === '012345').length, 1);
    assert.ok(mail.html.includes('>012345<'));
    assert.ok(mail.text.split('\n').includes('https://x.example/club/luna#link=t0ken'));
    assert.ok(mail.html.includes('href="https://x.example/club/luna#link=t0ken"'));
    assert.ok(mail.html.includes(`<html lang="${locale.startsWith('es') ? 'es' : 'en'}">`));
  }
});

test('a code that the release before put into the outbox is sent without a link', () => {
  const content = completeStored(mailContents['sign-in-code'], { code: '012345' });
  const mail = writeMail('sign-in-code', content, luna, 'https://x.example');
  assert.ok(!mail.text.includes('https://') && !mail.html.includes('href'));
});

test('the text and the HTML of an invitation say the same and link to the club', () => {
  for (const locale of ['en', 'es']) {
    const { text, html } = writeMail('invitation', {}, { ...luna, locale }, 'https://x.example');
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
        { code: '123456', token: '' },
        { ...luna, name },
        'https://x.example',
      );
      assert.ok(!/[\p{Cc}\p{Zl}\p{Zp}]/u.test(subject));
      const empty = writeMail(
        kind,
        { code: '123456', token: '' },
        { ...luna, name: '' },
        'https://x.example',
      ).html;
      assert.equal(html.split('<').length, empty.split('<').length);
      assert.equal(html.split('"').length, empty.split('"').length);
    }),
  );
});

test('the shop’s name is readable on any colour', () => {
  const ink = (color: string) =>
    /;color:(#\w+);font-weight/.exec(writeMail('invitation', {}, { ...luna, color }, 'x').html)?.[1];
  assert.equal(ink('#000000'), '#ffffff');
  assert.equal(ink('#ffffff'), '#000000');
  assert.equal(ink('#ffee00'), '#000000');
  assert.equal(ink('#7a3e9d'), '#ffffff');
});
