import type { Members } from './pgbench-scripts.ts';
import { lengthenHistory, makeRich, membersOf, spread } from './sign-in.ts';
import type { Site } from './sites.ts';

/** The member who buys all the time, those who exchange, and those with a short and a long past. */
export interface Cast {
  readonly hot: number;
  readonly buyers: Members;
  readonly short: number;
  readonly long: number;
}

/** Who plays which part: those who exchange get points for it, and one a past of so many movements. */
export async function prepareCast({ db, url, loaded }: Site, long: number): Promise<Cast> {
  const { firstMember } = loaded.shops[0]!;
  const cast = {
    hot: firstMember + 7,
    buyers: spread(loaded, 2_000),
    short: firstMember + 9,
    long: firstMember + 11,
  };
  await makeRich(url, loaded, membersOf(cast.buyers));
  await lengthenHistory(db, loaded, cast.short, 10);
  await lengthenHistory(db, loaded, cast.long, long);
  return cast;
}
