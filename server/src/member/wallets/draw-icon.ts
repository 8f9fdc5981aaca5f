import { crc32, deflateSync } from 'node:zlib';
import { deriveBrandColors } from '#colors/brand-colors.ts';

/** Samples for each pixel and direction, so that edges are smooth. */
const SAMPLES = 3;
const PNG_HEAD = Uint8Array.from([137, 80, 78, 71, 13, 10, 26, 10]);

/**
 * Draws the picture of a shop without one that wallets can read: a card on the shop’s color, as PNG. A wallet takes no
 * SVG, and the service never fetches the address of a shop’s own logo.
 */
export function drawCardIcon(color: string, pixels: number): Buffer {
  const ground = bytesOf(color);
  const ink = bytesOf(deriveBrandColors(color).onBrand);
  const row = 1 + pixels * 3;
  const raw = Buffer.alloc(pixels * row);
  for (let y = 0; y < pixels; y += 1) {
    for (let x = 0; x < pixels; x += 1) {
      const share = shareOfInk(x, y, pixels);
      for (let channel = 0; channel < 3; channel += 1)
        raw[y * row + 1 + x * 3 + channel] = Math.round(
          ground[channel]! * (1 - share) + ink[channel]! * share,
        );
    }
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(pixels, 0);
  head.writeUInt32BE(pixels, 4);
  head.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    PNG_HEAD,
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(raw)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Returns how much of a pixel is ink. */
function shareOfInk(x: number, y: number, pixels: number): number {
  let inked = 0;
  for (let i = 0; i < SAMPLES * SAMPLES; i += 1) {
    const u = (x + ((i % SAMPLES) + 0.5) / SAMPLES) / pixels;
    const v = (y + (Math.floor(i / SAMPLES) + 0.5) / SAMPLES) / pixels;
    if (isInk(u, v)) inked += 1;
  }
  return inked / (SAMPLES * SAMPLES);
}

/** The picture, in units of its side: a card with a stripe and a line. */
function isInk(u: number, v: number): boolean {
  const isCard = isInRoundedBox(u - 0.5, v - 0.5, 0.3, 0.21, 0.06);
  const isStripe = v > 0.38 && v < 0.46;
  const isLine = isInRoundedBox(u - 0.36, v - 0.6, 0.08, 0.02, 0.02);
  return isCard && !isStripe && !isLine;
}

function isInRoundedBox(
  x: number,
  y: number,
  halfWidth: number,
  halfHeight: number,
  radius: number,
): boolean {
  const dx = Math.max(Math.abs(x) - halfWidth + radius, 0);
  const dy = Math.max(Math.abs(y) - halfHeight + radius, 0);
  return Math.hypot(dx, dy) <= radius;
}

function chunk(type: string, content: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(content.length, 0);
  framed.set(body, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
}

function bytesOf(color: string): Buffer {
  return Buffer.from(color.slice(1), 'hex');
}
