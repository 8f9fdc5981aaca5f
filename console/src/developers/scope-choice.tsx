import type { KeyScope } from '@loyalty/sdk/admin';
import { useDeveloperTexts, type DeveloperTexts } from './texts.ts';

const SCOPES = [
  'read',
  'purchases',
  'redeem',
  'orders',
  'undo',
  'sign_in',
  'adjust',
  'members',
  'reports',
  'events',
] as const satisfies readonly KeyScope[];

/** The scopes of a key if nobody chooses. */
export const DEFAULT_SCOPES: readonly KeyScope[] = SCOPES.filter(
  (scope) => scope !== 'undo' && scope !== 'sign_in' && scope !== 'adjust',
);

/** A box for each scope that a key of a till or an online shop may have. */
export function ScopeChoice(props: {
  chosen: readonly KeyScope[];
  problem: string | null;
  onChoose: (scopes: KeyScope[]) => void;
}) {
  const { chosen, problem, onChoose } = props;
  const t = useDeveloperTexts();
  return (
    <fieldset className="field scopes" aria-describedby="scopes-problem">
      <legend>{t.scopesTitle}</legend>
      {SCOPES.map((scope) => (
        <label key={scope} className="check">
          <input
            type="checkbox"
            checked={chosen.includes(scope)}
            onChange={(event) => {
              const { checked } = event.currentTarget;
              onChoose(SCOPES.filter((one) => (one === scope ? checked : chosen.includes(one))));
            }}
          />
          <span className="row-words">
            <span className="name">{t.scopes[scope].name}</span>
            <span className="small">{t.scopes[scope].hint}</span>
          </span>
        </label>
      ))}
      <p id="scopes-problem" className="wrong" role="alert">
        {problem}
      </p>
    </fieldset>
  );
}

/** Tells in one line what a key may do, and names what is in no key unless somebody asks for it. */
export function tellScopes(t: DeveloperTexts, scopes: readonly KeyScope[]): string {
  const hasDefault = DEFAULT_SCOPES.every((scope) => scopes.includes(scope));
  const named = hasDefault ? scopes.filter((scope) => !DEFAULT_SCOPES.includes(scope)) : scopes;
  return [...(hasDefault ? [t.usualScopes] : []), ...named.map((scope) => t.scopes[scope].name)].join(' · ');
}
