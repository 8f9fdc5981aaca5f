import { Component, lazy, Suspense, type ReactNode } from 'react';

const LOADS = {
  keyboard: () => import('./keyboard-help.tsx'),
  again: () => import('../sign-in/sign-in-again.tsx'),
  fresh: () => import('../sign-in/fresh-code.tsx'),
};

export const KeyboardHelp = lazy(LOADS.keyboard);
/** Only the owner of a sandbox opens it, so nobody loads it ahead. */
export const ClockDialog = lazy(() => import('../developers/clock-dialog.tsx'));
export const SignInAgain = lazy(LOADS.again);
export const FreshCode = lazy(LOADS.fresh);

/** Loads what may be needed when there is no network, or when the session is over. It is 5 KB. */
export function loadOverlays(): void {
  for (const load of Object.values(LOADS)) load().catch(() => undefined);
}

/** Holds a dialog of the frame. If it cannot be loaded, the page below stays as it is. */
export class Overlay extends Component<{ children: ReactNode }, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override render() {
    return this.state.hasFailed ? null : <Suspense fallback={null}>{this.props.children}</Suspense>;
  }
}
