import { api } from '@vendure/dashboard';
import { useEffect, useState } from 'react';

const CUSTOMER = `query ($id: ID!) {
  loyaltyCustomer(customerId: $id) {
    clientCode points waiting tier consoleUrl codes { code title used } purchases { date points externalId explanation }
  }
}`;

interface LoyaltyCustomer {
  clientCode: string;
  points: number;
  waiting: number;
  tier: string | null;
  consoleUrl: string;
  codes: { code: string; title: string; used: boolean }[];
  purchases: { date: string; points: number; externalId: string | null; explanation: string }[];
}

/** Points, codes and the last purchases of a customer. Points are added or taken in the service's own console. */
export function CustomerBlock({ context }: { context: { entity?: { id: string } } }) {
  const id = context.entity?.id;
  const [customer, setCustomer] = useState<LoyaltyCustomer | null | undefined>(undefined);
  useEffect(() => {
    if (id === undefined) return;
    api.query<{ loyaltyCustomer: LoyaltyCustomer | null }>(CUSTOMER, { id }).then(
      ({ loyaltyCustomer }) => setCustomer(loyaltyCustomer),
      () => setCustomer(null),
    );
  }, [id]);

  if (customer === undefined) return <p>…</p>;
  if (customer === null) return <p>The loyalty program does not know this customer, or does not answer.</p>;
  const { points, waiting, tier, codes, purchases, consoleUrl, clientCode } = customer;
  return (
    <div className="space-y-4 text-sm">
      <p className="text-2xl font-semibold">{points} points</p>
      {waiting > 0 && <p>{waiting} more points wait.</p>}
      {tier !== null && <p>Tier: {tier}</p>}
      <ul className="space-y-1">
        {codes.map(({ code, title, used }) => (
          <li key={code} className={used ? 'line-through' : ''}>
            {title} ({code})
          </li>
        ))}
      </ul>
      <ul className="space-y-1">
        {purchases.map((one) => (
          <li key={`${one.date} ${one.externalId}`} title={one.explanation}>
            {new Date(one.date).toLocaleDateString()}: {one.points} points{' '}
            {one.externalId !== null && `for ${one.externalId}`}
          </li>
        ))}
      </ul>
      <p>
        Card {clientCode}.{' '}
        <a className="underline" href={consoleUrl} target="_blank" rel="noreferrer">
          Add or take points
        </a>
      </p>
    </div>
  );
}
