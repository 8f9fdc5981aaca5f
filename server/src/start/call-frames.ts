import type { Socket } from 'node:net';
import { deserialize, serialize } from 'node:v8';
import type { BatchName } from '#batching/writer.ts';
import { ReportedProblem, toPlainProblem, type PlainProblem } from '#problems/plain-problem.ts';
import { Problem } from '#problems/problem.ts';

/** What a process tells the one that writes. */
export type FrameToWriter =
  | {
      readonly calls: readonly HandedCall[];
      /** As many frames of answers have arrived, and whoever was answered had a moment to call again. */
      readonly heard: number;
    }
  /** Asks for a word, because nothing was heard for a while. */
  | { readonly isThere: true };

export type FrameFromWriter =
  /** The first one. Until it has come, nobody may be there who reads. */
  | { readonly hello: true }
  | { readonly answers: readonly HandedAnswer[] }
  /** The writer ends once it has answered. It gets no more calls. */
  | { readonly leaving: true };

export type HandedCall = readonly [id: number, batch: BatchName, call: unknown];

export type HandedAnswer =
  | readonly [id: number, kind: 'outcome', outcome: object]
  | readonly [id: number, kind: 'problem', problem: PlainProblem]
  /** A defect, which is logged where the call came from. */
  | readonly [id: number, kind: 'defect', stack: string];

/** Above every frame that is sent: a turn of the event loop takes in far less. */
const LARGEST_FRAME = 256 * 2 ** 20;
const HEADER_BYTES = 4;

/** Sends a frame. A socket that has ended takes it and says nothing: its end is noticed elsewhere. */
export function sendFrame(socket: Socket, frame: FrameToWriter | FrameFromWriter): void {
  if (!socket.writable) return;
  const body = serialize(frame);
  const header = Buffer.allocUnsafe(HEADER_BYTES);
  header.writeUInt32BE(body.length);
  socket.cork();
  socket.write(header);
  socket.write(body);
  socket.uncork();
}

/** Calls `onFrame` for each frame that arrives, in order. Both sides are of one release. */
export function readFrames(socket: Socket, onFrame: (frame: never) => void): void {
  let parts: Buffer[] = [];
  let size = 0;
  socket.on('data', (part: Buffer) => {
    parts.push(part);
    size += part.length;
    if (size < HEADER_BYTES) return;
    let rest = parts.length === 1 ? part : joinIfWhole();
    while (rest !== null && rest.length >= HEADER_BYTES) {
      const length = rest.readUInt32BE();
      if (length > LARGEST_FRAME) {
        socket.destroy(new Error(`a frame of ${length} bytes`));
        return;
      }
      const end = HEADER_BYTES + length;
      if (rest.length < end) break;
      onFrame(deserialize(rest.subarray(HEADER_BYTES, end)) as never);
      rest = rest.subarray(end);
    }
    if (rest === null) return;
    parts = rest.length === 0 ? [] : [rest];
    size = rest.length;
  });

  /** A large frame comes in many parts, which are joined once: null if it is not whole yet. */
  function joinIfWhole(): Buffer | null {
    if (parts[0]!.length < HEADER_BYTES) return Buffer.concat(parts, size);
    return size < HEADER_BYTES + parts[0]!.readUInt32BE() ? null : Buffer.concat(parts, size);
  }
}

/** Returns an outcome as plain data: a problem in it is an error, which does not keep its fields on the way. */
export function packOutcome(outcome: object): object {
  return 'problem' in outcome && outcome.problem instanceof Problem
    ? { ...outcome, problem: toPlainProblem(outcome.problem) }
    : outcome;
}

export function unpackOutcome(packed: object): object {
  return 'problem' in packed
    ? { ...packed, problem: new ReportedProblem(packed.problem as PlainProblem) }
    : packed;
}
