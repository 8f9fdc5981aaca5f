import type { Command } from 'commander';
import { readWireIds } from '#batching/wire-ids.ts';
import type { Db } from '#db/database.ts';
import {
  createHeadSigner,
  isSignedBy,
  readHeads,
  writeHead,
  type HeadSigner,
  type SignedHead,
} from '#seals/head.ts';
import { readLeaf } from '#seals/leaf.ts';
import { holds, proveMovement, readIndex, readProof, writeProof } from '#seals/proof.ts';
import { readNewestSeals } from '#seals/read-seal.ts';
import type { Config } from '#settings/config.ts';
import { Refusal } from '#base/refusal.ts';
import { readSealKey } from '#settings/secret-key.ts';
import { findCommerce } from './find-commerce.ts';
import { readText } from './read-text.ts';
import {
  jsonOption,
  printMessage,
  printResult,
  writeCount,
  writeExamples,
  type JsonOption,
} from './terminal.ts';
import { withDatabase } from './with-database.ts';

/** Adds the commands about seals to `loyalty ledger`. */
export function addSeals(ledger: Command): void {
  ledger
    .command('head')
    .summary('print the heads of the sealed history')
    .description(
      'Print the newest head of each commerce: the name of its log, the number of sealed movements and the root of the tree over them, signed. Keep it where nobody who runs the service can change it. `ledger verify --head` compares the history with it later.',
    )
    .option('--commerce <slug>', 'slug or id (default: every commerce)')
    .option(...jsonOption)
    .addHelpText('after', writeExamples('ledger head > heads.txt', 'ledger head --commerce cafe-luna --json'))
    .action(printHeads);
  ledger
    .command('prove')
    .summary('prove that a movement is in the sealed history')
    .description(
      'Print a proof that a movement is in the sealed history. `ledger check-proof` checks it without a database. The id is the X-Consumption-Id of a purchase, or one that `ledger verify` lists. The proof shows the whole movement, with the code of the voucher if it has one.',
    )
    .argument('<movement>', 'id of the movement')
    .requiredOption('--commerce <slug>', 'slug or id of the commerce')
    .option('--head <file>', 'prove it under this published head (default: the newest)')
    .option(...jsonOption)
    .addHelpText('after', writeExamples('ledger prove 1082 --commerce cafe-luna > 1082.tlog-proof'))
    .action(printProof);
  ledger
    .command('check-proof')
    .summary('check such a proof, without a database')
    .description(
      'Check a proof of `ledger prove` with nothing but the proof and the published head. Without --head, it only shows that the proof agrees with the head inside it. The exit status is 1 if it does not hold.',
    )
    .argument('<file>', 'the proof; - reads stdin')
    .option('--head <file>', 'a file with the published head; it may hold others too')
    .option(
      '--key <key>',
      'the verifier key of the log, as `ledger head --json` prints it; the head must be signed by it',
    )
    .option(...jsonOption)
    .addHelpText('after', writeExamples('ledger check-proof 1082.tlog-proof --head heads.txt'))
    .action(checkProof);
}

async function printHeads(options: JsonOption & { commerce?: string }): Promise<void> {
  const heads = await withDatabase(async (db, config) => {
    const signer = createSigner(config);
    const id = options.commerce === undefined ? undefined : (await findCommerce(db, options.commerce)).id;
    return (await readNewestSeals(db, id)).map(({ slug, ...seal }) => ({
      commerce: slug,
      origin: seal.origin,
      size: seal.size,
      root: seal.root.toString('base64'),
      sealed_at: seal.sealedAt,
      verifier_key: signer?.verifierKey(seal.origin) ?? null,
      head: signer?.sign(seal) ?? writeHead(seal),
    }));
  });
  if (heads.length === 0)
    throw new Refusal(
      'Nothing is sealed yet. The service seals every five minutes; `loyalty jobs run seal` does it now.',
    );
  if (options.json === true) printResult(options, heads, () => '');
  else process.stdout.write(heads.map(({ head }) => head).join('\n'));
}

/** Without a key that all processes share, a signature would say nothing. */
function createSigner(config: Config): HeadSigner | null {
  const key = readSealKey(config);
  if (key === null) printMessage('The head is not signed, because neither SEAL_KEY nor SECRET_KEY is set.');
  return key === null ? null : createHeadSigner(key);
}

