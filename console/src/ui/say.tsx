import { useLayoutEffect, useRef } from 'react';
import { useLocation } from 'wouter';
import { createStore, useStore } from '../store.ts';
import { useTexts } from '../texts/texts.ts';
import { Icon } from './icon.tsx';

interface Said {
  readonly id: number;
  readonly text: string;
  readonly kind: 'done' | 'wrong';
  readonly undo?: { readonly label: string; readonly run: () => void };
}

const said = createStore<readonly Said[]>([]);
let last = 0;

/**
 * Says at the edge of the screen what was done, for six seconds, or longer while there is something to undo. It ends sooner when the
 * person goes on to another page: said there, it would be about something else. What led to a page is said on it.
 */
export function say(text: string, options: { kind?: Said['kind']; undo?: Said['undo'] } = {}): void {
  const { kind = 'done', undo } = options;
  const id = ++last;
  said.set([...said.get().slice(-2), { id, text, kind, ...(undo !== undefined && { undo }) }]);
  setTimeout(() => forget(id), undo === undefined ? 6_000 : 12_000);
}

function forget(id: number): void {
  said.set(said.get().filter((line) => line.id !== id));
}

/** The page that a line belongs to. What can be undone belongs to the whole part of the console: its pages share what was changed. */
function pageOf({ undo }: Said, path: string): string {
  return undo === undefined ? path : path.split('/').slice(0, 3).join('/');
}

/** Forgets the lines that belong to another page than the one that is shown. Each belongs to the page on which it first appeared. */
function useEndWithPage(lines: readonly Said[]): void {
  const [path] = useLocation();
  const pages = useRef(new Map<number, string>());
  useLayoutEffect(() => {
    for (const line of lines)
      if (!pages.current.has(line.id)) pages.current.set(line.id, pageOf(line, path));
      else if (pages.current.get(line.id) !== pageOf(line, path)) forget(line.id);
  }, [lines, path]);
}

/** Where it is said. Screen readers read each new line. */
export function Sayings() {
  const t = useTexts();
  const lines = useStore(said);
  useEndWithPage(lines);
  const edge = useRef<HTMLDivElement>(null);
  // A dialog that is open lies above the page. The newest thing that was said lies above the dialog.
  useLayoutEffect(() => {
    edge.current?.hidePopover();
    if (lines.length > 0) edge.current?.showPopover();
  }, [lines]);
  return (
    <div ref={edge} popover="manual" className="sayings" role="status" aria-live="polite">
      {lines.map(({ id, text, kind, undo }) => (
        <div key={id} className={`saying ${kind}`}>
          <Icon name={kind === 'done' ? 'check' : 'alert'} />
          <span>{text}</span>
          {undo !== undefined && (
            <button
              type="button"
              className="text-button"
              onClick={() => {
                forget(id);
                undo.run();
              }}
            >
              {undo.label}
            </button>
          )}
          <button type="button" className="round" aria-label={t.close} onClick={() => forget(id)}>
            <Icon name="close" size={16} />
          </button>
        </div>
      ))}
    </div>
  );
}
