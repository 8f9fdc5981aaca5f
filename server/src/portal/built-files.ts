import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';

const SITE = new URL('../../../portal/dist/site/', import.meta.url);

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.woff2': 'font/woff2',
};

/** A built file, plain and compressed. Its name contains a hash of its content. */
export interface BuiltFile {
  readonly type: string;
  readonly plain: Buffer;
  readonly gzip: Buffer;
  readonly brotli: Buffer;
}

export interface BuiltPortal {
  /** The page without a shop's name and color. */
  readonly page: string;
  readonly files: ReadonlyMap<string, BuiltFile>;
  readonly worker: BuiltFile;
}

/** Reads the files that `npm run build -w portal` has built. Returns null if it has not been run. */
export function readBuiltPortal(): BuiltPortal | null {
  try {
    const folder = new URL('_assets/', SITE);
    const names = readdirSync(folder).filter((name) => extname(name) in TYPES);
    return {
      page: readFileSync(new URL('index.html', SITE), 'utf8'),
      files: new Map(names.map((name) => [name, readBuiltFile(new URL(name, folder))])),
      worker: readBuiltFile(new URL('service-worker.js', SITE)),
    };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function readBuiltFile(file: URL): BuiltFile {
  return {
    type: TYPES[extname(file.pathname)]!,
    plain: readFileSync(file),
    gzip: readFileSync(new URL(`${file.href}.gz`)),
    brotli: readFileSync(new URL(`${file.href}.br`)),
  };
}
