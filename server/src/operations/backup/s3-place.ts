import type { IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { Refusal } from '#base/refusal.ts';
import { hidePassword, type Kept, type Place } from './place.ts';
import { createS3Client, elementOf, S3Error, type S3Client } from './s3-client.ts';
import { upload } from './s3-upload.ts';

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
  const client = createS3Client(bucket, silenceMs);
  const keyOf = (name: string) => `${prefix}${name}`;
  const describe = (name: string) => `s3://${bucket}/${keyOf(name)}`;
  return {
    describe,
    async write(name, bytes) {
      await refuseExisting(client, keyOf(name), describe(name));
      let failure: unknown;
      const source = async function* () {
        try {
          yield* bytes;
        } catch (error) {
          failure = error;
          throw error;
        }
      };
      await upload(client, keyOf(name), source()).catch((error: Error) => {
        throw failure ?? refused(error);
      });
    },
    async read(name) {
      const { headers } = await head(client, keyOf(name)).catch(refuse);
      const length = Number(headers['content-length']);
      return { bytes: readObject(client, keyOf(name), headers.etag, length, pauseMs), length };
    },
    async list() {
      const kept: Kept[] = [];
      for (let after: string | undefined; ;) {
        const page = await client
          .ask({
            method: 'GET',
            query: {
              'list-type': '2',
              prefix,
              delimiter: '/',
              ...(after !== undefined && { 'continuation-token': after }),
            },
          })
          .catch(refuse);
        for (const [, object] of page.matchAll(/<Contents>([^]*?)<\/Contents>/g))
          kept.push({
            name: elementOf(object!, 'Key')!.slice(prefix.length),
            length: Number(elementOf(object!, 'Size') ?? 0),
          });
        after = elementOf(page, 'NextContinuationToken');
        if (after === undefined) return kept.filter(({ name }) => /\.tar(\.age)?$/.test(name));
      }
    },
    async remove(name) {
      await client.ask({ method: 'DELETE', key: keyOf(name) }).catch(refuse);
    },
  };
}

async function head(client: S3Client, key: string): Promise<IncomingMessage> {
  const answer = await client.send({ method: 'HEAD', key });
  answer.resume();
  return answer;
}

/** A key that may only write is not told whether there is an object. */
async function refuseExisting(client: S3Client, key: string, address: string): Promise<void> {
  const found = await head(client, key).then(
    () => true,
    (error: Error) => (error.name === 'NotFound' || isForbidden(error) ? false : refuse(error)),
  );
  if (found) throw new Refusal(`There is a backup of this name already: ${address}.`);
}

/** A restore reads for as long as the database takes, so a connection may be lost on the way. Goes on where it was. */
async function* readObject(
  client: S3Client,
  key: string,
  etag: string | undefined,
  length: number,
  pauseMs: number,
): AsyncGenerator<Uint8Array> {
  let done = 0;
  for (let failures = 0; done < length;) {
    try {
      const range = { range: `bytes=${done}-`, ...(etag !== undefined && { 'if-match': etag }) };
      const body = await client.send({ method: 'GET', key, headers: range });
      for await (const chunk of body as AsyncIterable<Uint8Array>) {
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

/** The client's errors name the cause (`NoSuchBucket`, `AccessDenied`, `CredentialsError`). */
function refused(error: Error): Refusal {
  const { name, message } = error;
  const words =
    name === 'NotFound' || name === 'NoSuchKey'
      ? 'it has no such backup'
      : isForbidden(error) && message === ''
        ? 'the key may not read it'
        : [name, message].filter(Boolean).join(': ');
  return new Refusal(`The bucket of the backups does not work: ${words}.`, { cause: error });
}

function isForbidden(error: Error): boolean {
  return error instanceof S3Error && error.status === 403;
}

function refuse(error: Error): never {
  throw refused(error);
}
