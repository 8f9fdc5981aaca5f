import { useCallback, useEffect, useState } from 'react';

/** What a call of the admin has answered so far. */
export interface Asked<Answer> {
  answer: Answer | null;
  /** In words; null as long as nothing went wrong. */
  error: string | null;
  again: () => void;
}

/** Reads an address of the admin's interface, with the session of the person who is signed in. */
export function useAnswer<Answer>(path: string): Asked<Answer> {
  const [answer, setAnswer] = useState<Answer | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [round, setRound] = useState(0);
  useEffect(() => {
    let isCurrent = true;
    const read = async (): Promise<void> => {
      try {
        const found = await ask<Answer>(path);
        if (!isCurrent) return;
        setAnswer(found);
        setError(null);
      } catch (reason) {
        if (isCurrent) setError(reason instanceof Error ? reason.message : String(reason));
      }
    };
    void read();
    return () => {
      isCurrent = false;
    };
  }, [path, round]);
  return { answer, error, again: useCallback(() => setRound((last) => last + 1), []) };
}

/** @throws Error with the message of the answer */
export async function ask<Answer>(path: string, body?: object): Promise<Answer> {
  const response = await fetch(path, {
    credentials: 'include',
    ...(body !== undefined && {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  });
  const read = (await response.json()) as { message?: string };
  if (!response.ok) throw new Error(read.message ?? `status ${response.status}`);
  return read as Answer;
}
