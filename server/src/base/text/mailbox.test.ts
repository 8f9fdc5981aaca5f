import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '#test/random.ts';
import { sql } from '#db/database.ts';
import { service } from '#test/harness.ts';
import { normaliseEmail } from './email-address.ts';
import { mailboxOf } from './mailbox.ts';

test('a tag leads to the same mailbox everywhere, dots and the second name only at Gmail', () => {
  for (const [email, mailbox] of [
    ['ana@example.com', 'ana@example.com'],
    ['ana+shop@example.com', 'ana@example.com'],
    ['ana+a+b@example.com', 'ana@example.com'],
    ['a.n.a@example.com', 'a.n.a@example.com'],
    ['a.n.a+x@gmail.com', 'ana@gmail.com'],
    ['an.a@googlemail.com', 'ana@gmail.com'],
    ['a.n.a@mail.gmail.com', 'a.n.a@mail.gmail.com'],
    ['+ana@example.com', '+ana@example.com'],
    ['+@example.com', '+@example.com'],
  ] as const)
    assert.equal(mailboxOf(email), mailbox);
});

test('the database folds addresses in the same way', async () => {
  const { db } = await service();
  const local = fc.string({
    unit: fc.constantFrom('a', 'b', '.', '+', '_', '-'),
    minLength: 1,
    maxLength: 12,
  });
  const domain = fc.constantFrom('gmail.com', 'googlemail.com', 'example.com', 'gmail.com.ar');
  const texts = fc.sample(
    fc.tuple(local, domain).map(([name, host]) => `${name}@${host}`),
    500,
  );
  const emails = texts.filter((text) => normaliseEmail(text) === text);
  assert.ok(emails.length > 100);
  const { rows } = await sql<{ email: string; mailbox: string }>`
    select email, mailbox_of(email) as mailbox from unnest(${emails}::text[]) as e(email)`.execute(db);
  for (const { email, mailbox } of rows) assert.equal(mailbox, mailboxOf(email), email);
});
