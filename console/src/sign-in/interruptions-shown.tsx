import { lazy, Suspense } from 'react';
import { interruption } from '../interruptions.ts';
import { useStore } from '../store.ts';

const SignInAgain = lazy(() => import('./sign-in-again.tsx'));
const FreshCode = lazy(() => import('./fresh-code.tsx'));

/** The dialog of what a call waits for, if one does. */
export function Interruptions() {
  const current = useStore(interruption);
  if (current === null) return null;
  return (
    <Suspense fallback={null}>
      {current.kind === 'signed-out' ? (
        <SignInAgain key="again" onEnd={(repeat) => current.end(repeat)} />
      ) : (
        <FreshCode key="fresh" onEnd={(repeat) => current.end(repeat)} />
      )}
    </Suspense>
  );
}
