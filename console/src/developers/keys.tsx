import type { ApiKey, NewApiKey } from '@loyalty/sdk/admin';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useFormat } from '../format.ts';
import { usePolling } from '../polling.ts';
import { usePlace } from '../session.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { Menu } from '../ui/menu.tsx';
import { Empty, Problem, Waiting } from '../ui/states.tsx';
import { When } from '../ui/when.tsx';
import { CreateKey, ReplaceKey, RevokeKey, ShownOnce } from './key-dialogs.tsx';
import { tellScopes } from './scope-choice.tsx';
import { useDeveloperTexts } from './texts.ts';

export function useKeys() {
  const { api, shop } = usePlace();
  return useQuery({
    queryKey: [shop.id, 'keys'],
    queryFn: ({ signal }) => api.listKeys({ signal }),
    refetchInterval: usePolling(15_000),
  });
}

type Open =
  | { readonly act: 'create' }
  | { readonly act: 'replace' | 'revoke'; readonly key: ApiKey }
  | { readonly act: 'shown'; readonly key: NewApiKey }
  | null;

/** The keys of the shop's servers and scripts. */
export function Keys() {
  const t = useDeveloperTexts();
  const keys = useKeys();
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
  const show = (key: NewApiKey) => setOpen({ act: 'shown', key });
  const working = keys.data?.filter(({ state }) => state !== 'ended') ?? [];
  const ended = keys.data?.filter(({ state }) => state === 'ended') ?? [];
  return (
    <>
      <div className="page-head">
        <div className="words">
          <h1>{t.keysTitle}</h1>
          <p className="small">{t.keysText}</p>
        </div>
        <Button look="main" onClick={() => setOpen({ act: 'create' })}>
          {t.createKey}
        </Button>
      </div>
      <section className="card" aria-label={t.keysTitle}>
        {keys.isPending ? (
          <div className="rows">
            <Waiting rows={3} />
          </div>
        ) : keys.isError && keys.data === undefined ? (
          <Problem error={keys.error} onRetry={() => void keys.refetch()} />
        ) : working.length === 0 ? (
          <Empty title={t.noKeys}>{t.noKeysText}</Empty>
        ) : (
          <KeyTable label={t.keysTitle} keys={working} onOpen={setOpen} />
        )}
      </section>
      {ended.length > 0 && (
        <details className="card fold ended-keys">
          <summary>
            <b>{t.endedKeys(ended.length)}</b>
            <Icon name="down" />
          </summary>
          <KeyTable label={t.endedKeys(ended.length)} keys={ended} onOpen={setOpen} />
        </details>
      )}
      {open?.act === 'create' && <CreateKey onDone={show} onClose={close} />}
      {open?.act === 'replace' && <ReplaceKey apiKey={open.key} onDone={show} onClose={close} />}
      {open?.act === 'revoke' && <RevokeKey apiKey={open.key} onClose={close} />}
      {open?.act === 'shown' && <ShownOnce apiKey={open.key} onClose={close} />}
    </>
  );
}

function KeyTable(props: { label: string; keys: readonly ApiKey[]; onOpen: (open: Open) => void }) {
  const t = useDeveloperTexts();
  return (
    <table className="table folds keys">
      <caption className="unseen">{props.label}</caption>
      <thead>
        <tr>
          <th>{t.columns.name}</th>
          <th>{t.columns.used}</th>
          <th>{t.columns.created}</th>
          <th>
            <span className="unseen">{t.acts}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {props.keys.map((key) => (
          <KeyRow key={key.key_id} apiKey={key} onOpen={props.onOpen} />
        ))}
      </tbody>
    </table>
  );
}

function KeyRow({ apiKey: key, onOpen }: { apiKey: ApiKey; onOpen: (open: Open) => void }) {
  const t = useDeveloperTexts();
  const format = useFormat();
  const { path } = usePlace();
  const [, go] = useLocation();
  const items = [
    ...(key.state === 'active'
      ? [{ label: t.replace, hint: t.replaceHint, onPick: () => onOpen({ act: 'replace', key }) }]
      : []),
    {
      label: t.problemsOfKey,
      onPick: () => go(`${path('developers', 'problems')}?key=${key.key_id}`),
    },
    ...(key.state === 'ended'
      ? []
      : [{ label: t.revoke, danger: true, onPick: () => onOpen({ act: 'revoke', key }) }]),
  ];
  return (
    <tr>
      <td>
        <div className="row-words">
          <span className="name-line">
            <b>{key.name}</b>
            {key.role !== null && <span className="tag">{t.ofBackOffice(t.shared.roles[key.role])}</span>}
            {key.state === 'ending' && key.ends_at !== null && (
              <span className="tag ending">{t.endsAt(format.dayAndTime(key.ends_at))}</span>
            )}
          </span>
          <code className="small">{key.prefix}…</code>
          {key.scopes !== null && <span className="small">{tellScopes(t, key.scopes)}</span>}
        </div>
      </td>
      <td className="wide">
        <span className="phone-label">{t.columns.used}</span>
        {key.last_used_at === null ? (
          <span className="small">{t.neverUsed}</span>
        ) : (
          <When at={key.last_used_at} />
        )}
      </td>
      <td className="later">
        <When at={key.created_at} />
      </td>
      <td className="row-menu">
        <Menu className="button icon-only" label={t.actsOf(key.name)} items={items}>
          <Icon name="more" />
        </Menu>
      </td>
    </tr>
  );
}
