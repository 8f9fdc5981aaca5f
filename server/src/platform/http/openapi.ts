import swagger from '@fastify/swagger';
import type { FastifyInstance, FastifySchema, RouteOptions } from 'fastify';
import type { CredentialKind } from './credentials.ts';
import { collectAdditions, describeAdditions, withoutAdditions } from './contract-additions.ts';
import { describeErrorHeaders } from './error-headers.ts';
import { nameSchemas } from './openapi-components.ts';
import { keepAnswers } from './ready-answer.ts';
import { Message, Problem422 } from './schema.ts';

/** The published document that lists a route. A route without one is not published. */
export type DocumentName = 'contract' | 'extensions' | 'admin';

declare module 'fastify' {
  interface FastifyContextConfig {
    document?: DocumentName;
    /**
     * The route's own error responses: a sentence for each status. 401, 422 and the 404 for the commerce are added
     * automatically.
     */
    refusals?: Readonly<Record<number, string>>;
    /** The bodies of error responses that say more than a message. */
    refusalBodies?: Readonly<Record<number, object>>;
    /** Whether a route of the back office asks for a code that is at most 15 minutes old: always, or for some calls. */
    freshCode?: 'always' | 'sometimes';
  }
  interface FastifyInstance {
    extensionsDocument(): object;
    adminDocument(): object;
  }
}

const DOCUMENTS = [
  { name: 'contract', title: 'Loyalty Program Service', path: '/openapi.json', decorator: 'swagger' },
  {
    name: 'extensions',
    title: 'Loyalty Program Service: extensions',
    path: '/openapi-extensions.json',
    decorator: 'extensionsDocument',
  },
  {
    name: 'admin',
    title: 'Loyalty Program Service: back office',
    path: '/admin/openapi.json',
    decorator: 'adminDocument',
  },
] as const;

/**
 * Publishes three OpenAPI 3.1 documents, generated from the schemas of the routes, which are the only description of the
 * wire. Call and await this before the first route is added. `webhooks` are requests that the service sends.
 */
export async function describeInterfaces(app: FastifyInstance, webhooks: object): Promise<void> {
  const sendReady = keepAnswers();
  const additions = collectAdditions(app);
  for (const { name, title, path, decorator } of DOCUMENTS) {
    await app.register(swagger, {
      decorator: decorator as 'swagger',
      openapi: {
        openapi: '3.1.0',
        info: {
          title,
          version: '1.0.0',
          ...(name === 'admin' && { description: ABOUT_THE_BACK_OFFICE }),
          license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
        },
        servers: [{ url: '/' }],
        components: { securitySchemes: securitySchemes(name) },
        ...(name === 'extensions' && { webhooks }),
      },
      convertConstToEnum: false,
      transform: ({ schema, url, route }) => ({ schema: describeRoute(route, schema, name), url }),
      transformObject: (document) => {
        const named = nameSchemas(
          'openapiObject' in document ? document.openapiObject : document.swaggerObject,
        );
        return name === 'extensions' ? describeErrorHeaders(describeAdditions(named, additions())) : named;
      },
    });
    app.get(
      path,
      { schema: { hide: true }, config: { credential: 'none', cacheControl: 'no-cache' } },
      (_request, reply) => {
        // The page at `/docs` has no origin, so to the browser it is any other page.
        reply.header('access-control-allow-origin', '*');
        return sendReady(reply, name, () => app[decorator]());
      },
    );
  }
  app.addHook('onRoute', (route) => {
    if (route.config?.document && !route.schema?.operationId) {
      throw new Error(`${String(route.method)} ${route.url} is published and needs an operationId`);
    }
  });
}

/**
 * Adds to a route's schema its credential and the error responses that come with it. Hides routes of other documents.
 */
function describeRoute(route: RouteOptions, schema: FastifySchema, name: DocumentName): FastifySchema {
  if (route.config?.document !== name) return { ...schema, hide: true };
  return {
    ...schema,
    ...(schema?.body !== undefined && { body: withoutAdditions(schema.body) }),
    ...(name === 'admin' && { description: describeRights(route, schema?.description) }),
    security:
      route.config.role === 'signed-in' || route.config.freshCode === 'always'
        ? [{ StaffSession: [] }]
        : SECURITY[route.config.credential ?? 'none'],
    ...(schema?.headers !== undefined && { headers: capitaliseHeaders(schema.headers as HeaderSchema) }),
    response: { ...describeSuccesses(route, schema), ...describeRefusals(route, schema) },
  };
}

const SECURITY: Readonly<Record<CredentialKind, Record<string, string[]>[]>> = {
  key: [{ CommerceApiKey: [] }],
  user: [{ UserToken: [] }],
  staff: [{ StaffSession: [] }, { BackOfficeKey: [] }],
  header: [],
  none: [],
};

