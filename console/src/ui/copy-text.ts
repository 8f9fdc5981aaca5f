import { say } from './say.tsx';

/** Copies a text and says that it did, or that the browser refused. */
export async function copyText(text: string, done: string, refused: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    say(done);
  } catch {
    say(refused, { kind: 'wrong' });
  }
}
