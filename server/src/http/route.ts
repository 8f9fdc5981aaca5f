import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type {
  ContextConfigDefault,
  FastifySchema,
  RouteGenericInterface,
  RouteShorthandOptionsWithHandler,
} from 'fastify';

/** A route without its method and path, which `app.ts` gives it: the schemas, who may call it, and what it does. */
export type Route<Schema extends FastifySchema = FastifySchema> = RouteShorthandOptionsWithHandler<
  Server,
  IncomingMessage,
  ServerResponse,
  RouteGenericInterface,
  ContextConfigDefault,
  Schema,
  TypeBoxTypeProvider
>;

/** Types the handler by the route's own schemas, and keeps them, so that a client's types can be held against them. */
export function route<const Schema extends FastifySchema>(
  definition: Route<Schema> & { readonly schema: Schema },
): Route & { readonly schema: Schema } {
  return definition as unknown as Route & { readonly schema: Schema };
}
