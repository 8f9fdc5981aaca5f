import type { Child } from '../../../bench/child.ts';
import type { KeyScope } from '../../../server/src/platform/http/key-scopes.ts';
import type { SmtpSink } from '../../../server/test/smtp-sink.ts';
import type { Reply } from './caller.ts';

/** A member with a session, as the member's own browser knows it. */
export interface Member {
  readonly email: string;
  /** The address that the member calls from. Every loopback address is a network of its own. */
  readonly from: string;
  /** The code that the till scans. */
  readonly code: number;
  readonly access: string;
  readonly refresh: string;
}

/** A commerce with its key and some members. */
export interface Shop {
  readonly commerceId: number;
  readonly slug: string;
  readonly key: string;
  readonly members: readonly Member[];
}

/** The facts that an attacker can see: plain values, because the attacker is a process of its own. */
export interface Target {
  readonly port: number;
  /** The attacker has this shop's key and its members' sessions. */
  readonly attacked: Shop;
  /** This shop should notice nothing. */
  readonly others: Shop;
}

/** A running service on a database of its own, with a mailbox for all mails that it sends. */
export interface Stage extends Target {
  readonly service: Child;
  readonly mails: SmtpSink;
  /** The environment of the service, to start another process of it. */
  readonly env: Readonly<Record<string, string>>;
  /** True in the short forms that `npm test` runs. */
  readonly short: boolean;
  readonly openShop: (slug: string) => Promise<Shop>;
  /** A key of the contract with these scopes. */
  readonly openKey: (shop: Shop, scopes: readonly KeyScope[]) => Promise<string>;
  /** A back-office key of an owner. */
  readonly openOwnerKey: (shop: Shop) => Promise<string>;
  /** Records so many purchases of 50 new members. */
  readonly fill: (shop: Shop, purchases: number) => Promise<void>;
}

/** The tools that a load gets to work with. */
export interface Field<P> extends Target {
  readonly prepared: P;
  /** True once the load should stop. */
  readonly isOver: () => boolean;
}

/** How often each status came back; 0 stands for no answer. */
export type Tally = Record<number, number>;

/** One thing that must hold, and what was seen. */
export interface Finding {
  readonly promise: string;
  readonly holds: boolean;
  readonly seen: string;
}

/** An attack: a load, or questions that the service must answer rightly, or both. */
export interface Attack<P = unknown> {
  readonly name: string;
  /** The attack, in one sentence. */
  readonly sentence: string;
  /** Uses up limits of the whole service, so that no other attack can run on the same one. */
  readonly spendsLimits?: true;
  /** Prepares the stage. The result must be plain values. */
  prepare?(stage: Stage): Promise<P>;
  readonly load?: {
    /** A useful load with as many connections and calls per second as the attack. */
    harmless(field: Field<P>): Promise<Tally>;
    attack(field: Field<P>): Promise<Tally>;
    /** The attacker keeps its sockets open after the attack, and the service must close them. */
    readonly holdsOn?: true;
    /** The load is too large for the short form, where `check` alone must do. */
    readonly onlyInFull?: true;
  };
  /** Looks at the service in the middle of the attack. */
  during?(stage: Stage, prepared: P): Promise<Finding[]>;
  /** Looks at the service without a load. */
  check?(stage: Stage, prepared: P): Promise<Finding[]>;
}

/** Lets each attack have its own prepared values. */
export function defineAttack<P>(attack: Attack<P>): Attack {
  return attack;
}

export function expectStatus(promise: string, reply: Reply, allowed: readonly number[]): Finding {
  return { promise, holds: allowed.includes(reply.status), seen: `status ${reply.status}` };
}
