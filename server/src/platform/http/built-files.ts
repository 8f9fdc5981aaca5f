import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.woff2': 'font/woff2',
};

export const CACHED_FOR_A_YEAR = 'public, max-age=31536000, immutable';

/** A built file of a web application, plain and compressed. */
export interface BuiltFile {
  readonly type: string;
  readonly plain: Buffer;
  readonly gzip: Buffer;
  readonly brotli: Buffer;
}

/** The files that the build of a web application has left behind. */
export interface BuiltSite {
  readonly page: string;
  /** The name of each contains a hash of its content. */
  readonly files: ReadonlyMap<string, BuiltFile>;
}

/** Reads the built files of a web application. Returns null if it has not been built. */
export function readBuiltSite(site: URL): BuiltSite | null {
  return nullIfMissing(() => {
    const folder = new URL('_assets/', site);
    const names = readdirSync(folder).filter((name) => extname(name) in TYPES);
    return {
      page: readFileSync(new URL('index.html', site), 'utf8'),
      files: new Map(names.map((name) => [name, readBuiltFile(new URL(name, folder))])),
    };
  });
}

export function readBuiltFile(file: URL): BuiltFile {
  return {
    type: TYPES[extname(file.pathname)]!,
    plain: readFileSync(file),
    gzip: readFileSync(new URL(`${file.href}.gz`)),
    brotli: readFileSync(new URL(`${file.href}.br`)),
  };
}

/** Returns what `read` does, or null if a file does not exist. */
export function nullIfMissing<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Sends a built file in the best compression that the browser takes. */
export function sendBuiltFile(request: FastifyRequest, reply: FastifyReply, file: BuiltFile): FastifyReply {
  const accepted = request.headers['accept-encoding'] ?? '';
  reply.type(file.type).header('vary', 'Accept-Encoding');
  if (/\bbr\b/.test(accepted)) return reply.header('content-encoding', 'br').send(file.brotli);
  if (/\bgzip\b/.test(accepted)) return reply.header('content-encoding', 'gzip').send(file.gzip);
  return reply.send(file.plain);
}
