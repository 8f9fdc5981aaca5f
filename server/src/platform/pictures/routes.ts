import { Type } from 'typebox';
import type { Db } from '#db/database.ts';
import { PATH_PARAMETER_CHARACTERS, Text } from '#http/schema.ts';
import type { App } from '#http/server.ts';
import { NotFound } from '#problems/problem.ts';
import { drawings } from './picture-url.ts';
import { readPicture } from './uploaded-pictures.ts';

/** Serves the drawings that come with the service and the pictures that shops have uploaded, to anyone. */
export function pictureRoutes(app: App, db: Db): void {
  app.get(
    '/pictures/:name',
    {
      schema: { hide: true, params: Type.Object({ name: Text({}, PATH_PARAMETER_CHARACTERS) }) },
      config: { credential: 'none', turn: 'none' },
    },
    (request, reply) => {
      const drawing = drawings.get(`/pictures/${request.params.name}`);
      if (drawing === undefined) throw new NotFound('there is no picture at this address');
      // During an upgrade, another release may have named its own version. That answer must not be kept for a year.
      const isThisVersion = request.url.endsWith(`?${drawing.version}`);
      return reply
        .type('image/svg+xml')
        .header(
          'cache-control',
          isThisVersion ? 'public, max-age=31536000, immutable' : 'public, max-age=300',
        )
        .header('cross-origin-resource-policy', 'cross-origin')
        .send(drawing.body);
    },
  );

  app.get(
    '/pictures/:slug/:file',
    {
      schema: {
        hide: true,
        params: Type.Object({
          slug: Text({}, PATH_PARAMETER_CHARACTERS),
          file: Text({}, PATH_PARAMETER_CHARACTERS),
        }),
      },
      config: { credential: 'none', turn: 'read' },
    },
    async (request, reply) => {
      const { slug, file } = request.params;
      const [, hash, small] = FILE.exec(file) ?? [];
      const picture =
        hash === undefined
          ? null
          : await readPicture(db, slug, hash, small === undefined ? 'large' : 'small');
      if (picture === null) throw new NotFound('there is no picture at this address');
      return reply
        .type('image/webp')
        .header('cache-control', 'public, max-age=31536000, immutable')
        .header('cross-origin-resource-policy', 'cross-origin')
        .send(picture);
    },
  );
}

/** `HASH.webp` is the large one, `HASH-small.webp` the small one. */
const FILE = /^([A-Za-z0-9_-]{22})(-small)?\.webp$/;
