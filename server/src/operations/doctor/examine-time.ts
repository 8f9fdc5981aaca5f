import { sql, type Database } from '#db/database.ts';
import { problem, warning, type Finding } from './finding.ts';

export interface TimeFacts {
  /** By how much this machine's clock is ahead of the database's. */
  readonly clockAheadSeconds: number;
  /** The version of the time zones that Node knows. PostgreSQL does not tell its own. */
  readonly nodeTimeZones: string;
  /** Time zones of commerces, and how many of them PostgreSQL sees differently within the next two years. */
  readonly timeZones: number;
  readonly differingTimeZones: readonly string[];
}

const MOST_AHEAD_SECONDS = 5;
/** Changes of an hour lie months apart, so every tenth day finds them. */
const DAYS = Array.from({ length: 74 }, (_, i) => i * 10);

/** Compares the clocks and the time zones of this machine and of the database. */
export async function examineTime(db: Database): Promise<{ facts: TimeFacts; findings: Finding[] }> {
  const clockAheadSeconds = await readClockAhead(db);
  const zones = await readZones(db);
  const unknown = zones.filter((zone) => !isKnown(zone));
  const differing = await findDiffering(
    db,
    zones.filter((zone) => !unknown.includes(zone)),
  );
  return {
    facts: {
      clockAheadSeconds: Math.round(clockAheadSeconds * 1000) / 1000,
      nodeTimeZones: process.versions['tz'] ?? 'unknown',
      timeZones: zones.length,
      differingTimeZones: differing,
    },
    findings: [
      ...findInClock(clockAheadSeconds),
      ...unknown.map((zone) =>
        problem(
          'time zones',
          `Node does not know the time zone ${zone}, which a commerce has.`,
          'Correct `time_zone` in its program file, or update Node.',
        ),
      ),
      ...differing.map((zone) =>
        warning(
          'time zones',
          `Node and PostgreSQL disagree about the time zone ${zone} within the next two years.`,
          'Update the older one: the time zones of Node come with Node, those of PostgreSQL with it or with the tzdata of its machine. The service counts days by Node.',
        ),
      ),
    ],
  };
}

function findInClock(ahead: number): Finding[] {
  if (Math.abs(ahead) <= MOST_AHEAD_SECONDS) return [];
  return [
    problem(
      'clock',
      `The clock of this machine is ${Math.abs(ahead).toFixed(1)} seconds ${ahead > 0 ? 'ahead of' : 'behind'} the database’s.`,
      'Mend the time service of the machine that is wrong (`timedatectl`).',
    ),
  ];
}

/** Takes the quickest of three answers, because a slow one says little. */
async function readClockAhead(db: Database): Promise<number> {
  let best = { took: Infinity, ahead: 0 };
  for (let i = 0; i < 3; i++) {
    const asked = Date.now();
    const { rows } = await sql<{ now: number }>`
      select extract(epoch from clock_timestamp())::float * 1000 as now`.execute(db);
    const answered = Date.now();
    if (answered - asked < best.took)
      best = { took: answered - asked, ahead: ((asked + answered) / 2 - rows[0]!.now) / 1000 };
  }
  return best.ahead;
}

async function readZones(db: Database): Promise<string[]> {
  const { rows: tables } = await sql<{ exists: boolean }>`
    select to_regclass('commerces') is not null as exists`.execute(db);
  if (!tables[0]!.exists) return [];
  const { rows } = await sql<{ zone: string }>`
    select distinct time_zone as zone from commerces where status <> 'closed' order by 1`.execute(db);
  return rows.map(({ zone }) => zone);
}

function isKnown(zone: string): boolean {
  try {
    Temporal.Now.zonedDateTimeISO(zone);
    return true;
  } catch {
    return false;
  }
}

/** Asks PostgreSQL and Node for the local time of the same instants. A zone that PostgreSQL does not know differs, too. */
async function findDiffering(db: Database, zones: readonly string[]): Promise<string[]> {
  if (zones.length === 0) return [];
  const start = Math.floor(Date.now() / 1000);
  const { rows } = await sql<{ zone: string; offsets: number[] | null }>`
    select z.zone,
           (select array_agg(extract(epoch from (to_timestamp(t) at time zone z.zone) - (to_timestamp(t) at time zone 'UTC'))::integer
                             order by t)
              from unnest(${DAYS.map((day) => start + day * 86_400)}::bigint[]) t
             where exists (select from pg_timezone_names n where n.name = z.zone)) as offsets
      from unnest(${zones}::text[]) z(zone)`.execute(db);
  return rows
    .filter(
      ({ zone, offsets }) =>
        offsets === null || DAYS.some((day, i) => offsets[i] !== offsetOf(zone, start + day * 86_400)),
    )
    .map(({ zone }) => zone);
}

/** Returns by how many seconds local time is ahead of UTC, as Node sees it. */
function offsetOf(zone: string, seconds: number): number {
  return (
    Temporal.Instant.fromEpochMilliseconds(seconds * 1000).toZonedDateTimeISO(zone).offsetNanoseconds / 1e9
  );
}
