import { useId, useRef, type KeyboardEvent, type ReactNode } from 'react';

/** One line of a menu. */
export interface MenuItem {
  readonly label: string;
  readonly hint?: string;
  readonly icon?: ReactNode;
  readonly danger?: boolean;
  /** Marks the line of the current choice. */
  readonly current?: boolean;
  readonly onPick: () => void;
}

/**
 * A button that opens a menu, on the browser's own popover: a press outside or Escape closes it, and it lies above
 * everything. The arrow keys move in it.
 */
export function Menu(props: {
  /** The purpose of the menu. If the button shows no words, it is the button's name too. */
  label: string;
  /** True if `children` has words. */
  hasWords?: boolean;
  className?: string;
  items: readonly MenuItem[];
  /** Above the lines, such as who is signed in. */
  head?: ReactNode;
  children: ReactNode;
}) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);

  const open = (isOpen: boolean) => {
    button.current?.setAttribute('aria-expanded', String(isOpen));
    if (!isOpen) return;
    place(menu.current!, button.current!);
    linesOf(menu.current!)[0]?.focus();
  };
  const close = () => menu.current?.hidePopover();

  return (
    <>
      <button
        ref={button}
        type="button"
        className={props.className ?? 'button'}
        aria-label={props.hasWords === true ? undefined : props.label}
        aria-haspopup="menu"
        aria-expanded={false}
        aria-controls={id}
        popoverTarget={id}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown') {
            event.preventDefault();
            menu.current?.showPopover();
          }
        }}
      >
        {props.children}
      </button>
      <div
        ref={menu}
        id={id}
        popover="auto"
        className="menu"
        onToggle={(event) => open(event.newState === 'open')}
      >
        {props.head}
        <div role="menu" aria-label={props.label} onKeyDown={(event) => move(event, menu.current!, close)}>
          {props.items.map(({ label, hint, icon, danger, current, onPick }) => (
            <button
              key={label}
              type="button"
              role={current === undefined ? 'menuitem' : 'menuitemradio'}
              aria-checked={current}
              tabIndex={-1}
              className={danger === true ? 'wrong' : undefined}
              onClick={() => {
                close();
                onPick();
              }}
            >
              {icon}
              <span className="row-words">
                <span>{label}</span>
                {hint !== undefined && <span className="small">{hint}</span>}
              </span>
            </button>
          ))}
        </div>
      </div>
    </>
  );
}

const linesOf = (menu: HTMLElement) => [...menu.querySelectorAll<HTMLElement>('[role^=menuitem]')];

function move(event: KeyboardEvent, menu: HTMLElement, close: () => void): void {
  const lines = linesOf(menu);
  const at = lines.indexOf(document.activeElement as HTMLElement);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1 + lines.length, Home: 0, End: lines.length - 1 }[event.key];
  if (event.key === 'Tab') close();
  if (to === undefined) return;
  event.preventDefault();
  lines[to % lines.length]?.focus();
}

/** Below the button, at the side with more room, and never off the screen. */
function place(menu: HTMLElement, button: HTMLElement): void {
  const at = button.getBoundingClientRect();
  const width = menu.offsetWidth;
  const screen = document.documentElement.clientWidth;
  const left = at.left + width > screen - 8 ? at.right - width : at.left;
  menu.style.left = `${Math.max(8, Math.min(left, screen - width - 8))}px`;
  const below = at.bottom + 6;
  const fits = below + menu.offsetHeight <= document.documentElement.clientHeight - 8;
  menu.style.top = `${fits ? below : Math.max(8, at.top - 6 - menu.offsetHeight)}px`;
}