async function printProof(
  movement: string,
  options: JsonOption & { commerce: string; head?: string },
): Promise<void> {
  const given = options.head === undefined ? undefined : await readHeadFile(options.head);
  const text = await withDatabase(async (db, config) => {
    const { id, slug } = await findCommerce(db, options.commerce);
    const [seal] = await readNewestSeals(db, id);
    const heads = given?.filter(({ origin }) => origin === seal?.origin).sort((a, b) => a.size - b.size);
    if (heads?.length === 0) throw new Refusal(`${options.head} has no head of ${slug}.`);
    const movementId = await readMovementId(db, id, movement);
    // A file to which heads are appended has several. The movement is under every head from some size on.
    const place = heads === undefined ? null : await readIndex(db, id, movementId);
    const published = heads?.find(({ size }) => size > (place ?? 0)) ?? heads?.at(-1);
    const proof = await proveMovement(db, id, movementId, published);
    const note = published === undefined ? createSigner(config)?.sign(proof.head) : writeSigned(published);
    return writeProof(proof, note ?? writeHead(proof.head));
  });
  if (options.json === true) printResult(options, describeProof(text), () => '');
  else process.stdout.write(text);
}

async function readMovementId(db: Db, commerceId: number, text: string): Promise<number> {
  const given = /^[1-9][0-9]{0,14}$/.test(text) ? Number(text) : 0;
  return (await readWireIds(db, commerceId, 'purchase')).fromWire(given) ?? given;
}

function writeSigned(head: SignedHead): string {
  const lines = head.signatures.map(({ name, value }) => `— ${name} ${value.toString('base64')}\n`);
  return lines.length === 0 ? writeHead(head) : `${writeHead(head)}\n${lines.join('')}`;
}

function describeProof(text: string) {
  const { head, index, leaf } = readProof(text)!;
  const { origin, size, root } = head;
  return { origin, size, root: root.toString('base64'), index, movement: readLeaf(leaf), proof: text };
}

async function checkProof(
  file: string,
  options: JsonOption & { head?: string; key?: string },
): Promise<void> {
  const text = await readText(file, 'Nothing was checked.');
  const proof = readProof(text);
  if (proof === null) throw new Refusal(`${file} is not a proof from \`loyalty ledger prove\`.`);
  if (!holds(proof))
    throw new Refusal('The proof is invalid: it does not lead from its movement to its head.');
  const { origin, size, root } = proof.head;
  if (options.key !== undefined && !isSignedBy(proof.head, options.key))
    throw new Refusal(`The head in the proof is not signed by the key ${options.key}.`);
  if (options.head !== undefined) {
    const heads = (await readHeadFile(options.head)).filter((head) => head.origin === origin);
    if (heads.length === 0) throw new Refusal(`${options.head} has no head of ${origin}.`);
    const same = heads.find((head) => head.size === size);
    if (same === undefined)
      throw new Refusal(
        `The proof is for the head over ${size} movements, which ${options.head} does not have. \`loyalty ledger prove --head ${options.head}\` makes one for a head that it has.`,
      );
    if (!same.root.equals(root))
      throw new Refusal(
        'The proof is invalid: its head is not the published one, although both have the same size.',
      );
  }
  const movement = readLeaf(proof.leaf);
  if (movement === null)
    throw new Refusal(
      'The proof holds, but its movement is of a later release. Use that release to read it.',
    );
  const against = options.head === undefined ? 'the head in the proof' : 'the published head';
  printResult(
    options,
    { origin, size, root: root.toString('base64'), index: proof.index, against, movement },
    () =>
      [
        `Movement ${String(movement['id'])} is number ${proof.index + 1} of the ${writeCount(size, 'movement')} under ${against} of ${origin}.`,
        ...Object.entries(movement)
          .filter(([, value]) => value !== null)
          .map(([name, value]) => `  ${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`),
      ].join('\n'),
  );
  if (options.head === undefined)
    printMessage(`Compare the root with one that was published before: ${root.toString('base64')}`);
}

/** Reads a file of heads. @throws Refusal */
export async function readHeadFile(file: string): Promise<SignedHead[]> {
  const heads = readHeads(await readText(file, 'Nothing was checked.'));
  if (heads === null)
    throw new Refusal(`${file} has no heads in the form that \`loyalty ledger head\` prints.`);
  return heads;
}
