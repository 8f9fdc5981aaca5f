import type { FastifyRequest, RouteOptions } from 'fastify';
import type { Caps } from '#base/caps.ts';
import { Overloaded } from '#problems/problem.ts';
import { answerInSteps } from './answer-in-steps.ts';
import { clientNetworkOf, widenNetwork } from './client-network.ts';
import { createSemaphore, type OwnSemaphore } from './semaphore.ts';
import type { App } from './server.ts';

/**
 * The turn that a call waits for, in memory, before it takes a connection to the database.
 *
 * - `none`: nothing. Calls that are answered from memory or together with others, in one batch.
 * - `read`: it reads on a connection of its own, and never waits for a row.
 * - `list`: the same, and its answer may be large, so a commerce has one of them made at a time.
 * - `write`: it may wait for a row, which `write` names. Calls for the same row go one after the other.
 * - `signIn` and `session`: the same for sign-in codes and for sessions, which belong to a person and not to a commerce.
 */
export type Turn =
  | 'none'
  | 'read'
  | 'list'
  | { readonly write: SubjectOf }
  | { readonly signIn: SubjectOf }
  | { readonly session: SubjectOf };

/** Names the row that a call may wait for, within its commerce or, for a sign-in, within the installation. */
type SubjectOf = (request: FastifyRequest) => string;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Required on every route. */
    turn?: Turn;
    /** The time of the answer must not tell what the work found. The turn ends with the work, not with the answer. */
    steady?: true;
  }
}

const MOST_WAITING = 500;

/**
 * Makes every call wait for its turn before its handler runs. No call then waits for a row while it holds a connection that others need: a
 * row makes one call wait at most, a commerce (or, at sign-in, a client network) has a few connections at most, and all writes together
 * leave more than half of the connections to batches and reads. However many commerces read, a batch waits behind no more reads than there
 * are connections. A caller that sends more calls at once than that waits in memory, and beyond 500 waiting calls or `longestWaitMs` gets a
 * 503. Must be called before the first route is added. The server does not start if a route declares no turn.
 */
export function takeTurns(
  app: App,
  options: { connections: number; caps: Caps; longestWaitMs: number },
): Turns {
  const { connections, caps, longestWaitMs } = options;
  const share = (part: number) => Math.max(1, Math.floor(connections * part));
  const subjects = createSemaphore(1);
  const lanes = {
    read: { groups: createSemaphore(share(0.5)), all: createSemaphore(connections) },
    list: { groups: createSemaphore(1), all: createSemaphore(2) },
    write: { groups: createSemaphore(share(0.3)), all: createSemaphore(share(0.4)) },
    signIn: {
      groups: createSemaphore(share(0.1)),
      wide: createSemaphore(1),
      all: createSemaphore(share(0.2)),
    },
    session: {
      groups: createSemaphore(share(0.1)),
      wide: createSemaphore(1),
      all: createSemaphore(share(0.2)),
    },
  };
  const waiting = new Map<string, number>();

  const undeclared: string[] = [];
  app.addHook('onRoute', (route: RouteOptions) => {
    const { turn, steady } = route.config ?? {};
    if (turn === undefined) undeclared.push(`${String(route.method)} ${route.url}`);
    if (turn === undefined || turn === 'none') return;
    const { handler } = route;
    const inTurn: typeof handler = function (request, reply) {
      const passes = passesOf(turn, request);
      const entered = enterAtOnce(passes);
      if (entered === passes.length) return leaveAfter(passes, () => handler.call(this, request, reply));
      return waitAndEnter(groupOf(turn, request), passes.slice(entered)).then(
        () => leaveAfter(passes, () => handler.call(this, request, reply)),
        (refusal: unknown) => {
          leave(passes.slice(0, entered));
          throw refusal;
        },
      );
    };
    route.handler = steady
      ? function (request, reply) {
          return answerInSteps(async () => inTurn.call(this, request, reply));
        }
      : inTurn;
  });
  app.addHook('onReady', (done) =>
    done(
      undeclared.length > 0 ? new Error(`these routes declare no turn: ${undeclared.join(', ')}`) : undefined,
    ),
  );

  return {
    waiting: () => {
      let count = 0;
      for (const ahead of waiting.values()) count += ahead;
      return count;
    },
  };

  /** Returns the semaphores that a call passes, in order, with the name under which it is counted at each. */
  function passesOf(turn: Exclude<Turn, 'none'>, request: FastifyRequest): Pass[] {
    const group = groupOf(turn, request);
    if (turn === 'list')
      return [
        [lanes.list.groups, group],
        [lanes.list.all, ''],
      ];
    if (turn === 'read')
      return [
        [lanes.read.groups, group],
        [lanes.read.all, ''],
      ];
    if ('write' in turn)
      return [
        [subjects, `${group} ${turn.write(request)}`],
        [lanes.write.groups, group],
        [lanes.write.all, ''],
      ];
    const [lane, subject] =
      'signIn' in turn ? [lanes.signIn, turn.signIn(request)] : [lanes.session, turn.session(request)];
    // One machine can have all networks of a /48, so they have one place together in the line that everybody is in.
    return [
      [subjects, subject],
      [lane.groups, group],
      [lane.wide, widenNetwork(group)],
      [lane.all, ''],
    ];
  }

  async function waitAndEnter(group: string, passes: readonly Pass[]): Promise<void> {
    const ahead = waiting.get(group) ?? 0;
    if (ahead >= MOST_WAITING) throw refuse();
    waiting.set(group, ahead + 1);
    const until = performance.now() + longestWaitMs;
    let entered = 0;
    try {
      for (const [semaphore, name] of passes) {
        if (!(await semaphore.enter(name, until))) throw refuse();
        entered += 1;
      }
    } catch (refusal) {
      leave(passes.slice(0, entered));
      throw refusal;
    } finally {
      const left = waiting.get(group)! - 1;
      if (left === 0) waiting.delete(group);
      else waiting.set(group, left);
    }
  }

  function refuse(): Overloaded {
    caps.refused('calls-of-a-commerce');
    return new Overloaded('too many calls at once');
  }
}

/** The calls that wait for their turn. */
export interface Turns {
  readonly waiting: () => number;
}

type Pass = readonly [semaphore: OwnSemaphore, name: string];

/** Returns whose connections a call uses: those of its commerce, of its commerce's members, or of a client network. */
function groupOf(turn: Turn, request: FastifyRequest): string {
  const isOfPerson = typeof turn === 'object' && !('write' in turn);
  const isOfCommerce = request.commerceId !== 0 && !isOfPerson;
  if (!isOfCommerce) return clientNetworkOf(request.ip);
  // Neither members nor the back office must hold up the till of their own shop.
  const whose = request.staff !== null ? ' staff' : request.userId === 0 ? '' : ' members';
  return `commerce ${request.commerceId}${whose}`;
}

/** Enters one semaphore after the other while there is room, and returns how many. */
function enterAtOnce(passes: readonly Pass[]): number {
  for (const [place, [semaphore, name]] of passes.entries()) if (!semaphore.enterAtOnce(name)) return place;
  return passes.length;
}

function leave(passes: readonly Pass[]): void {
  for (const [semaphore, name] of passes) semaphore.leave(name);
}

async function leaveAfter<T>(passes: readonly Pass[], handle: () => T | Promise<T>): Promise<T> {
  try {
    return await handle();
  } finally {
    leave(passes);
  }
}
