import { Type } from 'typebox';
import { PATH_PARAMETER_CHARACTERS, Text } from '#http/schema.ts';
import type { App } from '#http/server.ts';
import { NotFound } from '#problems/problem.ts';
import { drawings } from './picture-url.ts';

/** Serves the pictures that come with the service, for program files whose shop has none of its own. */
export function pictureRoutes(app: App): void {
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
}
