import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '#test/random.ts';
import { isOneLine, isStorable, isText, ONE_LINE } from './plain-text.ts';
import { isPictureAddress, isWebAddress } from './web-address.ts';

const schema = new RegExp(ONE_LINE, 'u');

test('one line is what its schema says it is, character by character', () => {
  for (let code = 0; code <= 0x10ffff; code++) {
    if (code >= 0xd800 && code <= 0xdfff) continue;
    const character = String.fromCodePoint(code);
    const isControl = /[\p{Cc}\p{Zl}\p{Zp}\ufeff\ufffe\uffff]/u.test(character);
    if (schema.test(`a${character}`) === isControl) assert.fail(code.toString(16));
  }
  for (const blank of ['', ' ', '\u00a0\u3000']) assert.equal(schema.test(blank), false);
});

test('whatever is one line is text, and whatever is text can be stored', () => {
  const text = fc.string({ unit: 'binary', maxLength: 30 });
  fc.assert(
    fc.property(text, (value) => {
      if (isOneLine(value, 30)) assert.ok(isText(value, 30));
      if (isText(value, 30)) assert.ok(isStorable(value));
    }),
  );
  assert.equal(isOneLine('x'.repeat(31), 30), false);
  assert.equal(isText('a\tb\nc', 30), true);
  assert.equal(isText('a\rb', 30), false);
});

test('a web address is https, or of this machine', () => {
  for (const right of [
    'https://a.example/x?y=1',
    'HTTPS://A.example',
    'http://localhost:3000/',
    'http://[::1]/',
  ])
    assert.ok(isWebAddress(right), right);
  for (const wrong of [
    'http://a.example',
    'javascript:alert(1)',
    'https://a b',
    'https://',
    ' https://a.example',
    `https://a.example/${'x'.repeat(2_048)}`,
    'https://a.example/\u2028',
    '//a.example',
  ])
    assert.ok(!isWebAddress(wrong), wrong);
});

test('the address of a picture is https, without a user name', () => {
  for (const right of ['https://a.example/x.png?y=1', 'HTTPS://A.example/x', 'https://localhost:8443/x.png'])
    assert.ok(isPictureAddress(right), right);
  for (const wrong of [
    'http://localhost:3000/x.png',
    'http://127.0.0.1/x.png',
    'http://[::1]/x.png',
    'https://user@a.example/x.png',
    'https://user:word@a.example/x.png',
    'data:image/png;base64,AAAA',
    'https://a b/x.png',
  ])
    assert.ok(!isPictureAddress(wrong), wrong);
});
