import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import { commercesOf } from '#db/commerces-of.ts';
import { sql, type Database } from '#db/database.ts';
import { startDelivery, type Delivery, type Outgoing } from '#delivery/start-delivery.ts';
import type { Mailer } from '#mail/mailer.ts';
import { makeFolder } from '#files/make-folder.ts';
import { markup } from '#text/markup.ts';
import { noteWork } from '#monitoring/watched-work.ts';
import { readHeads, type HeadSigner } from './head.ts';
import { readRoot } from './merkle-tree.ts';
import { createTileReader } from './proof.ts';
import { readNewestSeals, type NewestSeal } from './read-seal.ts';

export interface PublishOptions {
  readonly db: Database;
  readonly log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>;
  readonly signer: HeadSigner;
  /** Null if this process sends no mails. */
  readonly mailer: Mailer | null;
  readonly folders: readonly string[];
  readonly addresses: readonly string[];
  /** How many hours lie between two heads of a commerce. */
  readonly everyHours: number;
}

/** Jobs seal every five minutes. */
const EVERY_MS = 5 * 60 * 1000;
/** A folder may be on a disk that does not answer. */
const LONGEST_MS = 60_000;

/** Publishes heads again and again until it is stopped. Any number of processes may do so. */
export function startPublishingHeads(options: PublishOptions, everyMs = EVERY_MS): Delivery {
  const { db, log, everyHours } = options;
  const outgoing: Outgoing<NewestSeal[]> = {
    takeFailed: 'heads could not be taken',
    async take() {
      const claimed = await claimHeads(db, everyHours);
      return claimed.length === 0 ? [] : [claimed];
    },
    async send(claimed) {
      await publish(options, claimed);
      log.info({ count: claimed.length }, 'heads of the sealed history published');
      await noteWork(db, 'heads', 'done');
    },
    async failed(_claimed, error) {
      if (db.trouble.note(error)) return;
      log.error({ err: error }, 'heads could not be published');
      await noteWork(db, 'heads', 'failed');
    },
  };
  return startDelivery(outgoing, {
    db,
    log,
    everyMs,
    atOnce: 1,
    longestMs: LONGEST_MS,
    graceMs: LONGEST_MS,
  });
}

/**
 * Sends the newest heads out: into folders, a file for each head that is never overwritten, and to addresses, one mail for all of them.
 * Heads that were sent already, or not long ago, are left out. A failure in one place keeps nothing from the others; the place that failed
 * gets the next heads, and the next round tries again only if nobody has got any. Returns how many heads it sent out.
 * @throws HeadDiffers if a folder has a head that is not of this history; AggregateError for several errors
 * @public for a single round, as trials make it
 */
export async function publishHeads(options: PublishOptions): Promise<number> {
  const claimed = await claimHeads(options.db, options.everyHours);
  if (claimed.length > 0) await publish(options, claimed);
  return claimed.length;
}

async function publish(options: PublishOptions, claimed: readonly NewestSeal[]): Promise<void> {
  const { db, signer, folders, addresses, mailer } = options;
  const notes = claimed.map((seal) => ({ ...seal, note: signer.sign(seal) }));
  const errors: unknown[] = [];
  const compared: Compared[] = [];
  let published = 0;
  const attempt = async (work: () => Promise<void>) => {
    try {
      await work();
      published += 1;
    } catch (error) {
      errors.push(error);
    }
  };
  for (const folder of folders) {
    const listed = listNewest(folder);
    listed.catch(() => {}); // Each head that cannot be kept tells of it.
    for (const seal of notes)
      await attempt(async () => {
        const { commerceId } = seal;
        try {
          await keepHead(db, folder, await listed, seal);
          compared.push({ commerceId, folder, differs: false });
        } catch (error) {
          if (error instanceof HeadDiffers) compared.push({ commerceId, folder, differs: true });
          throw error;
        }
      });
  }
  await noteRewritten(db, folders, claimed, compared);
  const text = notes.map(({ note }) => note).join('\n');
  for (const recipient of mailer === null ? [] : addresses)
    await attempt(() => mailer!.send({ ...letterOf(notes, text), recipient }));
  if (published === 0 && errors.length > 0) await releaseHeads(db, claimed).catch(() => {}); // then they wait for their next period
  else await noteHeads(db, claimed);
  if (errors.length === 1) throw errors[0];
  if (errors.length > 1)
    throw new AggregateError(errors, errors.map((error) => (error as Error).message).join('; '));
}

/** A head was published before that is not of this history: it was rewritten since. */
class HeadDiffers extends Error {
  constructor(path: string) {
    super(`${path} has a head of another history: the sealed history was rewritten. Keep the file.`);
  }
}

/** The comparison of the head of a commerce in a folder with the history. */
interface Compared {
  readonly commerceId: number;
  readonly folder: string;
  readonly differs: boolean;
}

type SignedSeal = NewestSeal & { readonly note: string };

/** The size of the newest head that a folder has of each commerce, by slug. */
type Newest = ReadonlyMap<string, number>;

/** Lists a folder, which has every head that was ever published. */
async function listNewest(folder: string): Promise<Newest> {
  makeFolder(folder);
  const newest = new Map<string, number>();
  for (const name of await readdir(folder)) {
    const [, slug, size] = /^(.+)-(\d+)\.head$/.exec(name) ?? [];
    if (slug !== undefined) newest.set(slug, Math.max(newest.get(slug) ?? 0, Number(size)));
  }
  return newest;
}

