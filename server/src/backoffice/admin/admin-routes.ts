import type { FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import type { Aside } from '#aside/aside.ts';
import type { Actor, AuditEntry, Audited } from '#audit/audited.ts';
import { auditedTransaction } from '#audit/audited-transaction.ts';
import { noteInAudit } from '#audit/note-in-audit.ts';
import type { Database, Db, Tx } from '#db/database.ts';
import { clientNetworkOf } from '#http/client-network.ts';
import { route, type Route } from '#http/route.ts';
import type { StaffRole } from '#http/staff-roles.ts';
import type { Turn } from '#http/turns.ts';
import { Problem } from '#problems/problem.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Which of the two helpers made a route of the back office. */
    madeBy?: 'adminRead' | 'adminAct';
  }
}

type RequestOf<Schema extends FastifySchema> = Parameters<Route<Schema>['handler']>[0];
type AnswerOf<Schema extends FastifySchema> = Exclude<Awaited<ReturnType<Route<Schema>['handler']>>, void>;

interface Definition<Schema extends FastifySchema, Prepared> {
  /** The lowest role that may call it. */
  readonly role: StaffRole;
  readonly schema: Schema;
  /** The route's own error responses, as in `config.refusals`. */
  readonly refusals?: Readonly<Record<number, string>>;
  /** Its own response headers, as in `config.addedHeaders`. */
  readonly addedHeaders?: Readonly<Record<string, string>>;
  /**
   * Required if its body may be larger than that of other calls. `work` is what grows with the body. It is done before the call
   * takes its turn, so that it keeps neither a row nor a connection from others.
   */
  readonly large?: {
    readonly bytes: number;
    readonly work: (aside: Aside, request: RequestOf<Schema>, db: Db) => Promise<Prepared>;
  };
  /** Whether it may take more than the seconds that a call has, as a write to all members does. */
  readonly takesLong?: true;
}

export interface ReadDefinition<Schema extends FastifySchema, Prepared> extends Definition<Schema, Prepared> {
  /** `read` by default. */
  readonly turn?: Turn;
  /** The audit entry of a read that hands data out. Its row is stored before anything is read. */
  readonly entry?: (db: Db, request: RequestOf<Schema>) => AuditEntry | Promise<AuditEntry>;
  /** Only reads. `db` can open no transaction. */
  readonly read: (
    db: Db,
    request: RequestOf<Schema>,
    reply: FastifyReply,
    prepared: Prepared,
  ) => AnswerOf<Schema> | Promise<AnswerOf<Schema>>;
}

export interface ActDefinition<Schema extends FastifySchema, Prepared> extends Definition<Schema, Prepared> {
  /** The row that the call may wait for. */
  readonly turn: Turn;
  /** Whether the call needs a code that is at most 15 minutes old. A key never has one. */
  readonly freshCode?: true | ((db: Db, request: RequestOf<Schema>) => boolean | Promise<boolean>);
  /** The whole write, in the transaction that is handed in. It may run again after a deadlock. */
  readonly act: (
    tx: Tx,
    request: RequestOf<Schema>,
    reply: FastifyReply,
    prepared: Prepared,
  ) => Promise<Audited<AnswerOf<Schema>>>;
  /** Runs after the commit, such as to wake the mail sender. */
  readonly done?: () => void;
}

/** The person has to type a fresh code first. */
export class FreshCodeNeeded extends Problem {
  constructor(isKey: boolean) {
    super(
      403,
      'fresh_code_needed',
      isKey
        ? 'a back-office key must not do this: sign in to the console'
        : 'ask for a code with POST /admin/v1/auth/step-up/request, send it to /admin/v1/auth/step-up/verify, then repeat the call',
    );
  }
}

/** Makes all routes of the back office that read or write a commerce's data. */
export interface AdminRoutes {
  /** A route that changes nothing: a GET, or a POST where a text must not stand in an address. */
  readonly adminRead: <const Schema extends FastifySchema, Prepared = undefined>(
    definition: ReadDefinition<Schema, Prepared>,
  ) => Route & { readonly schema: Schema };
  /**
   * A route that writes. Opens the one transaction of the call, and stores the audit row in it. The status of the answer is
   * the first one of the schema.
   */
  readonly adminAct: <const Schema extends FastifySchema, Prepared = undefined>(
    definition: ActDefinition<Schema, Prepared>,
  ) => Route & { readonly schema: Schema };
}

