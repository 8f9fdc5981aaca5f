import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  S3Client,
  type S3ServiceException,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { Refusal } from '#base/refusal.ts';
import { hidePassword, type Kept, type Place } from './place.ts';

/**
 * Backups below a prefix of a bucket, in S3 or anything that speaks its protocol. Address, region and credentials come from the
 * environment, as for every AWS tool: `AWS_ENDPOINT_URL_S3`, `AWS_REGION`, `AWS_ACCESS_KEY_ID` and so on, or the role of the
 * machine.
 */
export function s3Place(
  address: string,
  { silenceMs = 120_000, pauseMs = 1_000 }: { silenceMs?: number; pauseMs?: number } = {},
): Place {
  const found = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/.exec(address);
  if (found === null)
    throw new Refusal(`${hidePassword(address)} does not name a bucket, as s3://bucket/prefix does.`);
  const bucket = found[1]!;
  const prefix = (found[2] ?? '').replace(/\/*$/, (found[2] ?? '') === '' ? '' : '/');
  const client = createClient(silenceMs);
  const at = (name: string) => ({ Bucket: bucket, Key: `${prefix}${name}` });
  return {
    describe: (name) => `s3://${bucket}/${prefix}${name}`,
    async write(name, bytes) {
      await refuseExisting(client, at(name));
      let failure: unknown;
      const source = async function* () {
        try {
          yield* bytes;
        } catch (error) {
          failure = error;
          throw error;
        }
      };
      // What is not complete is aborted and leaves no object. 10,000 parts of this size are 320 GB.
      const upload = new Upload({
        client,
        params: { ...at(name), Body: Readable.from(source(), { objectMode: false }) },
        partSize: 32 * 1024 * 1024,
        queueSize: 2,
      });
      await upload.done().catch((error: Error) => {
        throw failure ?? refused(error);
      });
    },
    async read(name) {
      const { ContentLength: length, ETag } = await client
        .send(new HeadObjectCommand(at(name)))
        .catch(refuse);
      const object = { ...at(name), IfMatch: ETag };
      return { bytes: readObject(client, object, length!, pauseMs), length: length! };
    },
    async list() {
      const kept: Kept[] = [];
      for (let after: string | undefined; ;) {
        const page = await client
          .send(
            new ListObjectsV2Command({
              Bucket: bucket,
              Prefix: prefix,
              Delimiter: '/',
              ContinuationToken: after,
            }),
          )
          .catch(refuse);
        for (const { Key, Size } of page.Contents ?? [])
          kept.push({ name: Key!.slice(prefix.length), length: Size ?? 0 });
        after = page.NextContinuationToken;
        if (after === undefined) return kept.filter(({ name }) => /\.tar(\.age)?$/.test(name));
      }
    },
    async remove(name) {
      await client.send(new DeleteObjectCommand(at(name))).catch(refuse);
    },
  };
}

/** Servers other than Amazon's rarely know buckets as host names, and not all of them know its newest checksums. */
function createClient(silenceMs: number): S3Client {
  const isElsewhere = (process.env['AWS_ENDPOINT_URL_S3'] ?? process.env['AWS_ENDPOINT_URL']) !== undefined;
  return new S3Client({
    ...(process.env['AWS_REGION'] === undefined && isElsewhere && { region: 'us-east-1' }),
    forcePathStyle: isElsewhere,
    // A connection that was lost without a word would keep the snapshot of a backup open for ever.
    requestHandler: { connectionTimeout: 10_000, socketTimeout: silenceMs },
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
}

/** A key that may only write is not told whether there is an object. */
async function refuseExisting(client: S3Client, at: { Bucket: string; Key: string }): Promise<void> {
  const found = await client.send(new HeadObjectCommand(at)).then(
    () => true,
    (error: Error) => (error.name === 'NotFound' || isForbidden(error) ? false : refuse(error)),
  );
  if (found) throw new Refusal(`There is a backup of this name already: s3://${at.Bucket}/${at.Key}.`);
}

/** A restore reads for as long as the database takes, so a connection may be lost on the way. Goes on where it was. */
async function* readObject(
  client: S3Client,
  object: { Bucket: string; Key: string; IfMatch: string | undefined },
  length: number,
  pauseMs: number,
): AsyncGenerator<Uint8Array> {
  let done = 0;
  for (let failures = 0; done < length;) {
    try {
      const { Body } = await client.send(new GetObjectCommand({ ...object, Range: `bytes=${done}-` }));
      for await (const chunk of Body as AsyncIterable<Uint8Array>) {
        done += chunk.length;
        failures = 0;
        yield chunk;
      }
      if (done < length) throw new Error('the download ended early');
    } catch (error) {
      if (++failures === READ_ATTEMPTS) throw refused(error as Error);
      await pause(failures * pauseMs);
    }
  }
}

/** In a row, without a byte in between. */
const READ_ATTEMPTS = 5;

/** The client's errors name the cause (`NoSuchBucket`, `AccessDenied`, `CredentialsProviderError`). */
function refused(error: Error): Refusal {
  const { name, message } = error;
  const words =
    name === 'NotFound' || name === 'NoSuchKey'
      ? 'it has no such backup'
      : isForbidden(error) && message === 'UnknownError'
        ? 'the key may not read it'
        : `${name}: ${message}`;
  return new Refusal(`The bucket of the backups does not work: ${words}.`, { cause: error });
}

function isForbidden(error: Error): boolean {
  return (error as Partial<S3ServiceException>).$metadata?.httpStatusCode === 403;
}

function refuse(error: Error): never {
  throw refused(error);
}
