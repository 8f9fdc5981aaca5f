import type { EventTypeName, ListedEvent } from '@loyalty/sdk/admin';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { usePlace } from '../session.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Choice } from '../ui/field.tsx';
import { Empty, Problem, sayProblem, Waiting } from '../ui/states.tsx';
import { When } from '../ui/when.tsx';
import { CommandLines } from './command-lines.tsx';
import { EVENT_TYPES } from './event-types.ts';
import { useDeveloperTexts } from './texts.ts';

/** The latest events of the shop, and each as a system reads it. */
export function Events() {
  const t = useDeveloperTexts();
  const { api, shop } = usePlace();
  const [type, setType] = useState<EventTypeName | ''>('');
  const [shown, setShown] = useState<ListedEvent | null>(null);
  const events = useInfiniteQuery({
    queryKey: [shop.id, 'events', type],
    queryFn: ({ pageParam, signal }) =>
      api.listShopEvents({ type: type === '' ? null : type, cursor: pageParam }, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next_cursor,
  });
  const rows = events.data?.pages.flatMap(({ results }) => results) ?? [];
  return (
    <>
      <div className="page-head">
        <div className="words">
          <h1>{t.eventsTitle}</h1>
          <p className="small">{t.eventsText}</p>
        </div>
      </div>
      <section className="card" aria-label={t.eventsTitle}>
        <div className="toolbar">
          <Choice
            label={t.eventType}
            value={type}
            onChange={(event) => setType(event.currentTarget.value as EventTypeName | '')}
            options={[['', t.allTypes] as const, ...EVENT_TYPES.map((one) => [one, one] as const)]}
          />
        </div>
        {events.isPending ? (
          <div className="rows">
            <Waiting rows={4} />
          </div>
        ) : events.isError && rows.length === 0 ? (
          <Problem error={events.error} onRetry={() => void events.refetch()} />
        ) : rows.length > 0 ? (
          <EventTable rows={rows} onShow={setShown} />
        ) : type === '' ? (
          <Empty title={t.noEvents}>{t.noEventsText}</Empty>
        ) : (
          <Empty title={events.hasNextPage ? t.noneAmongNewest : t.noneOfType} />
        )}
        {events.hasNextPage && (
          <div className="table-foot">
            {events.isError && rows.length > 0 && (
              <span className="wrong">{sayProblem(events.error, t.shared)}</span>
            )}
            <Button busy={events.isFetchingNextPage} onClick={() => void events.fetchNextPage()}>
              {type === '' ? t.showMore : t.lookFurther}
            </Button>
          </div>
        )}
      </section>
      {shown !== null && <ShownEvent event={shown} onClose={() => setShown(null)} />}
    </>
  );
}

function EventTable({
  rows,
  onShow,
}: {
  rows: readonly ListedEvent[];
  onShow: (event: ListedEvent) => void;
}) {
  const t = useDeveloperTexts();
  return (
    <table className="table folds deliveries">
      <caption className="unseen">{t.eventsTitle}</caption>
      <thead>
        <tr>
          <th>{t.columns.event}</th>
          <th>{t.eventOf}</th>
          <th>{t.columns.at}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.event_id}>
            <td className="wide">
              <div className="row-words">
                <button type="button" className="request-id" onClick={() => onShow(row)}>
                  <b>{row.type}</b>
                </button>
                <code className="small">{row.event_id}</code>
              </div>
            </td>
            <td>
              <span className="small">{row.client_email ?? row.client_code}</span>
            </td>
            <td>
              <When at={row.at} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function ShownEvent({ event, onClose }: { event: ListedEvent; onClose: () => void }) {
  const t = useDeveloperTexts();
  const { api, shop } = usePlace();
  const whole = useQuery({
    queryKey: [shop.id, 'events', 'one', event.event_id],
    queryFn: ({ signal }) => api.getShopEvent(event.event_id, { signal }),
  });
  return (
    <Dialog title={event.type} wide onClose={onClose}>
      {whole.isPending ? (
        <Waiting rows={3} />
      ) : whole.isError ? (
        <Problem error={whole.error} onRetry={() => void whole.refetch()} />
      ) : (
        <div className="row-words">
          <p className="label">{t.eventBody}</p>
          <CommandLines label={t.eventBody} text={JSON.stringify(whole.data, null, 2)} />
        </div>
      )}
      <div className="dialog-acts">
        <Button look="main" onClick={onClose}>
          {t.shared.close}
        </Button>
      </div>
    </Dialog>
  );
}
