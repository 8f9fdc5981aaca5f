/** The responses of the back office that only owners get: API keys, calls that failed, the sandbox's clock, sessions. */
import type { Cause, StaffRole } from './admin-wire.ts';

/** `ending`: the key was replaced and is accepted until `ends_at`. */
export type ApiKeyState = 'active' | 'ending' | 'ended';

/** A key of the shop's own servers and scripts. The key itself cannot be read again. */
export interface ApiKey {
  key_id: number;
  name: string;
  /** Its first characters, which tell keys apart. */
  prefix: string;
  /** What a key of the back office may do. Null for a key of the contract. */
  role: StaffRole | null;
  state: ApiKeyState;
  created_at: string;
  /** To the minute. Null if it was never used, or was last used before the service kept this. */
  last_used_at: string | null;
  /** When it ends or has ended. Null while nobody has ended it. */
  ends_at: string | null;
  /** The key that it replaced, and the one that replaced it. */
  replaces_id: number | null;
  replaced_by_id: number | null;
}

/** A key that was created just now, with its text. It is not shown again. */
export interface NewApiKey extends ApiKey {
  key: string;
}

/** Calls that were refused or failed, newest first. Kept for seven days, and at most the newest 1,000 of a commerce. */
export interface ProblemCalls {
  results: ProblemCall[];
  next_cursor: string | null;
}

/** A call that failed. Its body, its values and the address of the caller are not kept. */
export interface ProblemCall {
  at: string;
  method: string;
  /** The pattern of the path, such as `/v1/clients/:client_code`. */
  route: string;
  status: number;
  /** The word in `X-Error-Code`. */
  code: string | null;
  /** The value of `X-Request-Id`. */
  request_id: string;
  key_id: number;
  key_name: string;
}

/** What calls with a key sent and the service ignored, of the last thirty days. The newest 100. */
export interface IgnoredFields {
  results: IgnoredField[];
}

export interface IgnoredField {
  /** Such as `body.externalId`, `query.limt` or `header.idempotence-key`. Values are not kept. */
  name: string;
  method: string;
  /** The pattern of the path, such as `/v1/clients/:client_code`. */
  route: string;
  /** How many calls sent it. */
  calls: number;
  first_at: string;
  last_at: string;
  key_id: number;
  key_name: string;
}

/** An operation of the contract as a command that can be pasted into a terminal. */
export interface ExampleCall {
  operation_id: string;
  summary: string;
  tag: string;
  method: string;
  path: string;
  /** `key`: an API key. `user`: the token of a member's session. `header`: only the id of the commerce. */
  credential: 'key' | 'user' | 'header';
  curl: string;
}

export interface ExampleCalls {
  /** The address of the service in the commands. */
  base_url: string;
  results: ExampleCall[];
}

/** The time of the commerce's program, and how it was moved. */
export interface ShopClock {
  /** Only the clock of a sandbox can be moved. */
  sandbox: boolean;
  now: string;
  today: string;
  is_moving: boolean;
  /** The newest 20, newest first. */
  moves: ClockMove[];
}

/** A move of a sandbox's clock. */
export interface ClockMove {
  /** When somebody moved it, in real time. */
  at: string;
  by: Cause;
  /** The program's time before and after. */
  from: string;
  to: string;
  /** `stopped`: something failed on the way. Moving the clock again goes on from there. */
  state: 'moving' | 'done' | 'stopped';
  /** What fell due on the way: each job that changed somebody, with how often, on all days together. */
  due: { job: string; count: number }[];
  /** Members for whom a job failed. */
  failures: number;
}

/** A device on which a person of the staff is signed in. */
export interface StaffDevice {
  started_at: string;
  last_seen_at: string;
  /** If the person does nothing until then. */
  ends_at: string;
  /** True for the session that asks. */
  is_this: boolean;
}

/** Who can stand behind a line of the audit. */
export interface AuditActors {
  /** Everybody who works or has worked here. */
  staff: { staff_id: number; name: string; email: string; is_removed: boolean }[];
  /** The keys of the back office. */
  keys: { key_id: number; name: string; prefix: string }[];
}

/** What `listAudit` and `exportAudit` take. Every field may be left out. */
export interface AuditSearch {
  member_id?: number;
  /** Such as `points.adjust`. */
  action?: string;
  by?: 'staff' | 'key' | 'command_line';
  staff_id?: number;
  key_id?: number;
  /** Days of the commerce's calendar, by real time. Both count. */
  from?: string;
  to?: string;
}