export function createAdminRoutes(database: Database, aside: Aside): AdminRoutes {
  const reading = withoutWrites(database);
  const prepared = new WeakMap<object, unknown>();

  /** The limit of a larger body, and the work on it before the handler, whose turn begins there. */
  function preparing<Schema extends FastifySchema, Prepared>({ large }: Definition<Schema, Prepared>) {
    if (large === undefined) return {};
    const { bytes, work } = large;
    return {
      bodyLimit: bytes,
      preHandler: async (request: FastifyRequest) =>
        void prepared.set(request, await work(aside, request as unknown as RequestOf<Schema>, reading)),
    };
  }

  return {
    adminRead(definition) {
      const { role, schema, turn = 'read', refusals = {}, addedHeaders = {}, entry, read } = definition;
      const { takesLong } = definition;
      return route({
        schema,
        ...preparing(definition),
        config: {
          ...configOf(role, refusals),
          addedHeaders,
          turn,
          madeBy: 'adminRead',
          ...(takesLong && { takesLong }),
        },
        handler: async (request: RequestOf<typeof schema>, reply: FastifyReply) => {
          if (entry !== undefined)
            await noteInAudit(database, actorOf(request, role), await entry(reading, request));
          return read(reading, request, reply, prepared.get(request) as Parameters<typeof read>[3]);
        },
      } as unknown as Route<typeof schema> & { readonly schema: typeof schema });
    },

    adminAct(definition) {
      const { role, schema, turn, refusals = {}, addedHeaders = {}, freshCode, act, done } = definition;
      const { takesLong } = definition;
      const status = Number(Object.keys(schema.response ?? {})[0] ?? 200);
      return route({
        schema,
        ...preparing(definition),
        config: {
          ...configOf(role, refusals),
          addedHeaders,
          turn,
          madeBy: 'adminAct',
          ...(takesLong && { takesLong }),
          ...(freshCode && ({ freshCode: freshCode === true ? 'always' : 'sometimes' } as const)),
        },
        handler: async (request: RequestOf<typeof schema>, reply: FastifyReply) => {
          const { staffSession } = request;
          if (typeof freshCode === 'function' ? await freshCode(database, request) : freshCode === true) {
            if (staffSession === null || staffSession.freshUntil === null)
              throw new FreshCodeNeeded(staffSession === null);
          }
          const work = prepared.get(request) as Parameters<typeof act>[3];
          const answer = await auditedTransaction(database, actorOf(request, role), (tx) =>
            act(tx, request, reply, work),
          );
          done?.();
          reply.code(status);
          return answer;
        },
      } as unknown as Route<typeof schema> & { readonly schema: typeof schema });
    },
  };
}

/** Returns a handle that refuses statements that write, so that a read cannot go around the audit by mistake. */
function withoutWrites(database: Database): Db {
  return {
    memory: database.memory,
    query: (text, values) =>
      WRITES.test(text)
        ? Promise.reject(new Error('a route that only reads has tried to write'))
        : database.query(text, values),
  };
}

const WRITES =
  /\b(?:insert\s+into|delete\s+from|merge\s+into|truncate|update\s+\w+\s+(?:(?:as\s+)?\w+\s+)?set)\b/i;

function configOf(role: StaffRole, refusals: Readonly<Record<number, string>>) {
  return {
    credential: 'staff',
    role,
    document: 'admin',
    refusals,
  } as const;
}

/** Returns the caller, with the facts that the audit keeps and checks again. */
export function actorOf(
  { staff, staffSession, ip }: Pick<RequestOf<FastifySchema>, 'staff' | 'staffSession' | 'ip'>,
  needed: StaffRole,
): Actor {
  if (staff === null) throw new Error('a route of the back office was called without a credential');
  const { commerceId, by } = staff;
  const network = clientNetworkOf(ip);
  if (by.kind === 'key') return { kind: 'key', commerceId, keyId: by.keyId, needed, network };
  return {
    kind: 'staff',
    commerceId,
    staffId: by.staffId,
    sessionId: staffSession!.sessionId,
    needed,
    network,
  };
}
