import type { FastifyBaseLogger } from 'fastify';
import type { Database } from '#db/database.ts';
import { isErased } from '#members/eligibility.ts';
import { readHolders, type Holder } from '#points/holder-reader.ts';
import type { WalletSettings } from '#settings/wallet-settings.ts';
import { hashApplePass, isAppleUsable } from './apple-pass.ts';
import { APPLE_PUSH, createApplePush, type ApplePush, type PushServer } from './apple-push.ts';
import { cardFactsOf, shopFactsOf, type CardFacts } from './card-facts.ts';
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
const BATCH = 100;
/** Passes that are sent at once. */
const LANES = 10;

/**
 * Brings the passes in members’ wallets up to date, again and again until it is stopped. Any number of processes may do so
 * at once. A pass is told at least once about each change, and changes that follow each other quickly are told together.
 */
export function startUpdateSender(options: UpdateSenderOptions): UpdateSender {
  const { db, wallets, log, counts = createUpdateCounts(), servers, everyMs = EVERY_MS } = options;
  const push = wallets.apple && createApplePush(wallets.apple, servers?.apple ?? APPLE_PUSH);
  const stopping = new AbortController();
  const google =
    wallets.google && createGoogleApi(wallets.google, servers?.google ?? GOOGLE, stopping.signal);
  const failing = new Map<WalletKind, string>();
  let endPause = (): void => {};
  const running = run();

  return {
    async stop() {
      stopping.abort();
      endPause();
      push?.close();
      await running;
    },
  };

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        await markMoved(db, everyMs);
        await markOld(db, BATCH);
        while (!stopping.signal.aborted && (await sendBatch()) === BATCH);
      } catch (error) {
        if (!db.trouble.note(error)) log.warn({ err: error }, 'wallet passes could not be updated');
      }
      if (!stopping.signal.aborted) await pause();
    }
  }

  function pause(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, everyMs);
      endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Returns how many passes were looked at. */
  async function sendBatch(): Promise<number> {
    const kinds: WalletKind[] = [];
    if (isAppleUsable(wallets.apple)) kinds.push('apple');
    if (google !== null) kinds.push('google');
    const due = await takeDue(db, kinds, BATCH);
    if (due.length === 0) return 0;
    const holders = await readHolders(
      db,
      due.map(({ commerceId, memberId: id }) => ({ commerceId, id })),
    );
    const looked = due.flatMap((pass, i) => {
      const holder = holders[i]!;
      const facts = cardFactsOf(holder);
      return facts === null ? [] : [{ pass, holder, facts, shown: hashOf(pass, facts) }];
    });
    await noteChanged(
      db,
      looked.filter(({ pass, shown }) => pass.shown?.equals(shown) !== true),
    );
    const isToSend = ({ pass, shown }: Looked) => pass.sent?.equals(shown) !== true;
    await noteSent(
      db,
      looked.filter((one) => !isToSend(one)),
    );
    const { apple = [], google: googleOnes = [] } = Object.groupBy(looked, ({ pass }) => pass.kind);
    // Side by side, so that one wallet that does not answer does not hold up the other.
    const sent = await Promise.all([
      sendAll(apple.filter(isToSend), new Map()),
      google === null
        ? []
        : sendShops(google, googleOnes).then((failed) => sendAll(googleOnes.filter(isToSend), failed)),
    ]);
    await noteSent(db, sent.flat());
    const erased = looked.filter(({ holder }) => holder.member !== null && isErased(holder.member));
    await forgetErasedPasses(
      db,
      erased.map(({ pass }) => pass),
    );
    return due.length;
  }

  function hashOf(pass: DuePass, facts: CardFacts): Buffer {
    if (pass.kind === 'apple') return hashApplePass(facts);
    return hashForGoogle(writeGoogleObject(facts, idsOf(pass)));
  }

  function idsOf({ googleClass, serial }: DuePass) {
    return googleIdsOf({ base: wallets.base, google: wallets.google! }, googleClass, serial);
  }

  /** Tells Google about the shops of these passes that it does not know as they are now. Returns what failed, by shop. */
  async function sendShops(api: GoogleApi, looked: readonly Looked[]): Promise<Map<number, unknown>> {
    const failed = new Map<number, unknown>();
    const shops = new Map(looked.map((one) => [one.pass.commerceId, one]));
    await inLanes([...shops.values()], async ({ pass, holder }) => {
      const { commerceId } = pass;
      const context = { base: wallets.base, google: wallets.google! };
      const { classId } = idsOf(pass);
      const content = writeGoogleClass(context, shopFactsOf(holder.commerce), classId);
      const hash = hashForGoogle(content);
      if (pass.googleSent?.equals(hash) === true) return;
      try {
        await api.store('loyaltyClass', classId, content);
        await noteShopSent(db, commerceId, hash);
      } catch (error) {
        failed.set(commerceId, error);
      }
    });
    return failed;
  }

  /** Sends passes, ten at a time. Returns those that arrived; the others are postponed. */
  async function sendAll(
    looked: readonly Looked[],
    failedShops: ReadonlyMap<number, unknown>,
  ): Promise<Looked[]> {
    const devices = await readDevices(
      db,
      looked.map(({ pass }) => pass),
    );
    const devicesOf = Map.groupBy(devices, ({ commerceId, serial }) => `${commerceId}/${serial}`);
    const sent: Looked[] = [];
    await inLanes(looked, async (one) => {
      const { pass, facts } = one;
      try {
        if (pass.kind === 'apple')
          await tellDevices(push!, devicesOf.get(`${pass.commerceId}/${pass.serial}`) ?? []);
        else if (failedShops.has(pass.commerceId)) throw failedShops.get(pass.commerceId);
        else
          await google!.store('loyaltyObject', idsOf(pass).objectId, writeGoogleObject(facts, idsOf(pass)));
        noteSuccess(pass.kind);
        sent.push(one);
      } catch (error) {
        if (stopping.signal.aborted) return;
        noteFailure(pass.kind, error);
        await postpone(db, pass, error);
      }
    });
    return sent;
  }

  /** Does work for each item, ten at a time, until it is stopped. */
  async function inLanes<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
    const waiting = [...items];
    const lane = async () => {
      for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
        if (stopping.signal.aborted) return;
        await work(item);
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
  }

  /** Tells all devices, even if one of them fails. @throws the first failure */
  async function tellDevices(to: ApplePush, devices: Awaited<ReturnType<typeof readDevices>>): Promise<void> {
    const told = await Promise.allSettled(
      devices.map(async (device) => {
        if (!(await to.tell(device.pushToken))) await forgetDevice(db, device);
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

interface Looked {
  readonly pass: DuePass;
  readonly holder: Holder;
  readonly facts: CardFacts;
  readonly shown: Buffer;
}
