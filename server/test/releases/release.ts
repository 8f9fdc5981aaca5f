/**
 * A frozen release: what it stored, and what it answered. Each is a folder here, named by its version, and is never
 * changed again, but for the list of answers that a later decision changed.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Traced } from './trace.ts';

/** A call that changes nothing, and what the release answered. */
export interface Call {
  /** Slug of the commerce. */
  readonly at: string;
  /** `key`, `office`, `visitor`, or the address of a signed-in person. */
  readonly by: string;
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  readonly status: number;
  /** Parsed. */
  readonly answer: unknown;
}

/** A call with an idempotency key that had an effect: repeated, it gets this answer to the byte. */
export interface Replay {
  readonly at: string;
  readonly by: string;
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  readonly idempotencyKey: string;
  readonly status: number;
  readonly text: string;
  readonly consumptionId: number | null;
}

/** How a movement of the ledger was explained. */
export interface Explained {
  readonly at: string;
  readonly movement: number;
  readonly sentence: string;
}

/** What callers of the release hold, and what its service signed with. */
export interface Credentials {
  readonly version: string;
  /** Of the tree that wrote this. */
  readonly commit: string;
  readonly secret: string;
  readonly shops: Readonly<
    Record<
      string,
      {
        readonly id: number;
        readonly status: 'active' | 'paused' | 'closed';
        readonly key: string;
        /** Of the back office; release 0.1.0 had none. */
        readonly officeKey?: string;
        readonly revokedKey: string;
      }
    >
  >;
  /** Refresh tokens of living sessions, by address. */
  readonly refresh: Readonly<Record<string, string>>;
  readonly endedSessions: readonly { readonly refresh: string; readonly why: string }[];
  /** Sign-in codes that are on their way and not used yet. */
  readonly codes: readonly { readonly at: string; readonly email: string; readonly otp: string }[];
  /** Used up by wrong tries, or expired. */
  readonly deadCodes: readonly { readonly at: string; readonly email: string; readonly otp: string }[];
  /** An access token as it was signed: whose, its two parts but for its times, and the key in hexadecimal. */
  readonly accessToken: {
    readonly email: string;
    readonly header: object;
    readonly payload: object;
    readonly key: string;
  };
}

/** What the release's service did after its database was written down: statements, and what was answered then. */
export interface LastMinutes {
  readonly sent: readonly Traced[];
  /** Only those that the first answers do not say. */
  readonly calls: readonly Call[];
  readonly replays: readonly Replay[];
  /** Refresh tokens of those who signed in only then, by address. */
  readonly refresh: Readonly<Record<string, string>>;
}

/** Answers that a decision changed: why, and what the calls by their names get now. */
export interface Change {
  /** The path of a document, such as a page of `docs/decisions/`, a colon, and what changed in a sentence. */
  readonly decision: string;
  readonly answers: Readonly<Record<string, { readonly status: number; readonly answer: unknown }>>;
}

export interface Release {
  readonly version: string;
  readonly folder: string;
  /** Schema and rows, to be run on an empty database. */
  readonly database: string;
  readonly credentials: Credentials;
  readonly calls: readonly Call[];
  readonly replays: readonly Replay[];
  readonly explained: readonly Explained[];
  /** Every statement that the release sent, but for those that open and end transactions. */
  readonly statements: readonly string[];
  readonly lastMinutes: LastMinutes;
  readonly changes: readonly Change[];
  /** Program files by slug: as written by hand, and as the release exported them. */
  readonly programs: Readonly<Record<string, string>>;
  /** Imported CSV files, by `slug.members.csv` and `slug.purchases.csv`. */
  readonly imports: Readonly<Record<string, string>>;
}

/** A statement of the last minutes as the file has it: by its place in `statements.json`. */
type Sent = Omit<Traced, 'text'> & { readonly text: number | string };

const FOLDER = import.meta.dirname;

/** Every frozen release, oldest first. */
export function readReleases(): Release[] {
  return readdirSync(FOLDER)
    .filter((name) => /^\d+\.\d+\.\d+$/.test(name))
    .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
    .map((version) => readRelease(folderOf(version), version));
}

/** What tells a call apart from the others of its release. */
export function nameOf({ at, by, method, path, body }: Omit<Call, 'status' | 'answer'>): string {
  return `${at}, ${by}: ${method} ${path}${body === undefined ? '' : ` ${JSON.stringify(body)}`}`;
}

export function folderOf(version: string): string {
  return join(FOLDER, version);
}

/** Reads the folder of a release. */
export function readRelease(folder: string, version: string): Release {
  const text = (name: string) => readFileSync(join(folder, name), 'utf8');
  const texts = (name: string) =>
    Object.fromEntries(readdirSync(join(folder, name)).map((file) => [file, text(join(name, file))]));
  const statements = JSON.parse(text('statements.json')) as string[];
  return {
    version,
    folder,
    database: text('database.sql'),
    credentials: JSON.parse(text('credentials.json')) as Credentials,
    calls: JSON.parse(text('answers.json')) as Call[],
    replays: JSON.parse(text('replays.json')) as Replay[],
    explained: JSON.parse(text('explained.json')) as Explained[],
    statements,
    lastMinutes: {
      sent: (JSON.parse(text('last-minutes/sent.json')) as Sent[]).map(({ text, ...rest }) => ({
        text: typeof text === 'number' ? statements[text]! : text,
        ...rest,
      })),
      calls: JSON.parse(text('last-minutes/answers.json')) as Call[],
      replays: JSON.parse(text('last-minutes/replays.json')) as Replay[],
      refresh: JSON.parse(text('last-minutes/refresh.json')) as Record<string, string>,
    },
    changes: JSON.parse(text('changes.json')) as Change[],
    programs: texts('programs'),
    imports: texts('imports'),
  };
}
