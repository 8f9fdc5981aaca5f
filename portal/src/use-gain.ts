import { useEffect, useRef, useState } from 'preact/hooks';

/** Returns how many points the last purchase brought while this was on the screen; null before the first one. */
export function useGain(points: number): number | null {
  const before = useRef(points);
  const [gain, setGain] = useState<number | null>(null);
  useEffect(() => {
    if (points !== before.current) setGain(points > before.current ? points - before.current : null);
    before.current = points;
  }, [points]);
  return gain;
}
