/** Somebody's hand on the mouse and the keyboard, counted. */
import type { TestContext } from 'node:test';
import type { Locator, Page } from 'playwright-core';

export interface Hand {
  click(target: Locator): Promise<void>;
  press(key: string): Promise<void>;
  type(text: string): Promise<void>;
  /** Prints what the work since the last time cost. */
  done(what: string): void;
}

export function handOn(page: Page, t: TestContext): Hand {
  let clicks = 0;
  let keys = 0;
  let since = performance.now();
  return {
    async click(target) {
      clicks++;
      await target.click();
    },
    async press(key) {
      keys++;
      await page.keyboard.press(key);
    },
    async type(text) {
      keys += text.length;
      await page.keyboard.type(text);
    },
    done(what) {
      const seconds = ((performance.now() - since) / 1000).toFixed(1);
      t.diagnostic(`${what}: ${clicks} clicks, ${keys} keys, ${seconds} s`);
      clicks = 0;
      keys = 0;
      since = performance.now();
    },
  };
}
