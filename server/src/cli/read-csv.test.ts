import assert from 'node:assert/strict';
import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { stringify } from 'csv-stringify/sync';
import * as fc from '#test/random.ts';
import { NEVER_CLOSED, readCsv, type CsvLine } from './read-csv.ts';

const COLUMNS = {
  required: ['email'],
  optional: ['name', 'points'],
  exported: ['email', 'points', 'state'],
  aliases: { 'E-mail address': 'email', mail: 'email' },
} as const;
type Line = CsvLine<'email' | 'name' | 'points'>;

test('quoted fields, a byte order mark, Windows line ends and empty lines are read with the right line numbers', async () => {
  const text =
    '\ufeffEmail,Name\r\na@b.cc,"Ana ""la"" Luz"\r\n\r\n"b@b.cc","two\r\nlines"\r\n c@b.cc ,\r\n,\r\nd@b.cc,"x"';
  assert.deepEqual(await read(text), [
    { line: 2, fields: { email: 'a@b.cc', name: 'Ana "la" Luz' } },
    { line: 4, fields: { email: 'b@b.cc', name: 'two\nlines' } },
    { line: 6, fields: { email: 'c@b.cc', name: '' } },
    { line: 8, fields: { email: 'd@b.cc', name: 'x' } },
  ]);
});

test('semicolons and tabs are separators too, and a column may have another name', async () => {
  const row = [{ line: 2, fields: { email: 'a@b.cc', points: '3' } }];
  assert.deepEqual(await read('mail;points\na@b.cc;3\n'), row);
  assert.deepEqual(await read('mail\tpoints\na@b.cc\t3\n'), row);
});

test('the apostrophe that exports put before a text that looks like a formula is removed', async () => {
  assert.deepEqual(await read("email,name\na@b.cc,'+34600\n"), [
    { line: 2, fields: { email: 'a@b.cc', name: '+34600' } },
  ]);
});

test('a line with the wrong number of fields or a lost character is reported, and the rest is read', async () => {
  assert.deepEqual(await read('email,name\na@b.cc\nb@b.cc,Jos\ufffd\nc@b.cc,José,,\nd@b.cc,ok\n'), [
    { line: 2, reason: 'has 1 field, but the header has 2' },
    { line: 3, reason: 'has a � in place of a letter that was lost: export the file again as UTF-8' },
    { line: 4, reason: 'has 4 fields, but the header has 2' },
    { line: 5, fields: { email: 'd@b.cc', name: 'ok' } },
  ]);
});

test('a file in another encoding is refused as a whole with a sentence that says what to do', async () => {
  const text = 'email,name\na@b.cc,José\n';
  const bigEndian = Buffer.from(`\ufeff${text}`, 'utf16le').swap16();
  for (const utf16 of [Buffer.from(`\ufeff${text}`, 'utf16le'), Buffer.from(text, 'utf16le'), bigEndian])
    await assert.rejects(read(utf16), /is UTF-16, not UTF-8\. Save it as “CSV UTF-8”/);
  await assert.rejects(read(Buffer.from(text, 'latin1')), /Line 2 is not UTF-8.*Save it as “CSV UTF-8”/);
  await assert.rejects(read(Buffer.concat([Buffer.from(text), Buffer.from([0xc3])])), /Line 3 is not UTF-8/);
});

