import { Component, type ReactNode } from 'react';
import { useTexts } from '../texts/texts.ts';
import { Button } from '../ui/button.tsx';

/** Keeps a fault in one page from emptying the screen. */
export class Crash extends Component<{ children: ReactNode }, { hasCrashed: boolean }> {
  override state = { hasCrashed: false };

  static getDerivedStateFromError() {
    return { hasCrashed: true };
  }

  override render() {
    return this.state.hasCrashed ? <Crashed /> : this.props.children;
  }
}

function Crashed() {
  const t = useTexts();
  return (
    <div className="state" role="alert">
      <h2>{t.problem.title}</h2>
      <p>{t.problem.crashed}</p>
      <Button look="main" onClick={() => location.reload()}>
        {t.problem.reload}
      </Button>
    </div>
  );
}
