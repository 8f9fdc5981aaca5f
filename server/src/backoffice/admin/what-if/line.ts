/** A line that a few leave at its front to go in, in the order in which they came. */
export interface Line {
  readonly isFull: () => boolean;
  /**
   * Waits for its turn and is told its place, 1 for the next one, whenever that changes. Returns false if the signal aborts meanwhile. A
   * caller that gets true goes `out` at the end.
   */
  enter(signal: AbortSignal, onPlace: (place: number) => void): Promise<boolean>;
  out(): void;
}

interface Waiting {
  readonly goIn: () => void;
  readonly onPlace: (place: number) => void;
}

export function createLine(mostInside: number, mostWaiting: number): Line {
  const waiting: Waiting[] = [];
  let inside = 0;

  function move(): void {
    for (let next; inside < mostInside && (next = waiting.shift()) !== undefined; inside++) next.goIn();
    for (const [index, { onPlace }] of waiting.entries()) onPlace(index + 1);
  }

  return {
    isFull: () => inside >= mostInside && waiting.length >= mostWaiting,

    enter(signal, onPlace) {
      if (signal.aborted) return Promise.resolve(false);
      if (inside < mostInside) {
        inside += 1;
        return Promise.resolve(true);
      }
      return new Promise((resolve) => {
        const giveUp = () => {
          waiting.splice(waiting.indexOf(one), 1);
          resolve(false);
          move();
        };
        const goIn = () => {
          signal.removeEventListener('abort', giveUp);
          resolve(true);
        };
        const one = { goIn, onPlace };
        signal.addEventListener('abort', giveUp, { once: true });
        waiting.push(one);
        onPlace(waiting.length);
      });
    },

    out() {
      inside -= 1;
      move();
    },
  };
}