function securitySchemes(name: DocumentName) {
  if (name === 'admin') {
    return {
      StaffSession: {
        type: 'apiKey',
        in: 'cookie',
        name: '__Host-session',
        description:
          'The session of a person, opened by `POST /admin/v1/auth/otp/verify`. Over http on this machine its name is `session`.',
      },
      BackOfficeKey: {
        type: 'http',
        scheme: 'bearer',
        description: 'A key with a role, for scripts of the shop: `loyalty key create --role manager`.',
      },
    } as const;
  }
  return {
    CommerceApiKey: {
      type: 'http',
      scheme: 'bearer',
      description: 'The API key of a commerce. Keep it on the server.',
    },
    UserToken: { type: 'http', scheme: 'bearer', description: 'The access token of a member.' },
  } as const;
}

const ABOUT_THE_BACK_OFFICE = `The interface of the console, for the shop's own people and scripts. It may change with each release.

- A person signs in with a code that is mailed to the address, and stays signed in with a cookie. A script sends a back-office key.
- \`X-Commerce-Id\` names the commerce of a call. A key has one commerce, and may leave it out.
- Each operation names the lowest role that may call it: cashier, manager or owner.
- A write with a cookie must have the \`Origin\` of the console, and a body must be declared as JSON.
- Some writes need a code that is at most 15 minutes old. A key never does those.
- \`X-Error-Code\` says why a call was refused; \`docs/errors.md\` lists the codes.
- Every write is in the audit of the commerce.`;

/** Adds to an operation's description who may call it. */
function describeRights({ config = {} }: RouteOptions, description = ''): string {
  const { role, freshCode } = config;
  if (role === undefined || role === 'signed-in') return description;
  const code = { always: ', with a fresh code', sometimes: ', in some cases with a fresh code' };
  return [description, `Role: ${role}${freshCode === undefined ? '' : code[freshCode]}.`]
    .filter((part) => part !== '')
    .join('\n\n');
}

function describeSuccesses(
  { config = {} }: RouteOptions,
  { response = {} }: FastifySchema,
): Record<string, object> {
  const { document, addedHeaders } = config;
  const headers = document === 'contract' ? undefined : addedHeaders && describeHeaders(addedHeaders);
  const descriptions: Readonly<Record<string, string>> = { 200: 'Success.', 201: 'Recorded.' };
  const described = Object.entries(response as Record<string, object>).map(([status, schema]) => [
    status,
    { 'x-response-description': descriptions[status], ...(headers && { headers }), ...schema },
  ]);
  return Object.fromEntries(described) as Record<string, object>;
}

function describeHeaders(headers: Readonly<Record<string, string>>): Record<string, object> {
  const described = Object.entries(headers).map(([name, description]) => [
    name,
    { type: 'string', description },
  ]);
  return Object.fromEntries(described) as Record<string, object>;
}

function describeRefusals(
  { config = {}, method }: RouteOptions,
  schema: FastifySchema,
): Record<number, object> {
  const { credential, scope, unknownCommerce, document, role, refusals = {}, refusalBodies = {} } = config;
  const isWrite = document === 'admin' && method !== 'GET' && method !== 'HEAD';
  // A write of the back office is refused if its body is no JSON, even where it has none.
  const isChecked =
    (schema.params ?? schema.querystring ?? schema.headers ?? schema.body) !== undefined || isWrite;
  const ofCommerce = credential === 'staff' && role !== 'signed-in';
  // In the contract this is one of the credentials that are unfit for the call.
  const lacksScope =
    document === 'extensions' && scope !== undefined && scope !== 'any'
      ? `The key does not have the scope \`${scope}\`.`
      : undefined;
  const sentences: Record<number, string> = {
    ...((credential === 'key' || credential === 'user' || credential === 'staff') && {
      401: 'Missing, expired or wrong type of credential.',
    }),
    ...((credential === 'header' || credential === 'user') &&
      unknownCommerce !== 'allowed' && { 404: 'The commerce does not exist.' }),
    ...(ofCommerce && { 404: 'The commerce does not exist, or the person has no role there.' }),
    ...(isWrite && { 403: 'The call does not come from a page of the console.' }),
    ...(ofCommerce && { 403: WHY_FORBIDDEN[isWrite ? 'write' : 'read'] }),
    ...(isChecked && { 422: 'The request is not valid. `detail` lists every issue.' }),
    ...refusals,
    ...(lacksScope !== undefined && {
      403: [refusals[403], lacksScope].filter((sentence) => sentence !== undefined).join(' '),
    }),
  };
  const described = Object.entries(sentences).map(([status, description]): [string, object] => [
    status,
    {
      ...(status === '422' ? Problem422 : (refusalBodies[Number(status)] ?? Message)),
      'x-response-description': description,
    },
  ]);
  return Object.fromEntries(described);
}

const WHY_FORBIDDEN = {
  read: 'The role at this commerce is too low.',
  write:
    'The role at this commerce is too low, a fresh code is needed, or the call does not come from a page of the console.',
};

interface HeaderSchema {
  properties?: Record<string, object>;
  required?: string[];
}

/** Capitalises header names for readers: `X-Commerce-Id` instead of `x-commerce-id`. */
function capitaliseHeaders({ properties = {}, required = [] }: HeaderSchema): object {
  return {
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, schema]) => [capitaliseHeader(name), schema]),
    ),
    required: required.map(capitaliseHeader),
  };
}

function capitaliseHeader(header: string): string {
  return header.replaceAll(/(^|-)[a-z]/g, (start) => start.toUpperCase());
}
