/** Pictures as people upload them, and as attackers do. */
import { randomBytes } from 'node:crypto';
import sharp from 'sharp';

/** A picture that nobody uploaded before. */
export function randomPicture(): Promise<Buffer> {
  return sharp(randomBytes(16 * 16 * 3), { raw: { width: 16, height: 16, channels: 3 } })
    .png()
    .toBuffer();
}

/** A picture in one color. */
export function plainPicture(width: number, height: number) {
  return sharp({ create: { width, height, channels: 3, background: '#7a3e9d' } });
}

/** A photo that says where and how it was taken: the camera was turned by 90 degrees. */
export async function photoWithPosition(): Promise<Buffer> {
  const turned = await plainPicture(600, 400).withMetadata({ orientation: 6 }).jpeg().toBuffer();
  return sharp(turned)
    .keepExif()
    .withExifMerge({
      IFD0: { Copyright: 'Rosa' },
      IFD3: {
        GPSLatitudeRef: 'S',
        GPSLatitude: '34/1 36/1 0/1',
        GPSLongitudeRef: 'W',
        GPSLongitude: '58/1 22/1 0/1',
      },
    })
    .jpeg()
    .toBuffer();
}
