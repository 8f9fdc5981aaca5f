import { elementOf, type S3Client } from './s3-client.ts';

/** 10,000 parts, the most that an upload may have, are 320 GB. */
const PART_BYTES = 32 * 1024 * 1024;
/** Parts that are under way at once. Each is in memory. */
const AT_ONCE = 2;

/** Stores all bytes as one object, in parts if they are many. An incomplete upload is aborted and leaves no object. */
export async function upload(client: S3Client, key: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  const parts = inParts(bytes);
  const first = await parts.next();
  const second = first.done === true ? first : await parts.next();
  if (second.done === true) {
    await client.ask({ method: 'PUT', key, body: first.value ?? new Uint8Array() });
    return;
  }
  const begun = await client.ask({ method: 'POST', key, query: { uploads: '' } });
  const uploadId = elementOf(begun, 'UploadId');
  if (uploadId === undefined) throw new Error('the bucket began no upload');
  const underWay = new Set<Promise<void>>();
  try {
    const tags: string[] = [];
    let number = 0;
    const store = (body: Uint8Array) => {
      const place = number++;
      const storing = async () => {
        tags[place] = await storePart(client, key, { uploadId, partNumber: String(place + 1) }, body);
        // One that failed stays, so that whoever waits next hears of it.
        underWay.delete(stored);
      };
      const stored: Promise<void> = storing();
      stored.catch(() => {});
      underWay.add(stored);
    };
    store(first.value!);
    store(second.value);
    for await (const part of parts) {
      while (underWay.size >= AT_ONCE) await Promise.race(underWay);
      store(part);
    }
    await Promise.all(underWay);
    const list = tags.map((tag, i) => `<Part><PartNumber>${i + 1}</PartNumber><ETag>${tag}</ETag></Part>`);
    await client.ask({
      method: 'POST',
      key,
      query: { uploadId },
      headers: { 'content-type': 'application/xml' },
      body: `<CompleteMultipartUpload>${list.join('')}</CompleteMultipartUpload>`,
    });
  } catch (error) {
    // A part that arrives after the upload was aborted would be kept.
    await Promise.allSettled(underWay);
    await client.ask({ method: 'DELETE', key, query: { uploadId } }).catch(() => {});
    throw error;
  }
}

async function storePart(
  client: S3Client,
  key: string,
  query: { uploadId: string; partNumber: string },
  body: Uint8Array,
): Promise<string> {
  const answer = await client.send({ method: 'PUT', key, query, body });
  answer.resume();
  const { etag } = answer.headers;
  if (etag === undefined) throw new Error('the bucket named no tag of a part');
  return etag;
}

/** Yields the bytes in parts of the same size; the last one has the rest. */
async function* inParts(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, undefined> {
  let kept: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of bytes) {
    for (let rest = chunk; rest.length > 0;) {
      const taken = rest.subarray(0, PART_BYTES - size);
      rest = rest.subarray(taken.length);
      kept.push(taken);
      size += taken.length;
      if (size < PART_BYTES) continue;
      yield Buffer.concat(kept);
      kept = [];
      size = 0;
    }
  }
  if (size > 0) yield Buffer.concat(kept);
}
