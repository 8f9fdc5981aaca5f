/** Checks the stored day of the last purchase or exchange, from which a balance with one date gets its end. */
import { BETWEEN_ZONES_MS, datingOf, HOUR_MS } from './check-days.ts';
import type { Datings } from './read-datings.ts';
import type { History, Movement, Report } from './history.ts';

/** Where versions have several time zones, an earlier one can have a later day. */
export function checkMovedOn(
  { movements, stored, movedOn }: History,
  datings: Datings,
  report: Report,
): void {
  if (stored === null) return;
  let last: Movement | null = null;
  for (const movement of movements)
    if (
      (movement.type === 'purchase' || movement.type === 'exchange') &&
      movement.at >= (last?.at ?? -Infinity)
    )
      last = movement;
  const dating = last === null ? undefined : datingOf(last, datings);
  // Another check reports movements that name no version.
  if (last !== null && dating === undefined) return;
  const slack = datings.timeZones.size > 1 ? BETWEEN_ZONES_MS : HOUR_MS;
  const isRight =
    last === null
      ? movedOn === null
      : movedOn !== null &&
        movedOn >= dating!.dayOf(last.at - slack) &&
        movedOn <= dating!.dayOf(last.at + slack);
  if (isRight) return;
  report(
    'the day of the last purchase or exchange is that of the movement',
    last?.id ?? null,
    `${movedOn ?? 'no day'} is stored, but the last was ${last === null ? 'never made' : `on ${dating!.dayOf(last.at)}`}`,
  );
}
