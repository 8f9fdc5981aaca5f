import { createStore, type Store } from '../store.ts';

/** Where this device stands. Null where the shop has only one. */
export interface Register {
  readonly registerId: number | null;
  readonly branchId: number | null;
}

/** Returns where a purchase at this device is made, as calls say it. */
export function placeOf(register: Register | null) {
  return { register_id: register?.registerId ?? null, branch_id: register?.branchId ?? null };
}

/** The key of the query for the day of a register. */
export const tillDayKey = (shopId: number, register: Register | null) => [
  shopId,
  'till-day',
  register?.branchId ?? null,
  register?.registerId ?? null,
];

const stores = new Map<number, Store<Register | null>>();

/** The register of this device at a shop. It is chosen once; null until then. */
export function registerAt(shopId: number): Store<Register | null> {
  let store = stores.get(shopId);
  if (store === undefined) {
    store = createStore(readRegister(shopId));
    store.subscribe(() => keepRegister(shopId, store!.get()));
    stores.set(shopId, store);
  }
  return store;
}

const nameOf = (shopId: number) => `loyalty/console/register/${shopId}`;

function readRegister(shopId: number): Register | null {
  try {
    return JSON.parse(localStorage.getItem(nameOf(shopId)) ?? 'null') as Register | null;
  } catch {
    return null;
  }
}

function keepRegister(shopId: number, register: Register | null): void {
  try {
    localStorage.setItem(nameOf(shopId), JSON.stringify(register));
  } catch {
    // A browser that stores nothing asks again next time.
  }
}
