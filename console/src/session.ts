import type { AdminClient, StaffCommerce, StaffProgram, StaffRole, StaffSession } from '@loyalty/sdk/admin';
import { useQuery } from '@tanstack/react-query';
import { createContext, useContext, useEffect } from 'react';
import { atTheDoor, isStatus, queries, SESSION_KEY, signedIn } from './api.ts';
import { goOnAs } from './interruptions.ts';
import { mayBeSignedIn, noteSignedIn, onSignInElsewhere } from './seen-session.ts';

/** The person who is signed in, and the shop of the address. */
export interface Place {
  readonly session: StaffSession;
  readonly shop: StaffCommerce;
  /** Calls at this shop. */
  readonly api: AdminClient;
  /** Returns the address of a page of this shop: `path('members', 12)` is `/harbour/members/12`. */
  readonly path: (...parts: (string | number)[]) => string;
  /** True if the person's role at this shop is at least this one. */
  readonly may: (role: StaffRole) => boolean;
}

export const PlaceContext = createContext<Place | null>(null);

export function usePlace(): Place {
  const place = useContext(PlaceContext);
  if (place === null) throw new Error('there is no shop here: the page stands outside of the frame');
  return place;
}

const RANKS: Readonly<Record<StaffRole, number>> = { cashier: 0, manager: 1, owner: 2 };

export const isAtLeast = (role: StaffRole, least: StaffRole): boolean => RANKS[role] >= RANKS[least];

/** The person has just signed in. */
export function openSession(session: StaffSession): void {
  noteSignedIn(true);
  enter(session);
}

/** The person who is signed in. `data` is null if nobody is. */
export function useSession() {
  useEffect(() => onSignInElsewhere(() => void queries.invalidateQueries({ queryKey: SESSION_KEY })), []);
  return useQuery({
    queryKey: SESSION_KEY,
    queryFn: ({ signal }) => readSession(signal),
    staleTime: 60_000,
  });
}

async function readSession(signal: AbortSignal): Promise<StaffSession | null> {
  // Somebody who is at work signs in again in a dialog. The page stays, with everything that was typed.
  if (queries.getQueryData(SESSION_KEY) != null) return enter(await signedIn.getStaffSession({ signal }));
  if (!mayBeSignedIn()) return null;
  try {
    return await atTheDoor.getStaffSession({ signal });
  } catch (error) {
    if (!isStatus(error, 401)) throw error;
    noteSignedIn(false);
    return null;
  }
}

/** The next person must not see the pages that the last one read, nor make the calls that the last one began. */
function enter(session: StaffSession): StaffSession {
  const before = queries.getQueryData<StaffSession | null>(SESSION_KEY);
  const isSamePerson = before == null || before.email === session.email;
  if (!isSamePerson) queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION_KEY[0] });
  queries.setQueryData(SESSION_KEY, session);
  goOnAs(isSamePerson);
  return session;
}

const NO_BRANCHES: StaffProgram['branches'] = [];

/** The branches that the program names, as they are in force. */
export function useBranches(): StaffProgram['branches'] {
  return useProgram().data?.branches ?? NO_BRANCHES;
}

/** The rules of the shop's program as they are now, and its clock. */
export function useProgram() {
  const { api, shop } = usePlace();
  return useQuery<StaffProgram>({
    queryKey: [shop.id, 'program'],
    queryFn: ({ signal }) => api.getProgram({ signal }),
    staleTime: 60_000,
  });
}

/** The time of the shop's program, which a sandbox may have moved. */
export function useNow(): string {
  return useProgram().data?.now ?? new Date().toISOString();
}
