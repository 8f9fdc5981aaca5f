import { copyText } from '../ui/copy-text.ts';
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
