import type { ApiKey, KeyScope, NewApiKey, StaffRole } from '@loyalty/sdk/admin';
import { useState } from 'react';
import { useFormat } from '../format.ts';
import { SERVICE } from '../place.ts';
import { usePlace } from '../session.ts';
import { ActDialog } from '../ui/act-dialog.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Choice, Field } from '../ui/field.tsx';
import { say } from '../ui/say.tsx';
import { CommandLines } from './command-lines.tsx';
import { explainProblem } from './explain-problem.ts';
import { DEFAULT_SCOPES, ScopeChoice } from './scope-choice.tsx';
import { useDeveloperTexts } from './texts.ts';

type Kind = 'contract' | StaffRole;

/** Makes a key for a server of the shop or, with a role, for a script of the back office. */
export function CreateKey(props: { onDone: (key: NewApiKey) => void; onClose: () => void }) {
  const t = useDeveloperTexts();
  const { api } = usePlace();
  const [name, setName] = useState('');
  const [kind, setKind] = useState<Kind>('contract');
  const [scopes, setScopes] = useState<readonly KeyScope[]>(DEFAULT_SCOPES);
  const [problem, setProblem] = useState<string | null>(null);
  const [scopeProblem, setScopeProblem] = useState<string | null>(null);
  const isContract = kind === 'contract';
  return (
    <ActDialog
      title={t.createTitle}
      submit={t.createKey}
      check={() => {
        const [hasName, hasScope] = [name.trim() !== '', !isContract || scopes.length > 0];
        setProblem(hasName ? null : t.nameNeeded);
        setScopeProblem(hasScope ? null : t.scopeNeeded);
        return hasName && hasScope;
      }}
      act={() =>
        api.createKey({ name: name.trim(), ...(isContract ? { scopes: [...scopes] } : { role: kind }) })
      }
      // The dialog is closed by its answer, which opens the next one.
      onDone={(key) => queueMicrotask(() => props.onDone(key))}
      explain={explainProblem(t)}
      unknown={t.unknownKey}
      makesAnother
      onClose={props.onClose}
    >
      <Field
        label={t.nameOfKey}
        hint={t.nameHint}
        problem={problem}
        maxLength={100}
        autoComplete="off"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Choice
        label={t.kindOfKey}
        hint={t.kindHints[kind]}
        value={kind}
        onChange={(event) => setKind(event.currentTarget.value as Kind)}
        options={(['contract', 'cashier', 'manager', 'owner'] as const).map(
          (one) => [one, one === 'contract' ? t.contract : t.ofBackOffice(t.shared.roles[one])] as const,
        )}
      />
      {isContract && <ScopeChoice chosen={scopes} problem={scopeProblem} onChoose={setScopes} />}
    </ActDialog>
  );
}

const OVERLAPS = [0, 1, 24, 168, 720] as const;

/** Makes a new key in the place of this one, which is accepted for a while longer. */
export function ReplaceKey({
  apiKey,
  ...props
}: {
  apiKey: ApiKey;
  onDone: (key: NewApiKey) => void;
  onClose: () => void;
}) {
  const t = useDeveloperTexts();
  const format = useFormat();
  const { api } = usePlace();
  const [hours, setHours] = useState<number>(24);
  const end = new Date(Date.now() + hours * 3_600_000).toISOString();
  return (
    <ActDialog
      title={t.replaceTitle(apiKey.name)}
      submit={t.replace}
      act={() => api.rotateKey(apiKey.key_id, { overlap_hours: hours })}
      onDone={(key) => queueMicrotask(() => props.onDone(key))}
      explain={explainProblem(t)}
      unknown={t.unknownKey}
      makesAnother
      onClose={props.onClose}
    >
      <Choice
        label={t.overlap}
        value={hours}
        onChange={(event) => setHours(Number(event.currentTarget.value))}
        options={OVERLAPS.map((one) => [String(one), t.overlaps[one]] as const)}
      />
      <ul className="effects">
        <li>{t.replaceNew}</li>
        <li>{hours === 0 ? t.replaceAtOnce : t.replaceOld(format.dayAndTime(end))}</li>
        <li>
          {apiKey.last_used_at === null ? t.notUsedYet : t.lastUsed(format.dayAndTime(apiKey.last_used_at))}
        </li>
      </ul>
    </ActDialog>
  );
}

/** Ends a key at once. */
export function RevokeKey({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const t = useDeveloperTexts();
  const format = useFormat();
  const { api } = usePlace();
  return (
    <ActDialog
      title={t.revokeTitle(apiKey.name)}
      submit={t.revoke}
      danger
      act={() => api.revokeKey(apiKey.key_id)}
      onDone={() => say(t.revoked(apiKey.name))}
      unknown={t.unknownRevoked}
      onClose={onClose}
    >
      <ul className="effects">
        <li>
          {apiKey.last_used_at === null ? t.notUsedYet : t.lastUsed(format.dayAndTime(apiKey.last_used_at))}
        </li>
        <li>{t.revokeEffect}</li>
        <li>{t.notUndone}</li>
      </ul>
    </ActDialog>
  );
}

/** Shows a new key, for the only time. It is closed by its button alone, so that no stray key loses it. */
export function ShownOnce({ apiKey, onClose }: { apiKey: NewApiKey; onClose: () => void }) {
  const t = useDeveloperTexts();
  const isContract = apiKey.role === null;
  const check = isContract ? '/v1/benefits/list' : '/admin/v1/program';
  return (
    <Dialog title={t.shownTitle(apiKey.name)} wide locked hasNoCross onClose={onClose}>
      <p className="strip ending">{t.shownText}</p>
      <CommandLines label={t.theKey} text={apiKey.key} />
      <div className="row-words">
        <p className="label">{t.tryIt}</p>
        <CommandLines
          label={t.tryIt}
          text={`curl "${SERVICE}${check}" \\\n  -H "Authorization: Bearer ${apiKey.key}"`}
        />
      </div>
      <p className="small">{isContract ? t.keepContract : t.keepBackOffice}</p>
      <div className="dialog-acts">
        <Button look="main" onClick={onClose}>
          {t.kept}
        </Button>
      </div>
    </Dialog>
  );
}
