import type { NewWebhook, Webhook } from '@loyalty/sdk/admin';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { usePolling } from '../polling.ts';
import { usePlace } from '../session.ts';
import { Button } from '../ui/button.tsx';
import { Empty, Problem, Waiting } from '../ui/states.tsx';
import { When } from '../ui/when.tsx';
import { useDeveloperTexts, type DeveloperTexts } from './texts.ts';
import { CreateWebhook, SecretShownOnce } from './webhook-dialogs.tsx';
import { WebhookPage } from './webhook-page.tsx';

/** The webhooks of the shop; one of them, if the address names it. */
export function Webhooks() {
  const [here] = useLocation();
  const id = here.split('/')[4];
  return id === undefined ? <WebhookList /> : <WebhookPage id={id} />;
}

function WebhookList() {
  const t = useDeveloperTexts();
  const { api, shop, path } = usePlace();
  const [open, setOpen] = useState<'create' | NewWebhook | null>(null);
  const webhooks = useQuery({
    queryKey: [shop.id, 'webhooks'],
    queryFn: ({ signal }) => api.listWebhooks({ signal }),
    refetchInterval: usePolling(5_000),
  });
  return (
    <>
      <div className="page-head">
        <div className="words">
          <h1>{t.webhooksTitle}</h1>
          <p className="small">{t.webhooksText}</p>
        </div>
        <Button look="main" onClick={() => setOpen('create')}>
          {t.createWebhook}
        </Button>
      </div>
      <section className="card" aria-label={t.webhooksTitle}>
        {webhooks.isPending ? (
          <div className="rows">
            <Waiting rows={2} />
          </div>
        ) : webhooks.isError && webhooks.data === undefined ? (
          <Problem error={webhooks.error} onRetry={() => void webhooks.refetch()} />
        ) : webhooks.data?.length === 0 ? (
          <Empty title={t.noWebhooks}>{t.noWebhooksText}</Empty>
        ) : (
          <table className="table folds webhooks">
            <caption className="unseen">{t.webhooksTitle}</caption>
            <thead>
              <tr>
                <th>{t.columns.webhook}</th>
                <th>{t.columns.state}</th>
                <th>{t.columns.taken}</th>
              </tr>
            </thead>
            <tbody>
              {webhooks.data?.map((webhook) => (
                <WebhookRow
                  key={webhook.webhook_id}
                  webhook={webhook}
                  href={path('developers', 'webhooks', webhook.webhook_id)}
                />
              ))}
            </tbody>
          </table>
        )}
      </section>
      {open === 'create' && <CreateWebhook onDone={setOpen} onClose={() => setOpen(null)} />}
      {open !== null && open !== 'create' && <SecretShownOnce webhook={open} onClose={() => setOpen(null)} />}
    </>
  );
}

function WebhookRow({ webhook, href }: { webhook: Webhook; href: string }) {
  const t = useDeveloperTexts();
  return (
    <tr>
      <td className="wide">
        <div className="row-words">
          <Link href={href}>
            <b>{webhook.name}</b>
          </Link>
          <code className="small">{webhook.url}</code>
          <span className="small">{tellTypes(t, webhook)}</span>
        </div>
      </td>
      <td>
        <WebhookState webhook={webhook} />
      </td>
      <td>
        <span className="phone-label">{t.columns.taken}</span>
        {webhook.last_success_at === null ? (
          <span className="small">{t.neverTaken}</span>
        ) : (
          <When at={webhook.last_success_at} />
        )}
      </td>
    </tr>
  );
}

/** Tells how a webhook fares, and what has gathered for it. */
export function WebhookState({ webhook }: { webhook: Webhook }) {
  const t = useDeveloperTexts();
  const { state, waiting, failed } = webhook;
  const isFine = state === 'enabled';
  return (
    <div className="row-words">
      <span className="name-line">
        <span className={isFine ? 'tag' : 'tag ending'}>
          {state === 'disabled'
            ? t.disabledBecause[webhook.disabled_because ?? 'owner']
            : t.webhookStates[state]}
        </span>
      </span>
      {waiting > 0 && <span className="small">{t.waitingDeliveries(waiting)}</span>}
      {failed > 0 && <span className="small">{t.failedDeliveries(failed)}</span>}
    </div>
  );
}

/** Tells in one line what is sent. */
export function tellTypes(t: DeveloperTexts, { types, scopes }: Webhook): string {
  const sent = types === null ? t.allTypes : types.join(', ');
  return [sent, ...scopes.map((scope) => t.webhookScopes[scope].name)].join(' · ');
}
