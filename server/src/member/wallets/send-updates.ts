import type { FastifyBaseLogger } from 'fastify';
import { apartByShard } from '#db/cluster/shards.ts';
import type { Database } from '#db/database.ts';
import { startDelivery, type Outgoing } from '#delivery/start-delivery.ts';
import { isErased } from '#members/eligibility.ts';
import { readHolders, type Holder } from '#points/holder-reader.ts';
import type { WalletSettings } from '#settings/wallet-settings.ts';
import { hashApplePass, isAppleUsable } from './apple-pass.ts';
import { APPLE_PUSH, createApplePush, type ApplePush, type PushServer } from './apple-push.ts';
import { readCardFacts, shopFactsOf, type CardFacts } from './card-facts.ts';
import { markMoved, markOld, takeDue, type DuePass } from './find-changed.ts';
import { createGoogleApi, GOOGLE, type GoogleApi, type GoogleServer } from './google-api.ts';
import { googleIdsOf, hashForGoogle, writeGoogleClass, writeGoogleObject } from './google-pass.ts';
import { forgetErasedPasses } from './passes-of-member.ts';
import {
  forgetDevice,
  noteChanged,
  noteSent,
  noteShopSent,
  postpone,
  readDevices,
  reasonOf,
  type PassDevice,
} from './record-sent.ts';
import type { WalletKind } from './ticket.ts';

export interface UpdateSender {
  /** Takes no more passes and gives up those being sent, which are sent again after their lease. */
  stop(): Promise<void>;
}

export interface UpdateSenderOptions {
  readonly db: Database;
  readonly wallets: WalletSettings;
  readonly log: Pick<FastifyBaseLogger, 'info' | 'warn'>;
  readonly counts?: UpdateCounts;
  /** Tests have servers of their own. */
  readonly servers?: { readonly apple: PushServer; readonly google: GoogleServer };
  readonly everyMs?: number;
}

/** Counts what was sent and what failed in this process, for the operator’s metrics. */
export type UpdateCounts = Record<WalletKind, { sent: number; failed: number }>;

export function createUpdateCounts(): UpdateCounts {
  return { apple: { sent: 0, failed: 0 }, google: { sent: 0, failed: 0 } };
}

const EVERY_MS = 5_000;
/** Passes of one wallet that are sent at once, so that a wallet that does not answer holds up the other one in nothing. */
const LANES = 10;
/** Old passes that are marked at once. A change that is found now waits for no more of them. */
const MOST_OLD = 100;
/** The most batches of them in each round, the others only once nothing is due: 720,000 passes an hour, if the round is long enough. */
const OLD_BATCHES = 10;
/** Shorter than the lease of two minutes. */
const LONGEST_MS = 60_000;

/**
 * Brings the passes in members’ wallets up to date, again and again until it is stopped. Any number of processes may do so
 * at once. A pass is told at least once about each change, and changes that follow each other quickly are told together.
 */
export function startUpdateSender(options: UpdateSenderOptions): UpdateSender {
  const { db, wallets, log, servers, everyMs = EVERY_MS } = options;
  const stopping = new AbortController();
  const push = wallets.apple && createApplePush(wallets.apple, servers?.apple ?? APPLE_PUSH);
  const google =
    wallets.google && createGoogleApi(wallets.google, servers?.google ?? GOOGLE, stopping.signal);
  const delivery = startDelivery(outgoingPasses({ ...options, everyMs, push, google }), {
    db,
    log,
    everyMs,
    atOnce: 2 * LANES,
    longestMs: LONGEST_MS,
  });
  return {
    async stop() {
      const stopped = delivery.stop();
      stopping.abort();
      push?.close();
      await stopped;
    },
  };
}

/** A pass that may show something old, with what it should show. */
interface Looked {
  readonly pass: DuePass;
  readonly facts: CardFacts;
  readonly shown: Buffer;
  readonly isErased: boolean;
  readonly devices: readonly PassDevice[];
  /** True if the wallet does not know the pass as it is now. */
  readonly isChanged: boolean;
  /** Tells Google about the shop; null if it knows the shop as it is now. */
  readonly sendShop: (() => Promise<void>) | null;
}

interface PassOptions extends UpdateSenderOptions {
  readonly everyMs: number;
  readonly push: ApplePush | null;
  readonly google: GoogleApi | null;
}

