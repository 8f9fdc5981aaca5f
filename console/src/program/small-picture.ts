/** The address of the small size of an uploaded picture; any other address as it is. */
export const smallPicture = (address: string): string =>
  address.replace(/^(\/pictures\/[^/]+\/[\w-]{22})\.webp$/, '$1-small.webp');
