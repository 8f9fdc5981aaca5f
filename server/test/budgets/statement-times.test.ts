import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timesIn } from '../../../bench/statement-costs.ts';

test('processor time is added up by statement, from the log as PostgreSQL writes it', () => {
  const entry = (id: string, what: string, user: string, system: string) => `${id}|LOG:  ${what} STATISTICS
${id}|DETAIL:  ! system usage stats:
\t!\t${user} s user, ${system} s system, 0.003505 s elapsed
\t!\t[0.008799 s user, 0.008799 s system total]
\t!\t21684 kB max resident size
`;
  const log = [
    entry('-8893744919220897210', 'BIND MESSAGE', '0.000011', '0.000000'),
    '0|LOG:  received SIGHUP, reloading configuration files\n',
    entry('6097083398544187049', 'QUERY', '0.000034', '0.000001'),
    entry('-8893744919220897210', 'EXECUTE MESSAGE', '0.000014', '0.000005'),
  ];
  const times = [...timesIn(log.join(''))].map(([id, micros]) => [id, Math.round(micros)]);
  assert.deepEqual(times, [
    ['-8893744919220897210', 30],
    ['6097083398544187049', 35],
  ]);
});
