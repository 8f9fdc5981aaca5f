/** The roles of the shop's own people, from the fewest rights to the most. Each may do everything that those before it may. */
export const STAFF_ROLES = ['cashier', 'manager', 'owner'] as const;

export type StaffRole = (typeof STAFF_ROLES)[number];

/** Returns the roles that may do what this role may. */
export function rolesFrom(needed: StaffRole): readonly StaffRole[] {
  return STAFF_ROLES.slice(STAFF_ROLES.indexOf(needed));
}
