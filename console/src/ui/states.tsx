import { ApiError, ConnectionError } from '@loyalty/sdk/admin';
import type { ReactNode } from 'react';
import { useTexts, type Texts } from '../texts/texts.ts';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';

/** A view without anything in it: says what fills it, and has a button that leads there. */
export function Empty(props: {
  title: string;
  children?: ReactNode;
  act?: ReactNode;
  /** True if it is the whole page, whose heading it then is. */
  isPage?: boolean;
}) {
  const Heading = props.isPage === true ? 'h1' : 'h2';
  return (
    <div className="state">
      <Heading>{props.title}</Heading>
      {props.children !== undefined && <p>{props.children}</p>}
      {props.act}
    </div>
  );
}

/** A view that could not be read: says what happened and what is safe, and can be tried again. */
export function Problem({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const t = useTexts();
  const isAway = error instanceof ConnectionError;
  return (
    <div className="state" role="alert">
      <span className="badge wrong">
        <Icon name={isAway ? 'offline' : 'alert'} />
      </span>
      <h2>{isAway ? t.problem.awayTitle : t.problem.title}</h2>
      <p>{sayProblem(error, t)}</p>
      {onRetry !== undefined && <Button onClick={onRetry}>{t.retry}</Button>}
      {error instanceof ApiError && error.requestId !== null && (
        <p className="small">{t.problem.request(error.requestId)}</p>
      )}
    </div>
  );
}

/** The shape of what comes, so the page does not jump. It is announced only by its words. */
export function Waiting({ rows = 3, tall = false }: { rows?: number; tall?: boolean }) {
  const t = useTexts();
  return (
    <div className="waiting" role="status">
      <span className="unseen">{t.loading}</span>
      {Array.from({ length: rows }, (_, i) => (
        <span key={i} className={tall ? 'bone tall' : 'bone'} />
      ))}
    </div>
  );
}

/** Says in a sentence why a call failed, for a line beside a button. */
export function sayProblem(error: unknown, t: Texts): string {
  if (error instanceof ConnectionError) return t.problem.away;
  if (!(error instanceof ApiError)) return t.problem.ours;
  // A proxy says so of a call that may have been carried out.
  if (error.status === 502 || error.status === 504) return t.problem.away;
  if (error.status === 429) return t.problem.tooMany(error.retryAfterSeconds ?? 60);
  if (error.code === 'role_needed') return t.problem.role;
  if (error.code === 'fresh_code_needed') return t.problem.freshCode;
  if (error.status === 401) return t.problem.signedOut;
  return error.status >= 500 ? t.problem.ours : error.message;
}
