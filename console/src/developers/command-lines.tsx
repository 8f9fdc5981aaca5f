import { Button } from '../ui/button.tsx';
import { copyText } from '../ui/copy-text.ts';
import { useDeveloperTexts } from './texts.ts';

/** Something to paste into a terminal or a file, with a button that copies it. */
export function CommandLines({ label, text }: { label: string; text: string }) {
  const t = useDeveloperTexts();
  return (
    <div className="command-lines">
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls has to be reached by keyboard */}
      <pre tabIndex={0} aria-label={label} role="group">
        <code>{text}</code>
      </pre>
      <Button onClick={() => void copyText(text, t.copied, t.notCopied)}>{t.copy}</Button>
    </div>
  );
}
