import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

/** The build of Swagger UI that comes with Fastify's plugin: the same files, without the plugin's page. */
const SWAGGER_UI = new URL('static/', import.meta.resolve('@fastify/swagger-ui'));
const OWN = new URL('site/', import.meta.url);

const FILES: Readonly<Record<string, { readonly folder: URL; readonly type: string }>> = {
  'swagger-ui-bundle.js': { folder: SWAGGER_UI, type: 'text/javascript; charset=utf-8' },
  'swagger-ui.css': { folder: SWAGGER_UI, type: 'text/css; charset=utf-8' },
  'reference.js': { folder: OWN, type: 'text/javascript; charset=utf-8' },
  'guide.js': { folder: OWN, type: 'text/javascript; charset=utf-8' },
  'translate.js': { folder: OWN, type: 'text/javascript; charset=utf-8' },
  'search.js': { folder: OWN, type: 'text/javascript; charset=utf-8' },
  'reference.css': { folder: OWN, type: 'text/css; charset=utf-8' },
  'icon.svg': { folder: OWN, type: 'image/svg+xml' },
};

export interface StaticFile {
  readonly type: string;
  readonly plain: Buffer;
  readonly gzip: Buffer;
}

/** Returns a function that reads the files of the page, each when it is first asked for. Null for any other name. */
export function createFileReader(): (name: string) => Promise<StaticFile | null> {
  const read = new Map<string, Promise<StaticFile>>();
  return (name) => {
    const file = Object.hasOwn(FILES, name) ? FILES[name]! : null;
    if (file === null) return Promise.resolve(null);
    let reading = read.get(name);
    if (reading === undefined)
      read.set(name, (reading = readCompressed(new URL(name, file.folder), file.type)));
    return reading;
  };
}

async function readCompressed(url: URL, type: string): Promise<StaticFile> {
  const plain = await readFile(url);
  return { type, plain, gzip: await promisify(gzip)(plain) };
}
