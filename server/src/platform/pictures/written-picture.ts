import { LARGE_PIXELS, SMALL_PIXELS } from './write-anew.ts';

interface Size {
  readonly width: unknown;
  readonly height: unknown;
}

/**
 * Returns true for bytes that `writeAnew` may have written: one still WebP that can be decoded, not larger than it writes them, and
 * with nothing beside the pixels and nothing after them.
 */
export async function isWrittenPicture(
  bytes: Buffer,
  size: 'large' | 'small',
  stored: Size | null = null,
): Promise<boolean> {
  const isWebP =
    bytes.length >= 12 &&
    bytes.toString('latin1', 0, 4) === 'RIFF' &&
    bytes.toString('latin1', 8, 12) === 'WEBP' &&
    bytes.readUInt32LE(4) + 8 === bytes.length;
  if (!isWebP) return false;
  const most = size === 'large' ? LARGE_PIXELS : SMALL_PIXELS;
  const { default: sharp } = await import('sharp');
  try {
    const picture = sharp(bytes, { limitInputPixels: most * most, failOn: 'truncated' });
    const { width, height, pages, exif, icc, xmp } = await picture.metadata();
    if (Math.max(width, height) > most || [pages, exif, icc, xmp].some((extra) => extra !== undefined))
      return false;
    await picture.stats();
    return stored === null || (width === stored.width && height === stored.height);
  } catch {
    return false;
  }
}
