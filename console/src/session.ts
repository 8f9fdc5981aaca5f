import type { AdminClient, StaffCommerce, StaffProgram, StaffRole, StaffSession } from '@loyalty/sdk/admin';
import { useQuery } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import { anywhere, isStatus, SESSION_KEY } from './api.ts';

/** The person who is signed in, and the shop of the address. */
export interface Place {
  readonly session: StaffSession;
  readonly shop: StaffCommerce;
  /** Calls at this shop. */
  readonly api: AdminClient;
  /** Returns the address of a page of this shop: `path('members', 12)` is `/harbour/members/12`. */
  path(...parts: (string | number)[]): string;
  /** True if the person's role at this shop is at least this one. */
  may(role: StaffRole): boolean;
}

export const PlaceContext = createContext<Place | null>(null);

export function usePlace(): Place {
  const place = useContext(PlaceContext);
  if (place === null) throw new Error('there is no shop here: the page stands outside of the frame');
  return place;
}

const RANKS: Readonly<Record<StaffRole, number>> = { cashier: 0, manager: 1, owner: 2 };

export const isAtLeast = (role: StaffRole, least: StaffRole): boolean => RANKS[role] >= RANKS[least];

/** Who is signed in. `data` is null if nobody is. */
export function useSession() {
  return useQuery({
    queryKey: SESSION_KEY,
    queryFn: async ({ signal }): Promise<StaffSession | null> => {
      try {
        return await anywhere.getSession({ signal });
      } catch (error) {
        if (isStatus(error, 401)) return null;
        throw error;
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
