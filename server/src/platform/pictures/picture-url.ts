import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { servicePictures } from '#program/service-pictures.ts';

/** A picture that the service serves itself. */
export interface Drawing {
  readonly body: Buffer;
  /** Changes with the drawing. It stands in the URL, so browsers may keep a picture for ever. */
  readonly version: string;
}

/** The service's own pictures by their path in a program file, such as `/pictures/coffee.svg`. */
export const drawings: ReadonlyMap<string, Drawing> = new Map(
  servicePictures.map((path) => {
    const body = readFileSync(new URL(`./drawings/${path.slice('/pictures/'.length)}`, import.meta.url));
    return [path, { body, version: createHash('sha256').update(body).digest('base64url').slice(0, 10) }];
  }),
);

/**
 * Returns the URL of a picture for a client: an address as it is, and a picture of the service at the address where the
 * client reaches the service.
 */
export function pictureUrl(address: string | null, serviceUrl: string): string | null {
  if (address === null || !address.startsWith('/')) return address;
  const drawing = drawings.get(address);
  return `${serviceUrl}${address}${drawing === undefined ? '' : `?${drawing.version}`}`;
}
