import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeQR } from 'qr';
import { qrPath } from '../../../ui/src/qr-path.ts';

test('the path of a QR code covers exactly its dark squares, inside a quiet zone of four', () => {
  const { size, path } = qrPath('482915374');
  const rows = encodeQR('482915374', 'raw', { ecc: 'medium', border: 4 });
  const covered = new Set([...path.matchAll(/M(\d+) (\d+)h1v1h-1z/g)].map(([, x, y]) => `${x} ${y}`));
  assert.equal(path.replaceAll(/M\d+ \d+h1v1h-1z/g, ''), '');
  for (const [y, row] of rows.entries())
    for (const [x, isDark] of row.entries()) assert.equal(covered.has(`${x} ${y}`), isDark, `${x} ${y}`);
  const inside = [...covered].every((at) => at.split(' ').every((n) => +n >= 4 && +n < size - 4));
  assert.ok(inside, 'nothing is drawn in the quiet zone');
});
