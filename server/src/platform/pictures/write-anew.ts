import { createHash } from 'node:crypto';
import { Problem } from '#problems/problem.ts';

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
export const MOST_PIXELS = 50_000_000;
/** A long and narrow picture takes a decoder far longer than as many pixels of a photo. */
export const LONGEST_SIDE = 12_000;

/**
 * Decodes a PNG, JPEG or WebP and writes it anew, upright and in sRGB. Everything else in the file is gone: the place where a photo was
 * taken, comments, further frames, and bytes after its end. The format is told from the bytes alone. It takes a processor for up to
 * seconds, so it belongs in a process that can be ended (`server/src/platform/aside/`).
 * @throws UnusablePicture
 */
export async function writeAnew(uploaded: Buffer): Promise<WrittenPicture> {
  if (!isOfKnownFormat(uploaded)) throw new UnusablePicture('send a picture as PNG, JPEG or WebP');
  const sharp = await loadDecoder();
  try {
    const { width, height } = await sharp(uploaded, { limitInputPixels: false }).metadata();
    refuseSize(width, height);
    // Decoded once: the small one is made of the pixels of the large one.
    const decoded = await sharp(uploaded, { limitInputPixels: MOST_PIXELS, failOn: 'truncated' })
      .autoOrient()
      .resize(LARGE_PIXELS, LARGE_PIXELS, { fit: 'inside', withoutEnlargement: true })
      .toColorspace('srgb')
      .raw()
      .toBuffer({ resolveWithObject: true });
    const { data, info } = decoded;
    const raw = { width: info.width, height: info.height, channels: info.channels };
    const pixels = () => sharp(data, { raw });
    const large = await pixels().webp({ quality: 82 }).toBuffer();
    const small = await pixels()
      .resize(SMALL_PIXELS, SMALL_PIXELS, { fit: 'inside', withoutEnlargement: true })
      .webp({ quality: 82 })
      .toBuffer();
    return {
      hash: createHash('sha256').update(large).digest().subarray(0, 16).toString('base64url'),
      width: info.width,
      height: info.height,
      large,
      small,
    };
  } catch (error) {
    if (error instanceof UnusablePicture) throw error;
    throw new UnusablePicture('the picture is damaged or cut off: save it again and send that file');
  }
}

function refuseSize(width: number, height: number): void {
  const has = `the picture has ${width} × ${height} pixels: send one with at most`;
  if (width * height > MOST_PIXELS) throw new UnusablePicture(`${has} ${MOST_PIXELS / 1_000_000} million`);
  if (Math.max(width, height) > LONGEST_SIDE)
    throw new UnusablePicture(`${has} ${LONGEST_SIDE.toLocaleString('en')} on each side`);
}

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
