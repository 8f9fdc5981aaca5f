import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';

const SITE = new URL('../../../portal/dist/site/', import.meta.url);

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

/** A built file, as it is and compressed ahead. Its name carries a hash of what is in it. */
export interface BuiltFile {
  readonly type: string;
  readonly plain: Buffer;
  readonly gzip: Buffer;
  readonly brotli: Buffer;
}

export interface BuiltPortal {
  /** The page, before a shop is written into it. */
  readonly page: string;
  readonly files: ReadonlyMap<string, BuiltFile>;
}

/** The member's web application as `npm run build -w portal` left it; null where that has not been run. */
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
            gzip: read(`${name}.gz`),
            brotli: read(`${name}.br`),
          },
        ]),
      ),
    };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
