import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Database } from '#db/database.ts';
import { isDatabaseAway } from '#db/database-errors.ts';
import { NotFound } from '#problems/problem.ts';
import type { App } from '#http/server.ts';
import { readBuiltPortal, type BuiltFile } from './built-files.ts';
import {
  awayPage,
  clubColors,
  clubIcon,
  clubManifest,
  clubPage,
  noClubPage,
  notBuiltPage,
} from './club-page.ts';
import { readClubShop, type ClubShop } from './read-club-shop.ts';

/** Nothing but what the service itself sends, and pictures that shops and their programs name by their address. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' https: data:",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

const YEAR = 'public, max-age=31536000, immutable';
const params = Type.Object({ slug: Type.String() });
const hidden = { hide: true } as const;

/** The member's web application at `/club/{slug}`, in the colours of the shop. Files of the build serve every shop. */
export function portalRoutes(app: App, { db }: { db: Database }): void {
  const built = readBuiltPortal();

  app.get(
    '/club/:slug',
    { schema: { ...hidden, params }, config: { credential: 'none', cacheControl: 'no-cache' } },
    async (request, reply) => {
      reply.type('text/html; charset=utf-8').header('content-security-policy', CONTENT_SECURITY_POLICY);
      const language = request.headers['accept-language'];
      if (built === null) return reply.code(503).send(notBuiltPage());
      try {
        const shop = await readClubShop(db, request.params.slug);
        if (shop === null) return await reply.code(404).send(noClubPage(language));
        return await reply.send(clubPage(built.page, shop));
      } catch (error) {
        if (!isDatabaseAway(error)) throw error;
        request.log.warn({ err: error, reqId: request.id }, 'the database is not available');
        return reply.code(503).header('retry-after', '1').send(awayPage(language));
      }
    },
  );

  app.get(
    '/club/:slug/',
    { schema: { ...hidden, params }, config: { credential: 'none' } },
    // Relative, since a proxy may serve all of this under a path of its own.
    (request, reply) => reply.redirect(`../${encodeURIComponent(request.params.slug)}`, 308),
  );

  const ofShop: [string, string, (shop: ClubShop) => string][] = [
    ['manifest.webmanifest', 'application/manifest+json', (shop) => JSON.stringify(clubManifest(shop))],
    ['icon.svg', 'image/svg+xml', clubIcon],
    ['colors.css', 'text/css; charset=utf-8', (shop) => clubColors(shop.color)],
  ];
  for (const [name, type, write] of ofShop) {
    app.get(
      `/club/:slug/${name}`,
      { schema: { ...hidden, params }, config: { credential: 'none', cacheControl: 'public, max-age=300' } },
      async (request, reply) => {
        const shop = await readClubShop(db, request.params.slug);
        if (shop === null) throw new NotFound('there is no club at this address');
        return reply.type(type).send(write(shop));
      },
    );
  }

  app.get(
    // No slug has an underscore, so that no shop is hidden by it.
    '/club/_assets/:name',
    {
      schema: { ...hidden, params: Type.Object({ name: Type.String() }) },
      config: { credential: 'none' },
    },
    (request, reply) => {
      const file = built?.files.get(request.params.name);
      if (file === undefined) throw new NotFound('there is nothing at this address');
      return sendCompressed(request, reply, file);
    },
  );
}

function sendCompressed(request: FastifyRequest, reply: FastifyReply, file: BuiltFile): FastifyReply {
  const accepted = request.headers['accept-encoding'] ?? '';
  reply.type(file.type).header('cache-control', YEAR).header('vary', 'Accept-Encoding');
  if (/\bbr\b/.test(accepted)) return reply.header('content-encoding', 'br').send(file.brotli);
  if (/\bgzip\b/.test(accepted)) return reply.header('content-encoding', 'gzip').send(file.gzip);
  return reply.send(file.plain);
}
