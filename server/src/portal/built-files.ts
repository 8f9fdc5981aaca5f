import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';

const SITE = new URL('../../../portal/dist/site/', import.meta.url);

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.woff2': 'font/woff2',
};

/** A built file, plain and compressed. A font is compressed already, so it is only plain. Its name contains a hash of its content. */
export interface BuiltFile {
  readonly type: string;
  readonly plain: Buffer;
  readonly gzip: Buffer | null;
  readonly brotli: Buffer | null;
}

export interface BuiltPortal {
  /** The page without a shop's name and colour. */
  readonly page: string;
  readonly files: ReadonlyMap<string, BuiltFile>;
}

/** Reads the files that `npm run build -w portal` has built. Returns null if it has not been run. */
export function readBuiltPortal(): BuiltPortal | null {
  try {
    const folder = new URL('_assets/', SITE);
    const names = readdirSync(folder).filter((name) => extname(name) in TYPES);
    const read = (name: string) => readFileSync(new URL(name, folder));
    return {
      page: readFileSync(new URL('index.html', SITE), 'utf8'),
      files: new Map(
        names.map((name) => [
          name,
          {
            type: TYPES[extname(name)]!,
            plain: read(name),
            gzip: extname(name) === '.woff2' ? null : read(`${name}.gz`),
            brotli: extname(name) === '.woff2' ? null : read(`${name}.br`),
          },
        ]),
      ),
    };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
