import assert from 'node:assert/strict';
import { test } from 'node:test';
import { languageOf, languageWanted } from './language.ts';

for (const [locale, language] of [
  ['es', 'es'],
  ['es-AR', 'es'],
  ['ES-ar', 'es'],
  ['es-419', 'es'],
  ['est', 'en'],
  ['eso', 'en'],
  ['en-ES', 'en'],
  ['pt-BR', 'en'],
] as const)
  test(`a shop whose locale is ${locale} writes in ${language}`, () => {
    assert.equal(languageOf(locale), language);
  });

for (const [header, language] of [
  [undefined, null],
  ['', null],
  ['es', 'es'],
  ['ES-ar,en;q=0.5', 'es'],
  ['fr, en;q=0.8, es;q=0.5', 'en'],
  ['est, es', 'es'],
  ['*', null],
] as const)
  test(`who asks for ${header ?? 'nothing'} gets ${language ?? 'what the shop speaks'}`, () => {
    assert.equal(languageWanted(header), language);
  });
