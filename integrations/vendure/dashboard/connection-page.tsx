import { api, Button, Page, PageBlock, PageLayout, PageTitle } from '@vendure/dashboard';
import { useEffect, useState } from 'react';

const HEALTH = `{
  loyaltyHealth { serviceError waiting failed oldest sweptUntil failedOrders { orderId error nextTry } consoleUrl }
}`;
const AGAIN = `mutation { sendLoyaltyOrdersAgain }`;
const EVERY_MS = 5_000;

interface Health {
  serviceError: string | null;
  waiting: number;
  failed: number;
  oldest: string | null;
  sweptUntil: string | null;
  failedOrders: { orderId: string; error: string; nextTry: string | null }[];
  consoleUrl: string;
}

/** What waits, what was refused and why, and the button that tries again. */
export function ConnectionPage() {
  const [health, setHealth] = useState<Health | null>(null);
  const read = () =>
    api.query<{ loyaltyHealth: Health }>(HEALTH).then(({ loyaltyHealth }) => setHealth(loyaltyHealth));
  useEffect(() => {
    void read();
    const timer = setInterval(() => void read(), EVERY_MS);
    return () => clearInterval(timer);
  }, []);

  return (
    <Page pageId="loyalty">
      <PageTitle>Loyalty</PageTitle>
      <PageLayout>
        <PageBlock column="main" blockId="loyalty-connection" title="Orders on their way to the program">
          {health === null ? '…' : <Figures health={health} />}
          {health !== null && health.failed > 0 && (
            <Button className="mt-4" onClick={() => void api.mutate(AGAIN, {}).then(read)}>
              Send again
            </Button>
          )}
        </PageBlock>
      </PageLayout>
    </Page>
  );
}

function Figures({ health }: { health: Health }) {
  const { serviceError, waiting, failed, oldest, sweptUntil, failedOrders, consoleUrl } = health;
  return (
    <div className="space-y-2 text-sm">
      <p>{serviceError === null ? 'The service answers.' : `The service: ${serviceError}`}</p>
      <p>
        {waiting} wait{oldest !== null && `, the oldest since ${new Date(oldest).toLocaleString()}`}. {failed}{' '}
        were refused.
      </p>
      <ul>
        {failedOrders.map(({ orderId, error, nextTry }) => (
          <li key={orderId}>
            <a className="underline" href={`/dashboard/orders/${orderId}`}>
              Order {orderId}
            </a>
            : {error}
            {nextTry !== null && ` (tried again at ${new Date(nextTry).toLocaleTimeString()})`}
          </li>
        ))}
      </ul>
      <p>
        {sweptUntil === null
          ? 'Changes were not looked for yet.'
          : `Changes were looked for at ${new Date(sweptUntil).toLocaleString()}.`}
      </p>
      <p>
        <a className="underline" href={consoleUrl} target="_blank" rel="noreferrer">
          Open the console
        </a>
      </p>
    </div>
  );
}
