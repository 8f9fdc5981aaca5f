/** The type check fails if a misuse below compiles. `misuses` is never run. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setClock } from '#commerces/clock.ts';
import { readCommerce } from '#commerces/commerce.ts';
import { lockMember } from '#members/lock-members.ts';
import { filesThatEnd, read } from '#test/repository.ts';
import { transaction, type Database, type Db, type Tx } from './database.ts';

export async function misuses(database: Database, db: Db, tx: Tx): Promise<void> {
  const member = { commerceId: 1, id: 1 };
  // @ts-expect-error A lock on the pool would be released as soon as it is taken.
  await lockMember(database, member);
  // @ts-expect-error A Db may be the pool.
  await lockMember(db, member);
  // @ts-expect-error Only the pool opens transactions, so they cannot be nested.
  await transaction(tx, (inner) => lockMember(inner, member));
  // @ts-expect-error A Db may already be a transaction.
  await transaction(db, (inner) => lockMember(inner, member));
  // @ts-expect-error This commits on its own, so a rollback of the transaction would not undo it.
  await setClock(tx, 1, new Date(0));

  await transaction(database, (inner) => lockMember(inner, member));
  await setClock(database, 1, new Date(0));
  for (const reader of [database, db, tx]) await readCommerce(reader, 1);
}

test('no function that takes a Db writes or locks', () => {
  const writes =
    /\b(insert into|update [a-z_]+|delete from|for (no key )?update|pg_(try_)?advisory_xact_lock)\b/;
  const wrong = filesThatEnd('.ts', 'server/src')
    .filter((path) => !path.endsWith('.test.ts'))
    .flatMap((path) =>
      functionsOf(read(path))
        .filter((text) => /\bdb: Db\b/.test(text) && writes.test(text))
        .map((text) => `${path}: ${text.split('\n')[0]}`),
    );
  assert.deepEqual(wrong, []);
});

function functionsOf(text: string): string[] {
  return text.match(/^(export )?(async )?function\*? [^]*?^\}$/gm) ?? [];
}
