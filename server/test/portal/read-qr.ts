import { decodeQR } from 'qr/decode.js';
import type { Visit } from './browser.ts';

/** Reads the QR code from the screen, as a till's scanner does. */
export async function readQr({ page, context }: Visit): Promise<string> {
  const png = await page.locator('svg[role=img]').screenshot();
  const reader = await context.newPage();
  const image = await reader.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (sign) => sign.codePointAt(0)!);
    const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
    const pen = canvas.getContext('2d')!;
    pen.drawImage(bitmap, 0, 0);
    const { data, width, height } = pen.getImageData(0, 0, bitmap.width, bitmap.height);
    return { data: [...data], width, height };
  }, png.toString('base64'));
  await reader.close();
  return decodeQR({ ...image, data: Uint8Array.from(image.data) });
}
