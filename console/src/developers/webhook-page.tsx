import type { NewWebhook, Webhook, WebhookDelivery, WebhookDeliveryState } from '@loyalty/sdk/admin';
import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { queries } from '../api.ts';
import { useFormat } from '../format.ts';
import { usePolling } from '../polling.ts';
import { usePlace } from '../session.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Choice } from '../ui/field.tsx';
import { Icon } from '../ui/icon.tsx';
import { Menu } from '../ui/menu.tsx';
import { say } from '../ui/say.tsx';
import { Empty, Problem, sayProblem, Waiting } from '../ui/states.tsx';
import { When } from '../ui/when.tsx';
import { CommandLines } from './command-lines.tsx';
import { explainProblem } from './explain-problem.ts';
import { useDeveloperTexts } from './texts.ts';
import {
  ChangeWebhook,
  DeleteWebhook,
  ReplayStretch,
  RotateSecret,
  SecretShownOnce,
} from './webhook-dialogs.tsx';
import { tellTypes, WebhookState } from './webhooks.tsx';

type Open = 'change' | 'rotate' | 'replay' | 'delete' | NewWebhook | null;

/** One webhook: how it fares, its last deliveries, and what can be done with it. */
export function WebhookPage({ id }: { id: string }) {
  const t = useDeveloperTexts();
  const { api, shop, path } = usePlace();
  const [, go] = useLocation();
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
  const webhook = useQuery({
    queryKey: [shop.id, 'webhooks', id],
    queryFn: ({ signal }) => api.getWebhook(id, { signal }),
    refetchInterval: usePolling(5_000),
  });
  const one = webhook.data;
  if (one === undefined)
    return webhook.isError ? (
      <Problem error={webhook.error} onRetry={() => void webhook.refetch()} />
    ) : (
      <div className="rows">
        <Waiting rows={4} />
      </div>
    );
  return (
    <>
      <div className="page-head">
        <div className="words">
          <Link className="small" href={path('developers', 'webhooks')}>
            {t.webhooksTitle}
          </Link>
          <h1>{one.name}</h1>
          <code className="small webhook-url">{one.url}</code>
          <p className="small">{tellTypes(t, one)}</p>
        </div>
        <WebhookActs webhook={one} onOpen={setOpen} />
      </div>
      <section className="card webhook-state" aria-label={t.columns.state}>
        <WebhookState webhook={one} />
        {one.replaying && <span className="small">{t.replaying}</span>}
        {one.behind > 0 && one.state !== 'enabled' && <span className="small">{t.behind(one.behind)}</span>}
      </section>
      <Deliveries webhook={one} />
      {open === 'change' && <ChangeWebhook webhook={one} onClose={close} />}
      {open === 'rotate' && <RotateSecret webhook={one} onDone={setOpen} onClose={close} />}
      {open === 'replay' && <ReplayStretch webhook={one} onClose={close} />}
      {open === 'delete' && (
        <DeleteWebhook webhook={one} onDone={() => go(path('developers', 'webhooks'))} onClose={close} />
      )}
      {open !== null && typeof open === 'object' && <SecretShownOnce webhook={open} onClose={close} />}
    </>
  );
}

/** Does something at once and says what came of it. */
function useAct() {
  const t = useDeveloperTexts();
  const { shop } = usePlace();
  const call = useMutation({
    mutationFn: async ({ act }: { act: () => Promise<unknown>; done: string }) => act(),
    onSuccess: (_answer, { done }) => say(done),
    onError: (error) => say(explainProblem(t)(error) ?? sayProblem(error, t.shared), { kind: 'wrong' }),
    onSettled: () => queries.invalidateQueries({ queryKey: [shop.id, 'webhooks'] }),
  });
  return {
    isBusy: call.isPending,
    run: (done: string, act: () => Promise<unknown>) => call.mutate({ act, done }),
  };
}

function WebhookActs({ webhook, onOpen }: { webhook: Webhook; onOpen: (open: Open) => void }) {
  const t = useDeveloperTexts();
  const { api } = usePlace();
  const { isBusy, run } = useAct();
  const { webhook_id: id, state } = webhook;
  const isDisabled = state === 'disabled';
  const items = [
    { label: t.change, onPick: () => onOpen('change') },
    { label: t.rotate, hint: t.rotateHint, onPick: () => onOpen('rotate') },
    ...(isDisabled
      ? []
      : [
          { label: t.replayFailed, onPick: () => run(t.sentAgain, () => api.replayWebhook(id)) },
          { label: t.replayStretch, onPick: () => onOpen('replay') },
          { label: t.disable, onPick: () => run(t.disabled, () => api.disableWebhook(id)) },
        ]),
    { label: t.deleteWebhook, danger: true, onPick: () => onOpen('delete') },
  ];
  return (
    <div className="acts">
      {isDisabled ? (
        <Button look="main" busy={isBusy} onClick={() => run(t.enabled, () => api.enableWebhook(id))}>
          {t.enable}
        </Button>
      ) : (
        <Button look="main" busy={isBusy} onClick={() => run(t.testSent, () => api.testWebhook(id))}>
          {t.sendTest}
        </Button>
      )}
      <Menu className="button icon-only" label={t.actsOf(webhook.name)} items={items}>
        <Icon name="more" />
      </Menu>
    </div>
  );
}

