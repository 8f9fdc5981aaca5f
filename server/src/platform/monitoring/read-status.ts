import { sql, type Db } from '#db/database.ts';
import type { WatchedWork } from './watched-work.ts';

/** The state shared by all processes on one database, as monitoring shows it. Every process reads the same figures. */
export interface Status {
  readonly outbox: { readonly urgent: WaitingMails; readonly ordinary: WaitingMails };
  readonly jobs: readonly JobStatus[];
  /** Work that was done or tried at least once. */
  readonly work: readonly WorkStatus[];
  readonly ledger: LedgerStatus;
  readonly webhooks: WebhookStatus;
  readonly server: ServerStatus;
}

interface WaitingMails {
  /** At most `MOST_COUNTED`. */
  readonly waiting: number;
  /** The age of the oldest of them that the mail server has not put off by itself, as for a full mailbox. 0 if none waits. */
  readonly oldestSeconds: number;
}

interface JobStatus {
  readonly job: string;
  readonly startedAt: number | null;
  /** When its last round ended that was not cut short, whether or not it failed somewhere. */
  readonly finishedAt: number | null;
  readonly seconds: number | null;
  readonly failingSince: number | null;
  readonly failingCommerces: number;
}

interface WorkStatus {
  readonly name: WatchedWork;
  readonly succeededAt: number | null;
  readonly failingSince: number | null;
}

interface LedgerStatus {
  /** Differences that the last checks of all open commerces found. */
  readonly differences: number;
  /** The oldest of the last checks of all open commerces. Null if none was checked. */
  readonly checkedAt: number | null;
  /** Open commerces that were never checked. */
  readonly unchecked: number;
  /** Movements that are sealed, of all open commerces. */
  readonly sealed: number;
  /** When movements were last sealed, at any commerce. Null if none were. */
  readonly sealedAt: number | null;
  /** Open commerces of which a published head is not of this history. */
  readonly rewritten: number;
}

interface WebhookStatus {
  readonly enabled: number;
  /** Those of them that took nothing in their last turn. */
  readonly failing: number;
  readonly disabled: number;
  /**
   * How long a delivery that is tried again has been due, or a turn over that its process did not end. 0 while they keep up. A pause of a
   * failing webhook does not count.
   */
  readonly lateSeconds: number;
}

interface ServerStatus {
  /** By how much the clock of this process is ahead of the database's. */
  readonly clockAheadSeconds: number;
  readonly connections: number;
  readonly mostConnections: number;
  /** The age of the oldest transaction of this program. */
  readonly oldestTransactionSeconds: number;
}

/** Mails are counted up to here, so that a long queue does not make monitoring slow. */
export const MOST_COUNTED = 10_000;

/** Reads the status in time that does not grow with the size of the ledger or with the number of mails sent. */
export async function readStatus(db: Db): Promise<Status> {
  const [outbox, jobs, work, ledger, webhooks, server] = await Promise.all([
    readOutbox(db),
    readJobs(db),
    readWork(db),
    readLedger(db),
    readWebhooks(db),
    readServer(db),
  ]);
  return { outbox, jobs, work, ledger, webhooks, server };
}

async function readOutbox(db: Db): Promise<Status['outbox']> {
  const { rows } = await sql<WaitingMails & { urgent: boolean }>`-- watch-outbox
    select q.urgent, count(o.at)::integer as waiting,
           coalesce(greatest(0, extract(epoch from now() - min(o.at) filter (where not o.put_off))), 0)::float as "oldestSeconds"
      from (values (true), (false)) q(urgent)
      left join lateral (
             select created_at as at, put_off
               from outbox
              where urgent = q.urgent and sent_at is null and failed_at is null
              order by turn, due_at
              limit ${MOST_COUNTED}
           ) o on true
     group by q.urgent`.execute(db);
  const of = (wanted: boolean): WaitingMails => {
    const { waiting, oldestSeconds } = rows.find(({ urgent }) => urgent === wanted)!;
    return { waiting, oldestSeconds };
  };
  return { urgent: of(true), ordinary: of(false) };
}

