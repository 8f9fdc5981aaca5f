import { createHash } from 'node:crypto';
import { createGate } from '#http/gate.ts';
import { Overloaded, Problem } from '#problems/problem.ts';

/** A picture as the service keeps it: decoded from what was uploaded, and written anew in two sizes as WebP. */
export interface WrittenPicture {
  /** The first 128 bits of the SHA-256 of the large one, as base64url. */
  readonly hash: string;
  /** Of the large one, in pixels. */
  readonly width: number;
  readonly height: number;
  readonly large: Buffer;
  readonly small: Buffer;
}

/** The uploaded bytes are no picture that the service can use. */
export class UnusablePicture extends Problem {
  constructor(message: string) {
    super(400, 'unusable_picture', message);
  }
}

export const LARGE_PIXELS = 1_200;
export const SMALL_PIXELS = 400;
/** A small file can declare a huge picture. */
const MOST_PIXELS = 50_000_000;
const LONGEST_WAIT_MS = 5_000;

/**
 * Decodes a PNG, JPEG or WebP and writes it anew, upright and in sRGB. Whatever else the file contains is gone: the place
 * where a photo was taken, comments, further frames, and bytes after its end. The format is told from the bytes alone. One
 * picture is decoded at a time, beside the event loop.
 * @throws UnusablePicture, Overloaded if too many pictures wait
 */
export async function writeAnew(uploaded: Buffer): Promise<WrittenPicture> {
  if (!isOfKnownFormat(uploaded)) throw new UnusablePicture('send a picture as PNG, JPEG or WebP');
  const sharp = await loadDecoder();
  if (!(await gate.enter('decode', performance.now() + LONGEST_WAIT_MS)))
    throw new Overloaded('too many pictures are being uploaded');
  try {
    const { width, height } = await sharp(uploaded, { limitInputPixels: false }).metadata();
    if (width * height > MOST_PIXELS)
      throw new UnusablePicture(
        `the picture has ${width} × ${height} pixels: send one with at most ${MOST_PIXELS / 1_000_000} million`,
      );
    const within = async (side: number) =>
      sharp(uploaded, { limitInputPixels: MOST_PIXELS, failOn: 'truncated' })
        .autoOrient()
        .resize(side, side, { fit: 'inside', withoutEnlargement: true })
        .webp({ quality: 82 })
        .toBuffer({ resolveWithObject: true });
    const large = await within(LARGE_PIXELS);
    const small = await within(SMALL_PIXELS);
    return {
      hash: createHash('sha256').update(large.data).digest().subarray(0, 16).toString('base64url'),
      width: large.info.width,
      height: large.info.height,
      large: large.data,
      small: small.data,
    };
  } catch (error) {
    if (error instanceof UnusablePicture) throw error;
    throw new UnusablePicture('the picture is damaged or cut off: save it again and send that file');
  } finally {
    gate.leave('decode');
  }
}

const gate = createGate(1);

/** Loads the image library, which few processes ever need, and leaves it no decoder but the three. */
async function loadDecoder() {
  const { default: sharp } = await import('sharp');
  sharp.cache(false);
  sharp.concurrency(1);
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({
    operation: ['VipsForeignLoadPngBuffer', 'VipsForeignLoadJpegBuffer', 'VipsForeignLoadWebpBuffer'],
  });
  return sharp;
}

function isOfKnownFormat(bytes: Buffer): boolean {
  const startsWith = (text: string, at = 0) =>
    bytes.subarray(at, at + text.length).equals(Buffer.from(text, 'latin1'));
  return (
    startsWith('\x89PNG\r\n\x1a\n') ||
    startsWith('\xff\xd8\xff') ||
    (startsWith('RIFF') && startsWith('WEBP', 8))
  );
}
