/** A cashier's hands: keys that are counted, and a scanner that types. */
import type { Locator, Page } from 'playwright-core';

/** How fast a practised hand types, in milliseconds a key. */
const HAND = 60;

export interface Hands {
  readonly page: Page;
  /** The keys that were pressed by hand. */
  readonly pressed: () => number;
  type(text: string | number): Promise<void>;
  press(...keys: string[]): Promise<void>;
  /** Types like a scanner: very fast keys and Enter or Tab, wherever the focus is. */
  scan(code: string | number, end?: 'Enter' | 'Tab'): Promise<void>;
}

export function handsOn(page: Page): Hands {
  let pressed = 0;
  return {
    page,
    pressed: () => pressed,
    async type(text) {
      pressed += String(text).length;
      await page.keyboard.type(String(text), { delay: HAND });
    },
    async press(...keys) {
      for (const key of keys) {
        pressed++;
        await page.keyboard.press(key);
      }
    },
    async scan(code, end = 'Enter') {
      await scan(page, String(code), end);
    },
  };
}

/**
 * Sends all keys at once, with the times at which a scanner types them. Sent one by one on a busy machine, they would look
 * typed by hand.
 */
async function scan(page: Page, code: string, end: 'Enter' | 'Tab'): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const digits = Array.from(code, (sign) => ({
    key: sign,
    code: `Digit${sign}`,
    windowsVirtualKeyCode: sign.codePointAt(0)!,
    text: sign,
  }));
  const last =
    end === 'Enter'
      ? { key: end, code: end, windowsVirtualKeyCode: 13, text: '\r' }
      : { key: end, code: end, windowsVirtualKeyCode: 9 };
  const start = Date.now() / 1000;
  await Promise.all(
    [...digits, last].flatMap((key, i) => {
      const timestamp = start + i * 0.004;
      return [
        session.send('Input.dispatchKeyEvent', { type: 'keyDown', timestamp, ...key }),
        session.send('Input.dispatchKeyEvent', { type: 'keyUp', timestamp: timestamp + 0.002, ...key }),
      ];
    }),
  );
  await session.detach();
}

export const finderOf = (page: Page): Locator => page.getByRole('combobox', { name: 'Member or code' });
export const amountOf = (page: Page): Locator => page.getByLabel('Purchase', { exact: true });
/** The customer who is served. */
export const customerOf = (page: Page): Locator => page.getByRole('group', { name: 'Customer' });
/** The outcome of the last purchase, or of the last code. */
export const doneOf = (page: Page): Locator => page.getByRole('region', { name: 'Just done' });

/** Waits until the amount can be typed. */
export async function waitForAmount(page: Page): Promise<void> {
  await amountOf(page).and(page.locator(':focus')).waitFor();
}

/** Waits until the purchase is recorded and the field waits for the next customer. Returns what is said. */
export async function waitForDone(page: Page): Promise<string> {
  await doneOf(page).waitFor();
  await page.waitForFunction(() => document.activeElement?.getAttribute('role') === 'combobox');
  return doneOf(page).innerText();
}

/** Chooses the register of this device before the page is opened. */
export function chooseRegister(page: Page, shopId: number, registerId: number): Promise<unknown> {
  return page.addInitScript(
    ([id, register]) =>
      localStorage.setItem(
        `loyalty/console/register/${id}`,
        JSON.stringify({ registerId: register, branchId: null }),
      ),
    [shopId, registerId] as const,
  );
}

/** Waits until a scanned code is shown and Enter would ask whether to use it. */
export async function waitForVoucher(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Use', exact: true }).and(page.locator(':focus')).waitFor();
}