async function readJobs(db: Db): Promise<JobStatus[]> {
  const { rows } = await sql<JobStatus>`-- watch-jobs
    select j.name as job, extract(epoch from j.started_at)::float as "startedAt",
           extract(epoch from j.finished_at)::float as "finishedAt", j.ran_seconds as seconds,
           extract(epoch from j.failing_since)::float as "failingSince",
           coalesce(c.failing, 0)::integer as "failingCommerces"
      from jobs j
      left join (select job, count(*) as failing
                   from commerce_jobs
                  where failing_since is not null
                  group by job) c on c.job = j.name
     order by j.name`.execute(db);
  return rows;
}

async function readWork(db: Db): Promise<WorkStatus[]> {
  const { rows } = await sql<WorkStatus>`-- watch-work
    select name, extract(epoch from succeeded_at)::float as "succeededAt",
           extract(epoch from failing_since)::float as "failingSince"
      from watched_work`.execute(db);
  return rows;
}

async function readLedger(db: Db): Promise<LedgerStatus> {
  const { rows } = await sql<LedgerStatus>`-- watch-ledger
    select coalesce(sum(l.differences), 0)::integer as differences,
           extract(epoch from min(l.checked_at))::float as "checkedAt",
           (count(*) - count(l.commerce_id))::integer as unchecked,
           coalesce(sum(s.size), 0)::bigint as sealed, extract(epoch from max(s.sealed_at))::float as "sealedAt",
           count(s.rewritten_at)::integer as rewritten
      from commerces c
      left join ledger_checks l on l.commerce_id = c.id
      left join seal_logs s on s.commerce_id = c.id
     where c.status <> 'closed'`.execute(db);
  return rows[0]!;
}

async function readWebhooks(db: Db): Promise<WebhookStatus> {
  const { rows } = await sql<WebhookStatus>`-- watch-webhooks
    select (count(*) filter (where w.disabled_at is null))::integer as enabled,
           (count(*) filter (where w.disabled_at is null and w.failures > 0))::integer as failing,
           (count(*) filter (where w.disabled_at is not null))::integer as disabled,
           coalesce(greatest(0, extract(epoch from now() - min(greatest(w.next_at, least(w.retry_at, w.leased_until)))
                      filter (where w.disabled_at is null and c.status <> 'closed'))), 0)::float as "lateSeconds"
      from webhooks w
      join commerces c on c.id = w.commerce_id`.execute(db);
  return rows[0]!;
}

async function readServer(db: Db): Promise<ServerStatus> {
  const asked = Date.now() / 1000;
  const { rows } = await sql<Omit<ServerStatus, 'clockAheadSeconds'> & { now: number }>`-- watch-server
    select extract(epoch from clock_timestamp())::float as now,
           -- A role sees of the sessions of other roles only that they are there.
           (select sum(numbackends)::integer from pg_stat_database) as connections,
           current_setting('max_connections')::integer as "mostConnections",
           coalesce(extract(epoch from clock_timestamp() - min(xact_start)
                      filter (where datname = current_database() and application_name = 'loyalty' and pid <> pg_backend_pid())),
                    0)::float as "oldestTransactionSeconds"
      from pg_stat_activity
     where backend_type = 'client backend'`.execute(db);
  const { now, ...rest } = rows[0]!;
  return { ...rest, clockAheadSeconds: clockAhead(asked, now, Date.now() / 1000) };
}

/**
 * Returns by how much this clock is ahead at least. The database read its clock at some instant between the two readings of this one,
 * perhaps after a long wait for a connection, so anything between them is right.
 */
function clockAhead(asked: number, read: number, answered: number): number {
  return read < asked ? asked - read : Math.min(0, answered - read);
}