function Deliveries({ webhook }: { webhook: Webhook }) {
  const t = useDeveloperTexts();
  const { api, shop } = usePlace();
  const [state, setState] = useState<WebhookDeliveryState | ''>('');
  const [shown, setShown] = useState<WebhookDelivery | null>(null);
  const { webhook_id: id } = webhook;
  const deliveries = useInfiniteQuery({
    queryKey: [shop.id, 'webhooks', id, 'deliveries', state],
    queryFn: ({ pageParam, signal }) =>
      api.listWebhookDeliveries(id, { state: state === '' ? null : state, cursor: pageParam }, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next_cursor,
    refetchInterval: usePolling(5_000),
  });
  const rows = deliveries.data?.pages.flatMap(({ results }) => results) ?? [];
  return (
    <section className="card" aria-label={t.deliveries}>
      <div className="toolbar">
        <h2 className="deliveries-title">{t.deliveries}</h2>
        <Choice
          label={t.columns.state}
          value={state}
          onChange={(event) => setState(event.currentTarget.value as WebhookDeliveryState | '')}
          options={[
            ['', t.allStates] as const,
            ...(['waiting', 'delivered', 'failed'] as const).map(
              (one) => [one, t.deliveryStates[one]] as const,
            ),
          ]}
        />
      </div>
      {deliveries.isPending ? (
        <div className="rows">
          <Waiting rows={4} />
        </div>
      ) : deliveries.isError && rows.length === 0 ? (
        <Problem error={deliveries.error} onRetry={() => void deliveries.refetch()} />
      ) : rows.length === 0 ? (
        <Empty title={t.noDeliveries}>{t.noDeliveriesText}</Empty>
      ) : (
        <table className="table folds deliveries">
          <caption className="unseen">{t.deliveries}</caption>
          <thead>
            <tr>
              <th>{t.columns.event}</th>
              <th>{t.columns.state}</th>
              <th>{t.columns.answer}</th>
              <th>{t.columns.at}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <DeliveryRow key={row.delivery_id} delivery={row} onShow={() => setShown(row)} />
            ))}
          </tbody>
        </table>
      )}
      {deliveries.hasNextPage && (
        <div className="table-foot">
          {deliveries.isError && rows.length > 0 && (
            <span className="wrong">{sayProblem(deliveries.error, t.shared)}</span>
          )}
          <Button busy={deliveries.isFetchingNextPage} onClick={() => void deliveries.fetchNextPage()}>
            {t.showMore}
          </Button>
        </div>
      )}
      {shown !== null && <ShownDelivery webhook={webhook} delivery={shown} onClose={() => setShown(null)} />}
    </section>
  );
}

function DeliveryRow({ delivery, onShow }: { delivery: WebhookDelivery; onShow: () => void }) {
  const t = useDeveloperTexts();
  const format = useFormat();
  const { type, state, attempts, next_at: next, status, answer_ms: ms } = delivery;
  return (
    <tr>
      <td className="wide">
        <div className="row-words">
          <button type="button" className="request-id" onClick={onShow}>
            <b>{type}</b>
          </button>
          <code className="small">{delivery.delivery_id}</code>
        </div>
      </td>
      <td>
        <div className="row-words">
          <span className="name-line">
            <span className={state === 'delivered' ? 'tag' : 'tag ending'}>{t.deliveryStates[state]}</span>
          </span>
          {state !== 'delivered' && attempts > 0 && <span className="small">{t.attempts(attempts)}</span>}
          {next !== null && <span className="small">{t.nextAttempt(format.dayAndTime(next))}</span>}
        </div>
      </td>
      <td>
        {attempts === 0 ? null : status === null ? (
          <span className="small">{t.noAnswer}</span>
        ) : (
          <span className="small">{t.answered(status, ms ?? 0)}</span>
        )}
      </td>
      <td>
        <When at={delivery.at} />
      </td>
    </tr>
  );
}

/** What was sent and what came back. */
function ShownDelivery(props: { webhook: Webhook; delivery: WebhookDelivery; onClose: () => void }) {
  const t = useDeveloperTexts();
  const { api, shop } = usePlace();
  const { isBusy, run } = useAct();
  const { webhook_id: webhookId, state } = props.webhook;
  const { delivery_id: id, type } = props.delivery;
  const whole = useQuery({
    queryKey: [shop.id, 'webhooks', webhookId, 'delivery', id],
    queryFn: ({ signal }) => api.getWebhookDelivery(webhookId, id, { signal }),
  });
  return (
    <Dialog title={type} wide onClose={props.onClose}>
      {whole.isPending ? (
        <Waiting rows={3} />
      ) : whole.isError ? (
        <Problem error={whole.error} onRetry={() => void whole.refetch()} />
      ) : (
        <>
          <div className="row-words">
            <p className="label">{t.sentBody}</p>
            {whole.data.body === null ? (
              <p className="small">{t.notSentYet}</p>
            ) : (
              <CommandLines label={t.sentBody} text={written(whole.data.body)} />
            )}
          </div>
          <div className="row-words">
            <p className="label">{t.answerText}</p>
            {whole.data.answer === null || whole.data.answer === '' ? (
              <p className="small">{t.noAnswerText}</p>
            ) : (
              <CommandLines label={t.answerText} text={whole.data.answer} />
            )}
          </div>
        </>
      )}
      <div className="dialog-acts">
        <Button onClick={props.onClose}>{t.shared.close}</Button>
        {state !== 'disabled' && (
          <Button
            look="main"
            busy={isBusy}
            onClick={() => {
              run(t.sentAgain, () => api.replayWebhookDelivery(webhookId, id));
              props.onClose();
            }}
          >
            {t.sendAgain}
          </Button>
        )}
      </div>
    </Dialog>
  );
}

/** The body in lines, with the same content. */
function written(body: string): string {
  return JSON.stringify(JSON.parse(body), null, 2);
}
