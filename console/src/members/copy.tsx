import { say } from '../ui/say.tsx';
import { Drawn } from '../ui/icon.tsx';
import { ICONS } from './icons.ts';
import { useMemberTexts } from './texts.ts';

/** A small button that copies a text. */
export function Copy({ text, label }: { text: string; label: string }) {
  const t = useMemberTexts();
  return (
    <button
      type="button"
      className="copy"
      aria-label={label}
      title={label}
      onClick={() => void copyText(text, t.copied, t.notCopied)}
    >
      <Drawn path={ICONS.copy} size={15} />
    </button>
  );
}

export async function copyText(text: string, done: string, refused: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    say(done);
  } catch {
    say(refused, { kind: 'wrong' });
  }
}
