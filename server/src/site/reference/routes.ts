import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import { keepAnswers } from '#http/ready-answer.ts';
import { PATH_PARAMETER_CHARACTERS, Text } from '#http/schema.ts';
import type { App } from '#http/server.ts';
import { refuseStrangers } from '#http/this-machine.ts';
import { NothingHere } from '#problems/problem.ts';
import { listGuides, plainAddress } from './guides.ts';
import { mergeDocuments } from './merge-documents.ts';
import { writeGuidePage, writeReferencePage } from './reference-page.ts';
import { createFileReader } from './static-files.ts';

/** The values that the page fills in on a developer's machine, so that each call works at once. */
export interface ReferenceDefaults {
  readonly commerceId: number;
  readonly key: string;
  readonly clientCode: number;
}

interface ReferenceOptions {
  /** True if the page can make calls. It then shares its origin with the portal, so only where nothing is at stake. */
  readonly tryItOut?: boolean;
  readonly demo?: ReferenceDefaults | null;
}

const OWN_FILES =
  "default-src 'none'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const named = {
  schema: { hide: true, params: Type.Object({ name: Text({}, PATH_PARAMETER_CHARACTERS) }) },
} as const;
const open = { credential: 'none', turn: 'none' } as const;

/**
 * Serves the API reference at `/docs` and our guides beside it. With `tryItOut` the reference can make calls, and takes
 * its defaults from the demo: only this machine gets them, because they contain an API key.
 */
export function referenceRoutes(app: App, { tryItOut = false, demo = null }: ReferenceOptions): void {
  const guides = listGuides();
  const readFile = createFileReader();
  const sendReady = keepAnswers();
  const policy = `${OWN_FILES}; script-src 'self'; connect-src 'self'${tryItOut ? '' : '; sandbox allow-scripts allow-popups'}`;
  const sendPage = (reply: FastifyReply, html: string, contentSecurityPolicy: string) =>
    reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', contentSecurityPolicy)
      .send(html);

  for (const [path, base] of [
    ['/docs', 'docs/'],
    ['/docs/', ''],
  ] as const) {
    app.get(path, { schema: { hide: true }, config: open }, (_request, reply) =>
      sendPage(reply, writeReferencePage(base, tryItOut, guides.links), policy),
    );
  }

  app.get(
    '/docs/openapi.json',
    { schema: { hide: true }, config: { ...open, cacheControl: 'no-cache' } },
    (_request, reply) => {
      // Without an origin of its own, the page is any other page to the browser.
      reply.header('access-control-allow-origin', '*');
      return sendReady(reply, 'merged', () =>
        mergeDocuments(app.swagger() as object, app.extensionsDocument()),
      );
    },
  );

  app.get(
    '/docs/guides.json',
    { schema: { hide: true }, config: { ...open, cacheControl: 'no-cache' } },
    (_request, reply) => {
      reply.header('access-control-allow-origin', '*');
      return sendReady(reply, 'guides', () => guides.parts);
    },
  );

  app.get(
    '/docs/static/:name',
    { ...named, config: { ...open, cacheControl: 'no-cache' } },
    async (request, reply) => {
      const file = await readFile(request.params.name);
      if (file === null) throw new NothingHere();
      reply.type(file.type).header('vary', 'Accept-Encoding').header('cache-control', 'public, max-age=3600');
      const isCompressed = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
      if (isCompressed) reply.header('content-encoding', 'gzip');
      return reply.send(isCompressed ? file.gzip : file.plain);
    },
  );

  for (const [path, folder, base] of [
    ['/docs/:name', '', ''],
    ['/docs/guides/:name', 'guides/', '../'],
    ['/docs/sdk/:name', 'sdk/', '../'],
  ] as const) {
    app.get(path, { ...named, config: open }, (request, reply) => {
      const path = folder + request.params.name;
      const address = plainAddress(request.serviceUrl);
      const guide = guides.read(path, address);
      if (guide === null) throw new NothingHere();
      const page = writeGuidePage(
        base,
        { path, address, hasDemo: tryItOut && demo !== null, ...guide },
        guides.links,
        guides.others,
      );
      return sendPage(reply, page, policy);
    });
  }

  if (tryItOut && demo !== null) {
    app.get(
      '/docs/defaults.json',
      { schema: { hide: true }, config: open, onRequest: refuseStrangers },
      (_request, reply) =>
        reply.send({ commerce_id: demo.commerceId, client_code: demo.clientCode, key: demo.key }),
    );
  }
}
