import { newIdempotencyKey, type KeyedCallOptions } from '@loyalty/sdk/admin';
import { useState } from 'react';
import { isInDoubt } from '../../api.ts';
import { usePlace } from '../../session.ts';
import { createStore, useStore } from '../../store.ts';
import { KEPT_ACTS } from './kept-acts.ts';

type Fields = Readonly<Record<string, string | null>>;

interface Draft<Typed, Body> {
  readonly typed: Typed;
  /** The call under its key, from the first sending until it is known whether it counted. */
  readonly sent: { readonly key: string; readonly body: Body } | null;
}

type Drafts = Readonly<Record<string, Draft<Fields, object>>>;

const drafts = createStore(readDrafts());
drafts.subscribe(() => keepSent(drafts.get()));

/**
 * What is typed into a dialog whose call counts once. Once it is sent, it stays as it is, with its key, until it is known whether it counted:
 * also if the dialog is closed or the page is loaded again.
 */
export function useKeyedDraft<Typed extends Fields, Body extends object>(act: string, nothing: Typed) {
  const { session, shop } = usePlace();
  const name = `${session.email} ${shop.id} ${act}`;
  const find = (all: Drafts): Draft<Typed, Body> => {
    const { typed, sent = null } = (all[name] ?? {}) as Partial<Draft<Typed, Body>>;
    return { typed: { ...nothing, ...typed }, sent };
  };
  const { typed, sent } = find(useStore(drafts));
  // Whoever opens the dialog again after it was sent does not see its answer.
  const [isLost, setLost] = useState(sent !== null);

  const change = (part: Partial<Draft<Typed, Body>>) => {
    const all = drafts.get();
    drafts.set({ ...all, [name]: { ...find(all), ...part } });
  };
  const type = (part: Partial<Typed>) => {
    const latest = find(drafts.get());
    if (latest.sent === null) change({ typed: { ...latest.typed, ...part } });
  };
  /** Sends the body, or again the one whose outcome is not known. */
  const send = async <Answer>(
    body: Body,
    call: (body: Body, options: KeyedCallOptions) => Promise<Answer>,
  ): Promise<Answer> => {
    const before = find(drafts.get()).sent;
    const sent = before ?? { key: newIdempotencyKey(), body };
    change({ sent });
    try {
      // One attempt: an answer to another one would hide that the first was lost.
      return await call(sent.body, { idempotencyKey: sent.key, attempts: 1 });
    } catch (error) {
      const isUnknown = isInDoubt(error, before !== null);
      setLost(isUnknown);
      if (!isUnknown) change({ sent: null });
      throw error;
    }
  };
  const forget = () => {
    const { [name]: _, ...others } = drafts.get();
    drafts.set(others);
  };
  return {
    typed,
    /** The body that was sent, until it is known whether it counted. */
    sent: sent === null ? null : sent.body,
    isUnknown: sent !== null && isLost,
    type,
    send,
    forget,
  };
}

function readDrafts(): Drafts {
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEPT_ACTS) ?? '{}') as Record<string, unknown>;
    return Object.fromEntries(
      Object.entries(kept).filter((entry): entry is [string, Drafts[string]] => isDraft(entry[1])),
    );
  } catch {
    return {};
  }
}

function keepSent(all: Drafts): void {
  const sent = Object.entries(all).filter(([, draft]) => draft.sent !== null);
  try {
    if (sent.length === 0) sessionStorage.removeItem(KEPT_ACTS);
    else sessionStorage.setItem(KEPT_ACTS, JSON.stringify(Object.fromEntries(sent)));
  } catch {
    // A browser that stores nothing: the drafts then live as long as the page.
  }
}

/** Another release of the console may have kept it. */
function isDraft(kept: unknown): boolean {
  const { typed, sent } = (kept ?? {}) as {
    typed?: unknown;
    sent?: { key?: unknown; body?: unknown } | null;
  };
  return (
    isObject(typed) &&
    Object.values(typed).every((text) => text === null || typeof text === 'string') &&
    isObject(sent) &&
    typeof sent.key === 'string' &&
    isObject(sent.body)
  );
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
