/** Reads codes in a picture. */
export interface Detector {
  detect(picture: HTMLVideoElement): Promise<{ readonly rawValue: string }[]>;
}

/** The part of the browsers' `BarcodeDetector` that is used; TypeScript does not know it yet. */
interface NativeDetector {
  new (options: { formats: string[] }): Detector;
  getSupportedFormats(): Promise<string[]>;
}

/** Bars are for shops with printed cards of their own; only browsers that detect by themselves read them. */
const FORMATS = ['qr_code', 'code_128', 'ean_13', 'itf'];

/**
 * Returns the browser's own detector or, where it has none that reads QR codes (Firefox, Safari, Chrome on Windows and
 * Linux), a library that is loaded now.
 */
export async function createDetector(): Promise<Detector> {
  const { BarcodeDetector: Native } = globalThis as { BarcodeDetector?: NativeDetector };
  const supported = (await Native?.getSupportedFormats().catch(() => [])) ?? [];
  if (Native !== undefined && supported.includes('qr_code'))
    return new Native({ formats: FORMATS.filter((format) => supported.includes(format)) });
  const { BarcodeDetector: Library } = await import('qr/decode.js');
  return new Library({ formats: ['qr_code'] });
}
