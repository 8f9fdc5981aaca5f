import type { EventTypeName, NewWebhook, Webhook, WebhookScope } from '@loyalty/sdk/admin';
import { useState } from 'react';
import { queries } from '../api.ts';
import { instantOf } from '../program/zone.ts';
import { usePlace } from '../session.ts';
import { ActDialog } from '../ui/act-dialog.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { say } from '../ui/say.tsx';
import { CommandLines } from './command-lines.tsx';
import { EVENT_TYPES } from './event-types.ts';
import { explainProblem } from './explain-problem.ts';
import { useDeveloperTexts } from './texts.ts';

const SCOPES = ['members', 'redeem'] as const satisfies readonly WebhookScope[];

/** Has events sent to an address. */
export function CreateWebhook(props: { onDone: (webhook: NewWebhook) => void; onClose: () => void }) {
  const t = useDeveloperTexts();
  const { api } = usePlace();
  const terms = useTerms({ name: '', url: '', types: null, scopes: [] });
  return (
    <ActDialog
      title={t.createWebhookTitle}
      submit={t.createWebhook}
      check={terms.check}
      act={() => api.createWebhook(terms.value)}
      onDone={(webhook) => queueMicrotask(() => props.onDone(webhook))}
      explain={explainProblem(t)}
      unknown={t.unknownWebhook}
      makesAnother
      onClose={props.onClose}
    >
      {terms.fields}
    </ActDialog>
  );
}

/** Changes what is sent and where. */
export function ChangeWebhook({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const t = useDeveloperTexts();
  const { api } = usePlace();
  const { name, url, types, scopes } = webhook;
  const terms = useTerms({ name, url, types, scopes });
  return (
    <ActDialog
      title={t.changeWebhookTitle(name)}
      submit={t.save}
      check={terms.check}
      act={() => api.changeWebhook(webhook.webhook_id, changesOf(webhook, terms.value))}
      onDone={() => say(t.webhookChanged(terms.value.name))}
      explain={explainProblem(t)}
      unknown={t.unknownTryAgain}
      onClose={onClose}
    >
      {terms.fields}
    </ActDialog>
  );
}

/** Only what differs: another address or other scopes ask for a fresh code, and what a colleague has changed meanwhile stays. */
function changesOf(webhook: Webhook, terms: Terms): Partial<Terms> {
  const changed = Object.entries(terms).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(webhook[name as keyof Terms]),
  );
  return Object.fromEntries(changed);
}

interface Terms {
  readonly name: string;
  readonly url: string;
  readonly types: EventTypeName[] | null;
  readonly scopes: WebhookScope[];
}

/** The fields of what a shop chooses, with what was typed. */
function useTerms(given: Terms) {
  const t = useDeveloperTexts();
  const [name, setName] = useState(given.name);
  const [url, setUrl] = useState(given.url);
  const [types, setTypes] = useState<readonly EventTypeName[]>(given.types ?? []);
  const [scopes, setScopes] = useState<readonly WebhookScope[]>(given.scopes);
  const [problems, setProblems] = useState<{ name: string | null; url: string | null }>({
    name: null,
    url: null,
  });
  return {
    value: {
      name: name.trim(),
      url: url.trim(),
      types: types.length === 0 ? null : [...types],
      scopes: [...scopes],
    },
    check: () => {
      const [hasName, hasUrl] = [name.trim() !== '', /^https?:\/\/[^\s]+$/.test(url.trim())];
      setProblems({ name: hasName ? null : t.webhookNameNeeded, url: hasUrl ? null : t.urlNeeded });
      return hasName && hasUrl;
    },
    fields: (
      <>
        <Field
          label={t.nameOfWebhook}
          hint={t.webhookNameHint}
          problem={problems.name}
          maxLength={100}
          autoComplete="off"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Field
          label={t.url}
          hint={t.urlHint}
          problem={problems.url}
          type="url"
          inputMode="url"
          maxLength={2_000}
          autoComplete="off"
          value={url}
          onChange={(event) => setUrl(event.currentTarget.value)}
        />
        <fieldset className="field scopes">
          <legend>{t.webhookScopesTitle}</legend>
          {SCOPES.map((scope) => (
            <Check
              key={scope}
              name={t.webhookScopes[scope].name}
              hint={t.webhookScopes[scope].hint}
              isChecked={scopes.includes(scope)}
              onCheck={(isOn) =>
                setScopes(SCOPES.filter((one) => (one === scope ? isOn : scopes.includes(one))))
              }
            />
          ))}
        </fieldset>
        <details className="field webhook-types" open={types.length > 0}>
          <summary>{types.length === 0 ? t.allTypes : t.someTypes(types.length)}</summary>
          <p className="small">{t.typesHint}</p>
          <div className="type-list">
            {EVENT_TYPES.map((type) => (
              <Check
                key={type}
                name={type}
                isChecked={types.includes(type)}
                onCheck={(isOn) =>
                  setTypes(EVENT_TYPES.filter((one) => (one === type ? isOn : types.includes(one))))
                }
              />
            ))}
          </div>
        </details>
      </>
    ),
  };
}

