import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChartColumn, ChartSeries } from '../../../console/src/reports/chart-look.ts';
import { cutAxis, cutColumns, cutOf } from '../../../console/src/reports/cut-axis.ts';

const USUAL = [40, 55, 61, 48, 52, 70, 44, 58, 0, 63];

test('an axis is cut below a figure of more than ten times the next one', () => {
  assert.equal(cutOf([...USUAL, 453_914_897]), 84);
  assert.equal(cutOf([...USUAL, 701]), 84);
  assert.equal(cutOf([...USUAL, 700]), null);
  assert.equal(cutOf(USUAL), null);
});

test('two slips are cut like one, but figures that are often large are usual', () => {
  const month = Array.from({ length: 30 }, (_, day) => 40 + day);
  assert.equal(cutOf([...month, 50_000, 700_000]), 69 * 1.2);
  assert.equal(cutOf([...month.slice(0, 10), 50_000, 60_000]), null);
});

test('a few figures say nothing about what is usual', () => {
  assert.equal(cutOf([]), null);
  assert.equal(cutOf([0, 0, 9]), null);
  assert.equal(cutOf([3, 4, 5, 900]), null);
});

const columns = (n: number): ChartColumn[] =>
  Array.from({ length: n }, (_, i) => ({ label: `day ${i}`, short: String(i) }));
const series = (fields: Partial<ChartSeries> & Pick<ChartSeries, 'values'>): ChartSeries => ({
  label: 'Amount',
  look: 'bar',
  tone: 'main',
  says: [],
  ...fields,
});

test('bars count with what is stacked on them, above and below zero by themselves', () => {
  const look = {
    columns: columns(6),
    series: [
      series({ values: [40, 50, 40, 50, 40, 30] }),
      series({ values: [20, 10, 20, 10, 20, 9_000] }),
      series({ values: [5, 5, 6_000, 5, 5, 5], isDown: true }),
    ],
  };
  const cut = cutAxis(look);
  assert.deepEqual(cut, { above: 72, below: 6 });
  assert.deepEqual(cutColumns(look, cut), [
    { column: 2, series: 2 },
    { column: 5, series: 1 },
  ]);
});

test('the range before is cut with the bars, and a chart of lines alone is not', () => {
  const jump = [5, 6, 5, 6, 5, 9_000];
  const before = series({ values: jump, look: 'dashed' });
  const look = { columns: columns(6), series: [series({ values: [5, 6, 5, 6, 5, 6] }), before] };
  assert.ok(Math.abs(cutAxis(look).above! - 7.2) < 0.001);
  assert.deepEqual(cutColumns(look, cutAxis(look)), [{ column: 5, series: 1 }]);
  const line = { columns: columns(6), series: [series({ values: jump, look: 'area' })] };
  assert.deepEqual(cutAxis(line), { above: null, below: null });
});