/** @throws HeadDiffers */
async function keepHead(db: Database, folder: string, newest: Newest, seal: SignedSeal): Promise<void> {
  await compareNewest(db, folder, newest.get(seal.slug), seal);
  const { slug, size, note } = seal;
  const path = join(folder, `${slug}-${size}.head`);
  try {
    await writeFile(path, note, { flag: 'wx', flush: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const kept = await readFile(path, 'utf8');
    // It was cut off: the disk was full, or the process was killed.
    if (kept.length < note.length && note.startsWith(kept)) return writeFile(path, note, { flush: true });
    // The signature can be by another key.
    const textOf = (head: string) => head.split('\n\n')[0];
    if (textOf(kept) !== textOf(note.trimEnd())) throw new HeadDiffers(path);
  }
}

/** Compares the newest head that the folder has of a commerce with the history as it is now. */
async function compareNewest(
  db: Database,
  folder: string,
  newest: number | undefined,
  { commerceId, slug, origin, size }: SignedSeal,
): Promise<void> {
  if (newest === undefined) return;
  const path = join(folder, `${slug}-${newest}.head`);
  const [head] = readHeads(await readFile(path, 'utf8')) ?? [];
  if (head === undefined || (head.size === size && head.origin === origin)) return;
  if (head.origin !== origin || head.size > size) throw new HeadDiffers(path);
  const root = await readRoot(createTileReader(db, commerceId), head.size);
  if (!root.equals(head.root)) throw new HeadDiffers(path);
}

function letterOf(notes: readonly NewestSeal[], text: string) {
  const [{ origin, size }] = notes as [NewestSeal];
  return {
    // The same mail has the same id, so that a mailbox shows it once.
    id: `head-${origin.split('/').at(-1)}-${size}-${notes.length}`,
    from: 'Loyalty',
    subject: `Heads of the sealed history: ${notes.map(({ slug }) => slug).join(', ')}`.slice(0, 150),
    text: `${text}\nKeep this mail. \`loyalty ledger verify --head FILE\` compares the history with these heads.\n`,
    html: String(
      markup`<pre>${text}</pre><p>Keep this mail. <code>loyalty ledger verify --head FILE</code> compares the history with these heads.</p>`,
    ),
    unsubscribe: null,
  };
}

/** If a process ends while it sends heads out, they are due again after this time. */
const CLAIMED_MINUTES = 10;

/** Takes the heads that are due, so that no other process sends them too. */
async function claimHeads(db: Database, everyHours: number): Promise<NewestSeal[]> {
  const { rows } = await sql<{ commerceId: number }>`
    update seal_logs
       set published_at = now() - make_interval(hours => ${everyHours}) + make_interval(mins => ${CLAIMED_MINUTES})
     where size > published_size and (published_at is null or published_at <= now() - make_interval(hours => ${everyHours}))
    returning commerce_id as "commerceId"`.execute(db);
  const isClaimed = new Set(rows.map(({ commerceId }) => commerceId));
  if (isClaimed.size === 0) return [];
  return (await readNewestSeals(db)).filter(({ commerceId }) => isClaimed.has(commerceId));
}

async function releaseHeads(db: Database, seals: readonly NewestSeal[]): Promise<void> {
  await sql`
    update seal_logs set published_at = null where commerce_id = any(${seals.map((seal) => seal.commerceId)}::bigint[])`.execute(
    db,
  );
}

async function noteHeads(db: Database, seals: readonly NewestSeal[]): Promise<void> {
  await sql`
    update seal_logs l
       set published_size = s.size, published_at = now()
      from unnest(${seals.map((seal) => seal.commerceId)}::bigint[], ${seals.map((seal) => seal.size)}::bigint[])
             as s(commerce_id, size)
     where l.commerce_id = s.commerce_id`.execute(db);
}

/**
 * Notes which histories were rewritten since they were published. That is taken back only when the same folder agrees again, because
 * somebody has looked into it and taken the head away, or when heads are no longer published there.
 */
async function noteRewritten(
  db: Database,
  folders: readonly string[],
  claimed: readonly NewestSeal[],
  compared: readonly Compared[],
): Promise<void> {
  const agreed = compared.filter(({ differs }) => !differs);
  const differing = compared.filter(({ differs }) => differs);
  await sql`-- note-agreed-heads
    update seal_logs l
       set rewritten_at = null, rewritten_in = null
     where l.commerce_id = any(${commercesOf([...claimed, ...agreed])}::bigint[]) and l.rewritten_at is not null
       and ((l.commerce_id, l.rewritten_in) in
              (select * from unnest(${agreed.map((one) => one.commerceId)}::bigint[], ${agreed.map((one) => one.folder)}::text[]))
         or (l.commerce_id = any(${claimed.map((one) => one.commerceId)}::bigint[]) and l.rewritten_in <> all(${folders}::text[])))`.execute(
    db,
  );
  if (differing.length === 0) return;
  await sql`-- note-rewritten
    update seal_logs l
       set rewritten_at = now(), rewritten_in = d.folder
      from unnest(${differing.map((one) => one.commerceId)}::bigint[], ${differing.map((one) => one.folder)}::text[])
             as d(commerce_id, folder)
     where l.commerce_id = any(${commercesOf(differing)}::bigint[])
       and l.commerce_id = d.commerce_id and l.rewritten_at is null`.execute(db);
}