function outgoingPasses({
  db,
  wallets,
  log,
  counts = createUpdateCounts(),
  everyMs,
  push,
  google,
}: PassOptions): Outgoing<Looked> {
  const failing = new Map<WalletKind, string>();
  /** Batches that may still be marked in this round, and until when: changes are looked for at the beginning of the next one. */
  let oldBatches = 0;
  let roundEndsAt = 0;
  return {
    takeFailed: 'wallet passes could not be updated',

    async prepare() {
      await markMoved(db, everyMs);
      oldBatches = OLD_BATCHES;
      roundEndsAt = performance.now() + everyMs;
      await markOldOnes();
    },

    async take(most, underWay, signal) {
      while (!signal.aborted) {
        const due: DuePass[] = [];
        let isEach = true;
        for (const kind of usableKinds()) {
          const free = Math.min(most - due.length, LANES - (underWay.get(kind) ?? 0));
          if (free > 0) due.push(...(await takeDue(db, [kind], free)));
          else isEach = false;
        }
        if (due.length === 0) {
          if (!isEach || oldBatches === 0 || performance.now() > roundEndsAt) return [];
          await markOldOnes();
          continue;
        }
        const toSend: Looked[] = [];
        for (const some of apartByShard(db, due, ({ commerceId }) => commerceId))
          toSend.push(...(await look(some)));
        if (toSend.length > 0) return toSend;
      }
      return [];
    },

    lanesOf: ({ pass }) => [pass.kind],

    async send(one) {
      const { pass, facts } = one;
      if (pass.kind === 'apple') await tellDevices(one.devices);
      else {
        await one.sendShop?.();
        if (one.isChanged)
          await google!.store('loyaltyObject', idsOf(pass).objectId, writeGoogleObject(facts, idsOf(pass)));
      }
      noteSuccess(pass.kind);
      await noteSent(db, [one]);
      if (one.isErased) await forgetErasedPasses(db, [pass]);
    },

    async failed({ pass, isErased: isOfNobody }, error) {
      noteFailure(pass.kind, error);
      await (isOfNobody ? forgetErasedPasses(db, [pass]) : postpone(db, pass, error));
    },
  };

  async function markOldOnes(): Promise<void> {
    const marked = await markOld(db, MOST_OLD);
    oldBatches = marked < MOST_OLD ? 0 : oldBatches - 1;
  }

  function usableKinds(): WalletKind[] {
    const kinds: WalletKind[] = [];
    if (isAppleUsable(wallets.apple)) kinds.push('apple');
    if (google !== null) kinds.push('google');
    return kinds;
  }

  /** Looks at what passes should show, which one statement can read. Returns those that somebody has to be told about. */
  async function look(due: readonly DuePass[]): Promise<Looked[]> {
    const holders = await readHolders(
      db,
      due.map(({ commerceId, memberId: id }) => ({ commerceId, id })),
    );
    const allFacts = await readCardFacts(db, holders);
    const devices = Map.groupBy(await readDevices(db, due), keyOf);
    const shops = new Map<number, Looked['sendShop']>();
    const looked = due.flatMap((pass, i): Looked[] => {
      const holder = holders[i]!;
      const facts = allFacts[i]!;
      if (facts === null) return [];
      if (pass.kind === 'google' && !shops.has(pass.commerceId))
        shops.set(pass.commerceId, shopToSend(pass, holder));
      const shown = hashOf(pass, facts);
      return [
        {
          pass,
          facts,
          shown,
          isErased: holder.member !== null && isErased(holder.member),
          devices: devices.get(keyOf(pass)) ?? [],
          isChanged: pass.sent?.equals(shown) !== true,
          sendShop: pass.kind === 'google' ? shops.get(pass.commerceId)! : null,
        },
      ];
    });
    await noteChanged(
      db,
      looked.filter(({ pass, shown }) => pass.shown?.equals(shown) !== true),
    );
    const [told, toSend] = split(looked, ({ isChanged, sendShop }) => !isChanged && sendShop === null);
    await noteSent(db, told);
    await forgetErasedPasses(
      db,
      told.filter((one) => one.isErased).map(({ pass }) => pass),
    );
    return toSend;
  }

  function hashOf(pass: DuePass, facts: CardFacts): Buffer {
    if (pass.kind === 'apple') return hashApplePass(facts);
    return hashForGoogle(writeGoogleObject(facts, idsOf(pass)));
  }

  function idsOf({ googleClass, serial }: DuePass) {
    return googleIdsOf({ base: wallets.base, google: wallets.google! }, googleClass, serial);
  }

  /** Returns what tells Google about a shop, once for all of its passes; null if Google knows it as it is now. */
  function shopToSend(pass: DuePass, holder: Holder): Looked['sendShop'] {
    const { classId } = idsOf(pass);
    const context = { base: wallets.base, google: wallets.google! };
    const content = writeGoogleClass(context, shopFactsOf(holder.commerce), classId);
    const hash = hashForGoogle(content);
    if (pass.googleSent?.equals(hash) === true) return null;
    return once(async () => {
      await google!.store('loyaltyClass', classId, content);
      await noteShopSent(db, pass.commerceId, hash);
    });
  }

  /** Tells all devices, even if one of them fails. @throws the first failure */
  async function tellDevices(devices: readonly PassDevice[]): Promise<void> {
    const told = await Promise.allSettled(
      devices.map(async (device) => {
        if (!(await push!.tell(device.pushToken))) await forgetDevice(db, device);
      }),
    );
    const failed = told.find((one) => one.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  function noteSuccess(kind: WalletKind): void {
    counts[kind].sent += 1;
    if (failing.delete(kind)) log.info({ wallet: kind }, 'wallet passes are updated again');
  }

  /** Logs a failure once, and again only if it went away or became another one. */
  function noteFailure(kind: WalletKind, error: unknown): void {
    counts[kind].failed += 1;
    const reason = reasonOf(error);
    if (failing.get(kind) === reason) return;
    failing.set(kind, reason);
    log.warn({ err: error, wallet: kind }, 'a wallet pass could not be updated');
  }
}

const keyOf = ({ commerceId, serial }: Pick<DuePass, 'commerceId' | 'serial'>) => `${commerceId}/${serial}`;

/** Returns a function that does the work at its first call and answers the same to all. */
function once<T>(work: () => Promise<T>): () => Promise<T> {
  let done: Promise<T> | undefined;
  return () => (done ??= work());
}

function split<T>(items: readonly T[], test: (item: T) => boolean): [yes: T[], no: T[]] {
  return [items.filter(test), items.filter((item) => !test(item))];
}
