import { styleText } from 'node:util';

export interface Progress {
  /** `fraction` is the part of the work that is done, from 0 to 1, or null if it is unknown. */
  show(fraction: number | null, words: string): void;
  /** Erases the bar. */
  end(): void;
}

/** Creates a progress bar on stderr. It shows nothing if stderr is not a terminal. */
export function createProgressBar(): Progress {
  if (!process.stderr.isTTY) return { show() {}, end() {} };
  let drawnAt = 0;
  return {
    show(fraction, words) {
      if (performance.now() - drawnAt < REDRAW_MS) return;
      drawnAt = performance.now();
      process.stderr.write(
        `\r\u001b[K${fraction === null ? '' : `${drawBar(Math.min(1, fraction))} `}${words}`,
      );
    },
    end() {
      if (drawnAt > 0) process.stderr.write('\r\u001b[K');
    },
  };
}

const REDRAW_MS = 100;
const WIDTH = 30;

function drawBar(fraction: number): string {
  const full = Math.floor(fraction * WIDTH);
  const drawn = styleText('cyan', '█'.repeat(full), { stream: process.stderr }) + '░'.repeat(WIDTH - full);
  return `${drawn} ${String(Math.floor(fraction * 100)).padStart(3)} %`;
}
