import { Type } from 'typebox';
import type { Database } from '#db/database.ts';
import { NotFound, NothingHere } from '#problems/problem.ts';
import { CACHED_FOR_A_YEAR, sendBuiltFile, type BuiltFile } from '#http/built-files.ts';
import { PATH_PARAMETER_CHARACTERS, Text } from '#http/schema.ts';
import type { App } from '#http/server.ts';
import { PICTURE_SOURCE } from '#text/web-address.ts';
import { readBuiltPortal } from './built-portal.ts';
import {
  drawClubIcon,
  writeClubColors,
  writeClubManifest,
  writeClubPage,
  writeNoClubPage,
  writeNotBuiltPage,
  writeUnavailablePage,
} from './club-page.ts';
import { NO_WORKER } from './no-worker.ts';
import { readClubShop, type ClubShop } from './read-club-shop.ts';

/** Allows only what the service itself sends, and pictures from any https address, because shops host their own. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  `img-src 'self' ${PICTURE_SOURCE} data:`,
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  // The only policy is the one that registers the service worker.
  'trusted-types club-worker',
].join('; ');

/** The service worker may only fetch what the service itself sends. */
const WORKER_POLICY = "default-src 'none'; connect-src 'self'";

const params = Type.Object({ slug: Text({}, PATH_PARAMETER_CHARACTERS) });
const hidden = { hide: true } as const;

export interface PortalOptions {
  readonly db: Database;
  /** False removes the service workers from the members' phones. */
  readonly worksOffline?: boolean;
}

/** Serves the members' web application at `/club/{slug}` in the shop's colors. All shops share the built files. */
export function portalRoutes(app: App, { db, worksOffline = true }: PortalOptions): void {
  const built = readBuiltPortal();

  app.get(
    '/club/:slug',
    { schema: { ...hidden, params }, config: { credential: 'none', turn: 'read', cacheControl: 'no-cache' } },
    async (request, reply) => {
      reply.type('text/html; charset=utf-8').header('content-security-policy', CONTENT_SECURITY_POLICY);
      const language = request.headers['accept-language'];
      if (built === null)
        return reply.code(503).header('x-error-code', 'unavailable').send(writeNotBuiltPage());
      try {
        const shop = await readClubShop(db, request.params.slug);
        if (shop === null)
          return await reply
            .code(404)
            .header('x-error-code', 'not_found')
            .send(writeNoClubPage(language, built.page));
        return await reply.send(writeClubPage(built.page, shop, { worksOffline }));
      } catch (error) {
        if (!db.trouble.note(error, 1)) throw error;
        return reply
          .code(503)
          .headers({ 'retry-after': '1', 'x-error-code': 'unavailable' })
          .send(writeUnavailablePage(language, built.page));
      }
    },
  );

  app.get(
    '/club/:slug/',
    { schema: { ...hidden, params }, config: { credential: 'none', turn: 'none' } },
    // Relative, because a proxy may serve the service under a path of its own.
    (request, reply) => reply.redirect(`../${encodeURIComponent(request.params.slug)}`, 308),
  );

  const shopFiles: [string, string, (shop: ClubShop) => string][] = [
    ['manifest.webmanifest', 'application/manifest+json', (shop) => JSON.stringify(writeClubManifest(shop))],
    ['icon.svg', 'image/svg+xml', drawClubIcon],
    ['colors.css', 'text/css; charset=utf-8', (shop) => writeClubColors(shop.color)],
  ];
  for (const [name, type, write] of shopFiles) {
    app.get(
      `/club/:slug/${name}`,
      {
        schema: { ...hidden, params },
        config: { credential: 'none', turn: 'read', cacheControl: 'public, max-age=300' },
      },
      async (request, reply) => {
        const shop = await readClubShop(db, request.params.slug);
        if (shop === null) throw new NotFound('there is no club at this address: check the slug of the shop');
        return reply.type(type).send(write(shop));
      },
    );
  }

  app.get(
    // A slug cannot contain an underscore, so this path hides no shop.
    '/club/_assets/:name',
    {
      schema: { ...hidden, params: Type.Object({ name: Text({}, PATH_PARAMETER_CHARACTERS) }) },
      config: { credential: 'none', turn: 'none' },
    },
    (request, reply) => {
      const file = built?.files.get(request.params.name);
      if (file === undefined) throw new NothingHere();
      return sendBuiltFile(request, reply.header('cache-control', CACHED_FOR_A_YEAR), file);
    },
  );

  serveWorker(app, worksOffline ? built?.worker : undefined);
}

/** Browsers ask for it again at each visit, so a change reaches everybody. */
function serveWorker(app: App, worker: BuiltFile | undefined): void {
  app.get(
    // In this folder, because a worker serves only pages at or below its own folder. No slug begins with an underscore.
    '/club/_worker.js',
    { schema: hidden, config: { credential: 'none', turn: 'none', cacheControl: 'no-cache' } },
    (request, reply) => {
      reply.header('content-security-policy', WORKER_POLICY);
      if (worker === undefined) return reply.type('text/javascript; charset=utf-8').send(NO_WORKER);
      return sendBuiltFile(request, reply, worker);
    },
  );
}
