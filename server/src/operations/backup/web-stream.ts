import { ReadableStream as NodeReadableStream } from 'node:stream/web';

/** Returns the bytes as the stream that libraries for every JavaScript take. Node's own type of it differs by a hair. */
export function toWebStream(bytes: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array<ArrayBuffer>> {
  return NodeReadableStream.from(bytes) as unknown as ReadableStream<Uint8Array<ArrayBuffer>>;
}