test('every file that is not UTF-8 is refused, in chunks of any size', async () => {
  const bytes = fc.uint8Array({ maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(bytes, fc.integer({ min: 1, max: 5 }), async (name, size) => {
      const csv = Buffer.concat([Buffer.from('email,name\na@b.cc,'), name, Buffer.from('x\n')]);
      const pieces = Array.from({ length: Math.ceil(csv.length / size) }, (_, i) =>
        csv.subarray(i * size, (i + 1) * size),
      );
      const reading = read(Readable.from(pieces, { objectMode: false }));
      if (isUtf8(csv)) await reading;
      else await assert.rejects(reading, /UTF-8/);
    }),
  );
});

test('a header may differ from a column in case, blanks, hyphens and underscores, and have another name', async () => {
  const row = [{ line: 2, fields: { email: 'a@b.cc', points: '3' } }];
  for (const header of ['E-Mail Address,POINTS', 'e_mail_address,Po-ints', 'EMail  address, points'])
    assert.deepEqual(await read(`${header}\na@b.cc,3\n`), row, header);
});

test('reading stops at a quotation mark that is never closed, even in a long file', async () => {
  for (const rest of ['', 'b@b.cc,x\n'.repeat(20_000)]) {
    assert.deepEqual(await read(`email,name\na@b.cc,x\nb@b.cc,"never\n${rest}`), [
      { line: 2, fields: { email: 'a@b.cc', name: 'x' } },
      { line: 3, reason: NEVER_CLOSED },
    ]);
  }
});

test('a file without a header is refused', async () => {
  await assert.rejects(read(''), /empty/);
  await assert.rejects(read('a@b.cc,Ana\n'), /no column email/);
  await assert.rejects(
    read('E-Mail,points,Mail\n'),
    /The columns "E-Mail" and "Mail" both mean email\. Rename or delete one of them\./,
  );
  await assert.rejects(read('email\n'), /no rows/);
  await assert.rejects(read('email,name\n,\n\n'), /no rows/);
  await assert.rejects(read('"email\n'), /not CSV/);
});

test('an unknown column is refused with the name that is meant, and --ignore leaves it out', async () => {
  await assert.rejects(
    read('email,pints,Shoe\na@b.cc,320,44\n'),
    /unknown columns "pints" \(did you mean points\?\), "Shoe"\. .*: --ignore "pints" --ignore "Shoe"\. Nothing was imported\.$/,
  );
  await assert.rejects(read('emial,points\na@b.cc,3\n'), /no column email\. Did you mean email by "emial"\?/);
  const ignored: string[] = [];
  const lines = await read('Shoe Size,email,points\n44,a@b.cc,3\n', ignored, [
    'shoe_size',
    'points',
    'other',
  ]);
  assert.deepEqual([lines, ignored], [[{ line: 2, fields: { email: 'a@b.cc' } }], ['Shoe Size', 'points']]);
});

test('a file that has all columns of an export is read without those that an import does not know', async () => {
  const row = [{ line: 2, fields: { email: 'a@b.cc', points: '3' } }];
  assert.deepEqual(await read('email,points,state\na@b.cc,3,member\n'), row);
  await assert.rejects(read('email,state\na@b.cc,member\n'), /unknown column "state"/);
});

test('a column without a name may be there if it is empty', async () => {
  assert.deepEqual(await read('email,,\na@b.cc,,\nb@b.cc,,7\n'), [
    { line: 2, fields: { email: 'a@b.cc' } },
    { line: 3, reason: 'has a value in column 3, which has no name' },
  ]);
});

test('a workbook of a spreadsheet is recognised and refused in words', async () => {
  for (const mark of [Buffer.from('PK\u0003\u0004'), Buffer.from([0xd0, 0xcf, 0x11, 0xe0])])
    await assert.rejects(
      read(Buffer.concat([mark, Buffer.from([0x14, 0, 6, 0, 8, 0])])),
      /is a workbook of a spreadsheet, such as \.xlsx.* Save it as “CSV UTF-8”.* Nothing was imported\./,
    );
});

test('any CSV that is written can be read back, in chunks of any size', async () => {
  const text = fc.stringMatching(/^[a-z ,;"\r\n\té€😀]{0,12}$/u);
  const rows = fc.array(fc.tuple(text, text), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(rows, fc.integer({ min: 1, max: 9 }), fc.boolean(), async (rows, size, windows) => {
      const csv = Buffer.from(
        stringify([['email', 'name'], ...rows], { quoted: true, record_delimiter: windows ? '\r\n' : '\n' }),
      );
      const pieces = Array.from({ length: Math.ceil(csv.length / size) }, (_, i) =>
        csv.subarray(i * size, (i + 1) * size),
      );
      const normalise = (text: string) => text.replace(/\r\n?/g, '\n').trim();
      const expected = rows
        .map((row) => row.map(normalise))
        .filter(([email, name]) => email !== '' || name !== '');
      const reading = read(Readable.from(pieces, { objectMode: false }));
      if (expected.length === 0) return assert.rejects(reading, /no rows/);
      const got = (await reading).map((line) =>
        'fields' in line ? [line.fields.email, line.fields.name] : line,
      );
      assert.deepEqual(got, expected);
    }),
  );
});

async function read(
  source: string | Buffer | Readable,
  ignored: string[] = [],
  ignore: readonly string[] = [],
): Promise<Line[]> {
  const input =
    source instanceof Readable ? source : Readable.from([Buffer.from(source)], { objectMode: false });
  const lines: Line[] = [];
  for await (const line of readCsv(input, COLUMNS, ignore, (names) => ignored.push(...names)))
    lines.push(line);
  return lines;
}
