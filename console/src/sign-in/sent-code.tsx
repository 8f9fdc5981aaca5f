import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { useTexts } from '../texts/texts.ts';
import { sayProblem } from '../ui/states.tsx';
import { useSignInTexts } from './texts.ts';

/** Sends a code when it appears, once, and says that it has. */
export function SentCode({ send, done }: { send: () => Promise<unknown>; done: string }) {
  const t = useTexts();
  const own = useSignInTexts();
  const id = useId();
  const sent = useQuery({
    queryKey: ['sent-code', id],
    queryFn: async () => {
      await send();
      return true;
    },
    staleTime: Infinity,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  return (
    <p role="status" className={sent.isError ? 'wrong' : undefined}>
      {sent.isError ? sayProblem(sent.error, t) : sent.isSuccess ? done : own.sendingCode}
    </p>
  );
}
