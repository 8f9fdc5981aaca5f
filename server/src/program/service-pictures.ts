/** The drawings that come with the service, as a program file names them. */
export const servicePictures: readonly string[] = [
  'anchor',
  'beans',
  'breakfast',
  'bun',
  'cafe-luna',
  'cafe-luna-cover',
  'cake',
  'coffee',
  'coins',
  'compass',
  'cookies',
  'croissant',
  'crown',
  'cupcake',
  'gift',
  'harbour-bakery',
  'harbour-bakery-cover',
  'loaf',
  'moon-full',
  'moon-half',
  'moon-new',
  'percent',
].map((name) => `/pictures/${name}.svg`);

/** The address of an uploaded picture in a program file: the slug of its shop and the hash of its bytes. */
const UPLOADED = /^\/pictures\/([a-z0-9][a-z0-9-]{0,63})\/([A-Za-z0-9_-]{22})\.webp$/;

/** Returns the address of an uploaded picture in a program file. */
export function uploadedPicture(slug: string, hash: string): string {
  return `/pictures/${slug}/${hash}.webp`;
}

/** Returns whose picture an address names, and which; null if it names no uploaded picture. */
export function readUploadedPicture(address: string): { slug: string; hash: string } | null {
  const [, slug, hash] = UPLOADED.exec(address) ?? [];
  return slug === undefined || hash === undefined ? null : { slug, hash };
}

/** Returns the address of the small size of an uploaded picture. */
export function smallPicture(uploaded: string): string {
  return uploaded.replace(/\.webp$/, '-small.webp');
}