function Check(props: { name: string; hint?: string; isChecked: boolean; onCheck: (isOn: boolean) => void }) {
  return (
    <label className="check">
      <input
        type="checkbox"
        checked={props.isChecked}
        onChange={(event) => props.onCheck(event.currentTarget.checked)}
      />
      <span className="row-words">
        <span className="name">{props.name}</span>
        {props.hint !== undefined && <span className="small">{props.hint}</span>}
      </span>
    </label>
  );
}

/** Shows a secret, for the only time. It is closed by its button alone. */
export function SecretShownOnce({ webhook, onClose }: { webhook: NewWebhook; onClose: () => void }) {
  const t = useDeveloperTexts();
  return (
    <Dialog title={t.secretTitle(webhook.name)} wide locked hasNoCross onClose={onClose}>
      <p className="strip ending">{t.shownText}</p>
      <CommandLines label={t.theSecret} text={webhook.secret} />
      <p className="small">{webhook.old_secret_until === null ? t.secretText : t.secretOverlap}</p>
      <div className="dialog-acts">
        <Button look="main" onClick={onClose}>
          {t.kept}
        </Button>
      </div>
    </Dialog>
  );
}

/** Makes another secret, beside which the one before signs for a day. */
export function RotateSecret(props: {
  webhook: Webhook;
  onDone: (webhook: NewWebhook) => void;
  onClose: () => void;
}) {
  const t = useDeveloperTexts();
  const { api } = usePlace();
  const { name, webhook_id: id, old_secret_until: now } = props.webhook;
  // As it was when the dialog was opened: a repeat after a lost answer then returns the same secret.
  const [seen] = useState(now);
  return (
    <ActDialog
      title={t.rotateTitle(name)}
      submit={t.rotate}
      act={() => api.rotateWebhookSecret(id, { seen_old_secret_until: seen })}
      onDone={(one) => queueMicrotask(() => props.onDone(one))}
      unknown={t.unknownSecret}
      onClose={props.onClose}
    >
      <ul className="effects">
        <li>{t.rotateNew}</li>
        <li>{t.rotateOld}</li>
        {seen !== null && <li>{t.rotateOldest}</li>}
      </ul>
    </ActDialog>
  );
}

/** Sends the events of a stretch of time again. */
export function ReplayStretch({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const t = useDeveloperTexts();
  const { api, shop } = usePlace();
  const [since, setSince] = useState('');
  const [until, setUntil] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  return (
    <ActDialog
      title={t.replayTitle}
      submit={t.sendAgain}
      check={() => {
        setProblem(since === '' ? t.sinceNeeded : null);
        return since !== '';
      }}
      act={() =>
        api.replayWebhook(webhook.webhook_id, {
          since: instantOf(since, shop.time_zone)!,
          ...(until !== '' && { until: instantOf(until, shop.time_zone)! }),
        })
      }
      onDone={({ replaying }) => say(replaying ? t.replaying : t.nothingToReplay)}
      explain={explainProblem(t)}
      unknown={t.unknownTryAgain}
      onClose={onClose}
    >
      <Field
        label={t.since}
        hint={t.sinceHint(shop.time_zone.replaceAll('_', ' '))}
        problem={problem}
        type="datetime-local"
        value={since}
        onChange={(event) => setSince(event.currentTarget.value)}
      />
      <Field
        label={t.until}
        hint={t.untilHint}
        type="datetime-local"
        value={until}
        onChange={(event) => setUntil(event.currentTarget.value)}
      />
      <ul className="effects">
        <li>{t.replayEffect}</li>
      </ul>
    </ActDialog>
  );
}

/** Deletes a webhook with its deliveries. */
export function DeleteWebhook(props: { webhook: Webhook; onDone: () => void; onClose: () => void }) {
  const t = useDeveloperTexts();
  const { api, shop } = usePlace();
  const { name, webhook_id: id } = props.webhook;
  return (
    <ActDialog
      title={t.deleteWebhookTitle(name)}
      submit={t.deleteWebhook}
      danger
      act={() => api.deleteWebhook(id)}
      onDone={() => {
        // Before everything is read again: there is nothing to read of this one.
        queries.removeQueries({ queryKey: [shop.id, 'webhooks', id] });
        say(t.webhookDeleted(name));
        props.onDone();
      }}
      unknown={t.unknownTryAgain}
      onClose={props.onClose}
    >
      <ul className="effects">
        <li>{t.deleteEffect}</li>
        <li>{t.notUndone}</li>
      </ul>
    </ActDialog>
  );
}
