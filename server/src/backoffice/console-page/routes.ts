import { Type } from 'typebox';
import { CACHED_FOR_A_YEAR, readBuiltSite, sendBuiltFile } from '#http/built-files.ts';
import { PATH_PARAMETER_CHARACTERS, Text } from '#http/schema.ts';
import type { App } from '#http/server.ts';
import { writeClubColors } from '#club-page/club-page.ts';
import { NothingHere } from '#problems/problem.ts';
import { PICTURE_SOURCE } from '#text/web-address.ts';
import { mailPreviewRoute } from './mail-preview.ts';

const SITE = new URL('../../../../console/dist/site/', import.meta.url);

/**
 * Allows only what the service itself sends, and pictures from any https address, because shops host their own. No text
 * can become markup, and no page can frame this one: a script here would act as the staff.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  `img-src 'self' ${PICTURE_SOURCE} data:`,
  "connect-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const hidden = { hide: true } as const;
const open = { credential: 'none', turn: 'none' } as const;
const oneName = Type.Object({ name: Text({}, PATH_PARAMETER_CHARACTERS) });

/** Serves the web application of the shop's own people. Every address at or below `/console` is one page of it. */
export function consoleRoutes(app: App): void {
  const built = readBuiltSite(SITE);
  mailPreviewRoute(app);

  for (const path of ['/console', '/console/', '/console/*'] as const) {
    app.get(path, { schema: hidden, config: { ...open, cacheControl: 'no-cache' } }, (request, reply) => {
      reply
        .type('text/html; charset=utf-8')
        .header('content-security-policy', CONTENT_SECURITY_POLICY)
        .header('cross-origin-opener-policy', 'same-origin')
        .header('permissions-policy', 'camera=(self), microphone=(), geolocation=()');
      if (built === null) return reply.code(503).header('x-error-code', 'unavailable').send(NOT_BUILT);
      return reply.send(built.page.replaceAll('./_assets/', `${wayToConsole(request.url)}_assets/`));
    });
  }

  app.get(
    '/console/_assets/:name',
    { schema: { ...hidden, params: oneName }, config: open },
    (request, reply) => {
      const file = built?.files.get(request.params.name);
      if (file === undefined) throw new NothingHere();
      return sendBuiltFile(request, reply.header('cache-control', CACHED_FOR_A_YEAR), file);
    },
  );

  // The colors follow from the shop's own alone, so the address says everything that is in the file.
  app.get(
    '/console/_colors/:name',
    { schema: { ...hidden, params: oneName }, config: open },
    (request, reply) => {
      const [, color] = /^([0-9a-f]{6})\.css$/.exec(request.params.name) ?? [];
      if (color === undefined) throw new NothingHere();
      reply.type('text/css; charset=utf-8').header('cache-control', CACHED_FOR_A_YEAR);
      return reply.send(writeClubColors(`#${color}`));
    },
  );
}

/** The relative address of the folder `/console/`, because a proxy may serve the service under a path of its own. */
function wayToConsole(url: string): string {
  const [path = ''] = url.split('?');
  const depth = path.split('/').length - 3;
  if (depth < 0) return './console/';
  return depth === 0 ? './' : '../'.repeat(depth);
}

/** For a developer who has not built the console. */
const NOT_BUILT = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>The console is not built</title>
  </head>
  <body>
    <h1>The console is not built</h1>
    <p>Run “npm run build -w console” and restart the service, or run “npm start”, which does both.</p>
  </body>
</html>
`;
