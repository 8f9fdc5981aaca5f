import { ApiError, createAdminClient, type AdminClient } from '@loyalty/sdk/admin';
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { askForWhatIsNeeded } from './interruptions.ts';
import { SERVICE } from './place.ts';

/** The client for signing in and out: its refusals are answers, not interruptions. */
export const atTheDoor: AdminClient = createAdminClient({ baseUrl: SERVICE });

/** The client of a person who is signed in, for calls that belong to no commerce. */
export const signedIn: AdminClient = createAdminClient({ baseUrl: SERVICE, onRefused: askForWhatIsNeeded });

const clients = new Map<number, AdminClient>();

/** The client of the calls at one commerce. */
export function clientAt(commerceId: number): AdminClient {
  let client = clients.get(commerceId);
  if (client === undefined)
    clients.set(
      commerceId,
      (client = createAdminClient({ baseUrl: SERVICE, commerceId, onRefused: askForWhatIsNeeded })),
    );
  return client;
}

export const SESSION_KEY = ['session'] as const;

/** The SDK retries what may be retried, so a query that failed has failed. */
export const queries = new QueryClient({
  queryCache: new QueryCache({ onError: lookAgainAtRole }),
  mutationCache: new MutationCache({ onError: lookAgainAtRole }),
  defaultOptions: {
    queries: { retry: false, staleTime: 5_000, networkMode: 'always', refetchOnReconnect: true },
    mutations: { retry: false, networkMode: 'always' },
  },
});

/** After an act that changes figures of many pages: each is read again when it is next opened. */
export function markStale(shopId: number): void {
  void queries.invalidateQueries({ queryKey: [shopId], refetchType: 'none' });
}

/** A role that was lowered, or a person who was removed from a shop, is refused at once. The page follows. */
function lookAgainAtRole(error: unknown): void {
  if (isStatus(error, 403) || isStatus(error, 404)) void queries.invalidateQueries({ queryKey: SESSION_KEY });
}

export const isStatus = (error: unknown, status: number): boolean =>
  error instanceof ApiError && error.status === status;

export const isCode = (error: unknown, code: string): boolean =>
  error instanceof ApiError && error.code === code;

/** The call may have had its effect. */
export const isWithoutAnswer = (error: unknown): boolean =>
  !(error instanceof ApiError) || error.status >= 500 || error.code === 'in_progress';

/**
 * It is not known whether a call under a key has counted. If an earlier attempt with the key was lost, some refusals say nothing about that
 * one.
 */
export const isInDoubt = (error: unknown, wasLost: boolean): boolean =>
  isWithoutAnswer(error) || (wasLost && [401, 403, 409, 429].includes((error as ApiError).status));
