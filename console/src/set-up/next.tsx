import type { SetUpStep } from '@loyalty/sdk/admin';
import { Link } from 'wouter';
import { useTexts } from '../texts/texts.ts';
import { Button } from '../ui/button.tsx';
import { sayProblem } from '../ui/states.tsx';
import { pathOf, STEPS } from './set-up-state.ts';
import { useSetUpTexts } from './texts.ts';

/** The end of a step: on, and back. */
export function Next(props: { step: SetUpStep; busy: boolean; error: unknown; label?: string }) {
  const t = useSetUpTexts();
  const shared = useTexts();
  const before = STEPS[STEPS.indexOf(props.step) - 1];
  return (
    <div className="set-up-end">
      <p className="wrong" role="alert">
        {props.error !== null && sayProblem(props.error, shared)}
      </p>
      <div className="set-up-acts">
        <Button type="submit" look="main big" busy={props.busy}>
          {props.label ?? t.next}
        </Button>
        {before !== undefined && (
          <Link className="text-button" href={pathOf(before)}>
            {t.back}
          </Link>
        )}
      </div>
      <p className="small">{t.kept}</p>
    </div>
  );
}
