import type { Measured, Setup, TABLES } from './capacity.ts';
import { median } from './statistics.ts';

type Tables = typeof TABLES;
type Rounds = (setup: Setup) => readonly Measured[];

const TITLES: Readonly<Record<string, string>> = {
  callers: 'One process with more or fewer callers. Calls that arrive together share a transaction.',
  callersEach: 'Several processes, each with as many callers as one alone:',
  callersInAll:
    'Several processes, with as many callers in all as one alone. Fewer calls of each share a transaction:',
  'one member': 'All callers buy for one member:',
  'one shop': 'All callers are of one shop:',
  'a limited benefit': 'All callers exchange points for benefits, half of them for one with a limit:',
  pools: 'One process with more or fewer connections to the database:',
};

/** Returns the tables of docs/capacity.md. */
export function writeCapacityTables(tables: Tables, rounds: Rounds): string {
  return Object.entries(tables)
    .map(([name, setups]) => [TITLES[name]!, '', ...tableOf(setups, rounds)].join('\n'))
    .join('\n\n');
}

function tableOf(setups: readonly Setup[], rounds: Rounds): string[] {
  const first = rounds(setups[0]!);
  return [
    '| processes | callers | pool | calls a second | p99 ms | calls a transaction | Node µs a call | PostgreSQL µs a call | connections | MB a process |',
    '|---|---|---|---|---|---|---|---|---|---|',
    ...setups.map((setup) => {
      const mine = rounds(setup);
      const of = (read: (one: Measured) => number) => median(mine.map(read));
      const compared = (read: (one: Measured) => number, digits = 0) =>
        `${of(read).toFixed(digits)} (${median(mine.map((one, round) => read(one) / read(first[round]!))).toFixed(2)})`;
      return `| ${[
        setup.processes,
        setup.callers,
        setup.pool,
        compared((one) => one.perSecond),
        of((one) => one.p99Ms).toFixed(0),
        compared((one) => one.callsPerTransaction, 1),
        compared((one) => one.nodeMicros),
        compared((one) => one.postgresMicros),
        of((one) => one.opened).toFixed(0),
        memoryOf(mine),
      ].join(' | ')} |`;
    }),
  ];
}

function memoryOf(rounds: readonly Measured[]): string {
  const each = median(rounds.map((one) => one.memoryMb)).toFixed(0);
  const supervisors = rounds.flatMap(({ supervisorMb }) => (supervisorMb === null ? [] : [supervisorMb]));
  return supervisors.length === 0 ? each : `${each}, and ${median(supervisors).toFixed(0)}`;
}
