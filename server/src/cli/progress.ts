import { styleText } from 'node:util';

export interface Progress {
  /** `fraction` of the work that is done, from 0 to 1; null where nobody can know. */
  show(fraction: number | null, words: string): void;
  /** Takes the bar away. */
  end(): void;
}

/** A bar on stderr for work that takes long; nothing where stderr is no terminal. */
export function progressBar(): Progress {
  if (!process.stderr.isTTY) return { show() {}, end() {} };
  let drawnAt = 0;
  return {
    show(fraction, words) {
      if (performance.now() - drawnAt < REDRAW_MS) return;
      drawnAt = performance.now();
      process.stderr.write(`\r\u001b[K${fraction === null ? '' : `${bar(Math.min(1, fraction))} `}${words}`);
    },
    end() {
      if (drawnAt > 0) process.stderr.write('\r\u001b[K');
    },
  };
}

const REDRAW_MS = 100;
const WIDTH = 30;

function bar(fraction: number): string {
  const full = Math.floor(fraction * WIDTH);
  const drawn = styleText('cyan', '█'.repeat(full), { stream: process.stderr }) + '░'.repeat(WIDTH - full);
  return `${drawn} ${String(Math.floor(fraction * 100)).padStart(3)} %`;
}
