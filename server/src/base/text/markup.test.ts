import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Html, markup } from './markup.ts';

test('texts are escaped, for elements and attributes', () => {
  const name = `<b> & "it's"`;
  const escaped = '&lt;b&gt; &amp; &quot;it&#39;s&quot;';
  assert.equal(String(markup`<p title="${name}">${name}</p>`), `<p title="${escaped}">${escaped}</p>`);
});

test('HTML inside HTML stays as it is, lists are joined, and nothing is nothing', () => {
  const items = ['a', '<'].map((text) => markup`<li>${text}</li>`);
  assert.equal(
    String(markup`<ul>${items}</ul>${null}${false}${[]}${7}`),
    '<ul><li>a</li><li>&lt;</li></ul>7',
  );
  assert.equal(String(markup`${new Html('<br>')}`), '<br>');
});

test('a backslash of the template is written as it is read', () => {
  assert.equal(String(markup`<input pattern="[\\w]">`), '<input pattern="[\\w]">');
});
