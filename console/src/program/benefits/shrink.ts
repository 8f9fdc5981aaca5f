/** The service takes 5 MB. A photo of a phone may be larger, so the browser makes it smaller first. */
export const LARGEST_UPLOAD = 5 * 1024 * 1024;
/** Twice of what the service keeps, so that its own scaling decides how the picture looks. */
const LONGEST_SIDE = 2_400;

/** Returns a picture of at most 5 MB, or null if this browser cannot make it smaller. */
export async function shrinkToUpload(file: Blob): Promise<Blob | null> {
  if (file.size <= LARGEST_UPLOAD) return file;
  try {
    const { width, height } = await createImageBitmap(file).then((bitmap) => {
      const size = { width: bitmap.width, height: bitmap.height };
      bitmap.close();
      return size;
    });
    const scale = Math.min(1, LONGEST_SIDE / Math.max(width, height));
    const [w, h] = [Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale))];
    const smaller = await createImageBitmap(file, { resizeWidth: w, resizeHeight: h, resizeQuality: 'high' });
    const canvas = document.createElement('canvas');
    canvas.width = w;
    canvas.height = h;
    canvas.getContext('2d')?.drawImage(smaller, 0, 0);
    smaller.close();
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/webp', 0.9));
    // A browser that cannot write WebP writes PNG.
    return blob !== null && blob.size <= LARGEST_UPLOAD ? blob : null;
  } catch {
    return null;
  }
}
