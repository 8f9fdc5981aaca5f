import type { Found } from '@loyalty/sdk/admin';
import { inGroups } from '@loyalty/ui/format.ts';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import {
  Fragment,
  useDeferredValue,
  useEffect,
  useId,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactNode,
} from 'react';
import { useLocation } from 'wouter';
import { initials, useFormat } from '../format.ts';
import { usePlace } from '../session.ts';
import { useTexts } from '../texts/texts.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Icon, type IconName } from '../ui/icon.tsx';
import { sayProblem } from '../ui/states.tsx';
import { PAGES } from './pages.ts';
import { useSignOut } from './sign-out.tsx';

interface Line {
  readonly id: string;
  readonly label: string;
  readonly hint?: string | undefined;
  readonly end?: string | undefined;
  readonly mark: ReactNode;
  readonly pick: () => void;
}

/**
 * One input for everything: it finds by code, e-mail, name, voucher code or movement id, and lists what can be done. Enter
 * takes the first line, and waits for the answer if it is not there yet, so a scanner can type into it.
 */
export function Palette({ onClose, onHelp }: { onClose: () => void; onHelp: () => void }) {
  const t = useTexts();
  const format = useFormat();
  const { api, shop } = usePlace();
  const id = useId();
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const [isHurried, setHurried] = useState(false);
  const text = useDeferredValue(typed.trim());
  const found = useQuery({
    queryKey: [shop.id, 'find', text],
    queryFn: ({ signal }) => api.find(text, { signal }),
    enabled: text.length > 1,
    placeholderData: keepPreviousData,
  });
  const results = useFoundLines(text.length > 1 ? found.data : undefined, onClose);
  const actions = useActionLines(onClose, onHelp).filter(
    ({ label }) => typed === '' || simple(label).includes(simple(typed)),
  );
  const lines = [...results, ...actions];
  const isFresh = text === typed.trim() && (text.length < 2 || (found.isSuccess && !found.isPlaceholderData));

  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [at]);
  // Enter was pressed before the answer was there.
  useEffect(() => {
    if (!isHurried || !isFresh) return;
    setHurried(false);
    lines[0]?.pick();
  });

  function onKeyDown(event: KeyboardEvent) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && lines.length > 0) {
      event.preventDefault();
      setAt((at + step + lines.length) % lines.length);
    }
    if (event.key === 'Enter') {
      event.preventDefault();
      if (isFresh) return lines[at]?.pick();
      setHurried(true);
      if (found.isError) void found.refetch();
    }
  }

  return (
    <Dialog title={t.searchTitle} bare onClose={onClose}>
      <div className="palette-input">
        <Icon name="search" />
        <input
          autoFocus
          role="combobox"
          aria-label={t.search}
          aria-expanded={lines.length > 0}
          aria-controls={`${id}-list`}
          aria-activedescendant={lines[at] === undefined ? undefined : `${id}-${at}`}
          aria-autocomplete="list"
          placeholder={t.search}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          value={typed}
          onChange={(event) => {
            setTyped(event.currentTarget.value);
            setAt(0);
            setHurried(false);
          }}
          onKeyDown={onKeyDown}
        />
        <button type="button" className="text-button" onClick={onClose}>
          {t.close}
        </button>
      </div>
      <p className="unseen" role="status">
        {text.length > 1 && isFresh && t.searchCount(lines.length, format)}
      </p>
      {found.isError && text.length > 1 && (
        <p className="palette-note wrong" role="alert">
          {sayProblem(found.error, t)}
        </p>
      )}
      {typed.trim().length > 1 && !isFresh && !found.isError && (
        <p className="palette-note small">{t.searching}</p>
      )}
      {text.length > 1 && isFresh && lines.length === 0 && (
        <p className="palette-note small">{t.searchNothing}</p>
      )}
      <div ref={list} id={`${id}-list`} role="listbox" aria-label={t.searchResults} className="palette-list">
        {lines.map((line, i) => (
          <Fragment key={line.id}>
            {actions.length > 0 && i === results.length && results.length > 0 && (
              <p className="label palette-head" role="presentation">
                {t.searchActions}
              </p>
            )}
            <div
              id={`${id}-${i}`}
              role="option"
              aria-selected={i === at}
              className="palette-line"
              onPointerMove={() => setAt(i)}
              onClick={() => line.pick()}
            >
              {line.mark}
              <span className="row-words">
                <span className="name clip">{line.label}</span>
                {line.hint !== undefined && <span className="small clip">{line.hint}</span>}
              </span>
              {line.end !== undefined && <span className="small">{line.end}</span>}
            </div>
          </Fragment>
        ))}
      </div>
    </Dialog>
  );
}

