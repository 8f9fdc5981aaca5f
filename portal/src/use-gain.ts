import { useEffect, useRef, useState } from 'preact/hooks';
import { isKept, type MyClub } from './use-my-club.ts';

/** Returns how many points the last purchase brought while this was on the screen; null before the first one. */
export function useGain(myClub: MyClub): number | null {
  const { points } = myClub.me;
  const before = useRef<number | null>(null);
  const [gain, setGain] = useState<number | null>(null);
  useEffect(() => {
    if (isKept(myClub)) return;
    const change = before.current === null ? 0 : points - before.current;
    if (change !== 0) setGain(change > 0 ? change : null);
    before.current = points;
  }, [myClub]);
  return gain;
}
