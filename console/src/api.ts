import { ApiError, createAdminClient, type AdminClient } from '@loyalty/sdk/admin';
import { QueryClient } from '@tanstack/react-query';
import { fetchPatiently } from './interruptions.ts';
import { SERVICE } from './place.ts';

/** The client of all calls that belong to no commerce: signing in, and the session. */
export const anywhere: AdminClient = createAdminClient({ baseUrl: SERVICE, fetch: fetchPatiently });

const clients = new Map<number, AdminClient>();

/** The client of the calls at one commerce. */
export function clientAt(commerceId: number): AdminClient {
  let client = clients.get(commerceId);
  if (client === undefined)
    clients.set(
      commerceId,
      (client = createAdminClient({ baseUrl: SERVICE, commerceId, fetch: fetchPatiently })),
    );
  return client;
}

/** The SDK retries what may be retried, so a query that failed has failed. */
export const queries = new QueryClient({
  defaultOptions: {
    queries: { retry: false, staleTime: 5_000, networkMode: 'always' },
    mutations: { retry: false, networkMode: 'always' },
  },
});

export const SESSION_KEY = ['session'] as const;

export const isStatus = (error: unknown, status: number): boolean =>
  error instanceof ApiError && error.status === status;

export const isCode = (error: unknown, code: string): boolean =>
  error instanceof ApiError && error.code === code;
