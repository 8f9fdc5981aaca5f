import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type {
  ContextConfigDefault,
  FastifySchema,
  RouteGenericInterface,
  RouteShorthandOptionsWithHandler,
} from 'fastify';

/** A route without its method and path, which `app.ts` adds: its schemas, who may call it, and its handler. */
export type Route<Schema extends FastifySchema = FastifySchema> = RouteShorthandOptionsWithHandler<
  Server,
  IncomingMessage,
  ServerResponse,
  RouteGenericInterface,
  ContextConfigDefault,
  Schema,
  TypeBoxTypeProvider
>;

/**
 * Infers the handler's types from the route's schemas. Keeps the schemas' types, so that a client's types can be checked
 * against them.
 */
export function route<const Schema extends FastifySchema>(
  definition: Route<Schema> & { readonly schema: Schema },
): Route & { readonly schema: Schema } {
  return definition as unknown as Route & { readonly schema: Schema };
}
