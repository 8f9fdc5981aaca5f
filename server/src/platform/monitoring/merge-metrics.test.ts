import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mergeMetrics } from './merge-metrics.ts';

test('metrics of several processes are one page: each family once, each sample with its process', () => {
  const text = (calls: number) =>
    [
      '# HELP calls_total Number of calls.',
      '# TYPE calls_total counter',
      `calls_total{route="/v1/{id}",status="200"} ${calls}`,
      '',
      '# HELP oldest_seconds Age.',
      '# TYPE oldest_seconds gauge',
      'oldest_seconds 0.5',
      '',
    ].join('\n');
  const onlyHere = '# HELP late_total Late.\n# TYPE late_total counter\nlate_total 1\n';
  assert.equal(
    mergeMetrics([
      { process: 1, text: text(3) },
      { process: 2, text: text(4) + onlyHere },
    ]),
    `# HELP calls_total Number of calls.
# TYPE calls_total counter
calls_total{process="1",route="/v1/{id}",status="200"} 3
calls_total{process="2",route="/v1/{id}",status="200"} 4

# HELP oldest_seconds Age.
# TYPE oldest_seconds gauge
oldest_seconds{process="1"} 0.5
oldest_seconds{process="2"} 0.5

# HELP late_total Late.
# TYPE late_total counter
late_total{process="2"} 1
`,
  );
});