/** Returns a line for each match and where it leads: a cashier to the till, everybody else to the member's page. */
function useFoundLines(found: Found | undefined, onClose: () => void): Line[] {
  const t = useTexts();
  const format = useFormat();
  const { path, may } = usePlace();
  const [, go] = useLocation();
  if (found === undefined) return [];
  const open = (to: string) => () => {
    onClose();
    go(to);
  };
  const pageOf = (memberId: number) =>
    may('manager') ? path('members', memberId) : `${path('till')}?member=${memberId}`;
  const badge = (name: 'ticket' | 'purchase' | 'mail') => (
    <span className="badge">
      <Icon name={name} />
    </span>
  );
  const lines: Line[] = found.members.map((member) => ({
    id: `member ${member.member_id}`,
    label: member.username ?? member.email ?? t.noName,
    hint: [
      member.client_code === null ? t.states[member.state] : inGroups(member.client_code),
      member.level_name,
      member.username === null ? null : member.email,
    ]
      .filter(Boolean)
      .join(' · '),
    end: t.points(member.points, format),
    mark: <span className="avatar little">{initials(member.username)}</span>,
    pick: open(pageOf(member.member_id)),
  }));
  if (found.voucher !== null) {
    const { client_benefit_code: code, title, state, username } = found.voucher;
    lines.push({
      id: 'voucher',
      label: t.foundVoucher(title),
      hint: [inGroups(code), t.voucherStates[state], username].filter(Boolean).join(' · '),
      mark: badge('ticket'),
      pick: open(`${path('till')}?code=${code}`),
    });
  }
  if (found.movement !== null) {
    const { id, member_id } = found.movement;
    lines.push({
      id: 'movement',
      label: t.foundMovement(String(id)),
      mark: badge('purchase'),
      pick: open(may('manager') ? `${path('members', member_id)}?movement=${id}` : pageOf(member_id)),
    });
  }
  if (found.stranger !== null) {
    lines.push({
      id: 'stranger',
      label: t.foundStranger(found.stranger),
      hint: t.foundStrangerHint,
      mark: badge('mail'),
      pick: open(`${path('till')}?email=${encodeURIComponent(found.stranger)}`),
    });
  }
  return lines;
}

function useActionLines(onClose: () => void, onHelp: () => void): Line[] {
  const t = useTexts();
  const { session, shop, path, may } = usePlace();
  const [, go] = useLocation();
  const signOut = useSignOut();
  const open = (to: string) => () => {
    onClose();
    go(to);
  };
  const mark = (name: IconName) => (
    <span className="badge plain">
      <Icon name={name} />
    </span>
  );
  return [
    { id: 'record', label: t.actions.record, mark: mark('purchase'), pick: open(path('till')) },
    ...PAGES.filter((page) => may(page.role)).map((page) => ({
      id: `page ${page.name}`,
      label: t.actions[page.name],
      mark: mark(page.icon),
      pick: open(path(page.name)),
    })),
    ...(may('manager')
      ? [{ id: 'poster', label: t.actions.poster, mark: mark('shop'), pick: open(path('poster')) }]
      : []),
    ...session.commerces
      .filter((one) => one.id !== shop.id)
      .map((one) => ({
        id: `shop ${one.id}`,
        label: t.actions.shop(one.name),
        mark: mark('shop'),
        pick: open(`/${one.slug}`),
      })),
    { id: 'keyboard', label: t.actions.keyboard, mark: mark('keyboard'), pick: onHelp },
    {
      id: 'sign-out',
      label: t.actions.signOut,
      mark: mark('leave'),
      pick: () => signOut.mutate({ everywhere: false }),
    },
  ];
}

/** For comparing what was typed with the name of an action. */
const simple = (text: string) => text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
