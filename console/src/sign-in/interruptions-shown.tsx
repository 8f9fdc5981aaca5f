import { FreshCode, Overlay, SignInAgain } from '../frame/overlays.tsx';
import { interruption } from '../interruptions.ts';
import { useStore } from '../store.ts';

/** The dialog of what a call waits for, if one does. */
export function Interruptions() {
  const current = useStore(interruption);
  if (current === null) return null;
  return (
    <Overlay key={current.kind}>
      {current.kind === 'signed-out' ? (
        <SignInAgain onEnd={current.end} />
      ) : (
        <FreshCode onEnd={current.end} />
      )}
    </Overlay>
  );
}
