import type { AdminClient, StaffCommerce, StaffProgram, StaffRole, StaffSession } from '@loyalty/sdk/admin';
import { useQuery } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import { anywhere, isStatus, queries, SESSION_KEY } from './api.ts';
import { mayBeSignedIn, noteSignedIn } from './seen-session.ts';

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
  queries.setQueryData(SESSION_KEY, session);
}

/** Who is signed in. `data` is null if nobody is. */
export function useSession() {
  return useQuery({
    queryKey: SESSION_KEY,
    queryFn: async ({ signal }): Promise<StaffSession | null> => {
      if (!mayBeSignedIn()) return null;
      try {
        return await anywhere.getStaffSession({ signal });
      } catch (error) {
        if (!isStatus(error, 401)) throw error;
        noteSignedIn(false);
        return null;
      }
    },
    staleTime: 60_000,
  });
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
