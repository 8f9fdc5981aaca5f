/** A semaphore for each name: lets a few calls with the same name in at once. The others wait in line, in memory. */
export interface Semaphore {
  /** Waits for room. Returns false if there was none until `untilMs`, by `performance.now()`. */
  enter(name: string, untilMs: number): Promise<boolean>;
  /** Makes room for the next one in line. */
  leave(name: string): void;
}

/** A semaphore of this process. */
export interface OwnSemaphore extends Semaphore {
  /** Enters if there is room and nobody waits. */
  enterAtOnce(name: string): boolean;
}

interface Line {
  inside: number;
  readonly waiting: Set<() => void>;
}

/** Creates a semaphore that holds at most `most` calls of each name. */
export function createSemaphore(most: number): OwnSemaphore {
  const lines = new Map<string, Line>();

  function enterAtOnce(name: string): boolean {
    const line = lines.get(name);
    if (line === undefined) lines.set(name, { inside: 1, waiting: new Set() });
    else if (line.inside < most) line.inside += 1;
    else return false;
    return true;
  }

  return {
    enterAtOnce,

    enter(name, untilMs) {
      if (enterAtOnce(name)) return Promise.resolve(true);
      const { waiting } = lines.get(name)!;
      return new Promise((resolve) => {
        const enter = () => {
          clearTimeout(timer);
          resolve(true);
        };
        const timer = setTimeout(
          () => {
            waiting.delete(enter);
            resolve(false);
          },
          Math.max(0, untilMs - performance.now()),
        );
        waiting.add(enter);
      });
    },

    leave(name) {
      const line = lines.get(name)!;
      const [next] = line.waiting;
      if (next !== undefined) {
        // The place passes from one to the next, so nobody who comes later can take it.
        line.waiting.delete(next);
        next();
      } else if (line.inside > 1) line.inside -= 1;
      else lines.delete(name);
    },
  };
}
