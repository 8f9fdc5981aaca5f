/**
 * Signs packages for Apple Wallet on a thread of its own, because one takes 50 ms or more of a processor, and purchases must not
 * wait for it.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import { PKPass } from 'passkit-generator';
import type { AppleSettings } from '#settings/wallet-settings.ts';
import { drawCardIcon } from './draw-icon.ts';
import type { PackageToSign, SignedPackage } from './package-signer.ts';

/** The pictures of a pass, by the side in pixels. */
const PICTURES = {
  'icon.png': 29,
  'icon@2x.png': 58,
  'icon@3x.png': 87,
  'logo.png': 50,
  'logo@2x.png': 100,
} as const;

serve(workerData as AppleSettings);

function serve(apple: AppleSettings): void {
  const drawn = new LRUCache<string, Record<string, Buffer>>({ max: 200 });
  parentPort?.on('message', ({ id, pass, color }: PackageToSign) => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    parentPort?.postMessage(answer(id, pass, color));
  });

  function answer(id: number, pass: string, color: string): SignedPackage {
    try {
      const signed = new PKPass(
        { 'pass.json': Buffer.from(pass), ...picturesIn(color) },
        { signerCert: apple.certificate, signerKey: apple.key, wwdr: apple.intermediate },
      );
      return { id, bytes: signed.getAsBuffer() };
    } catch (error) {
      return { id, failure: String(error) };
    }
  }

  function picturesIn(color: string): Record<string, Buffer> {
    const kept = drawn.get(color);
    if (kept !== undefined) return kept;
    const pictures = Object.fromEntries(
      Object.entries(PICTURES).map(([name, pixels]) => [name, drawCardIcon(color, pixels)]),
    );
    drawn.set(color, pictures);
    return pictures;
  }
}
