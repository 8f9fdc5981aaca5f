import { defineWidgetConfig } from '@medusajs/admin-sdk';
import type { AdminCustomer, DetailWidgetProps } from '@medusajs/framework/types';
import { Badge, Container, Heading, Text } from '@medusajs/ui';
import { useAnswer } from '../lib/use-answer';

interface CustomerAnswer {
  consoleUrl: string;
  member: {
    code: number;
    points: number;
    /** Points that cannot be spent yet. */
    waiting: number;
    tier: string | null;
    purchases: { id: number; date: string; amount: number; points: number; reversed_points: number }[];
    codes: { client_benefit_code: number; due_date: string | null; benefit: { description: string } }[];
  } | null;
}

/** The points of a customer, beside their orders. */
function CustomerPoints({ data: customer }: DetailWidgetProps<AdminCustomer>) {
  const { answer, error } = useAnswer<CustomerAnswer>(`/admin/loyalty/customers/${customer.id}`);
  return (
    <Container className="divide-y p-0">
      <div className="flex items-center justify-between px-6 py-4">
        <Heading level="h2">Points</Heading>
        {answer?.member && <Badge size="2xsmall">{answer.member.points}</Badge>}
      </div>
      <div className="flex flex-col gap-y-2 px-6 py-4">
        {error !== null && <Text size="small">The points could not be read: {error}</Text>}
        {answer !== null && answer.member === null && (
          <Text size="small">Nobody with this address has joined. Points of orders wait until they do.</Text>
        )}
        {answer?.member?.tier && <Text size="small">Tier: {answer.member.tier}</Text>}
        {answer?.member && answer.member.waiting > 0 && (
          <Text size="small">{answer.member.waiting} more points wait.</Text>
        )}
        {answer?.member?.purchases.map(({ id, date, amount, points, reversed_points: back }) => (
          <Text key={id} size="small">
            {new Date(date).toLocaleDateString()}: {points - back} points for {amount}
          </Text>
        ))}
        {answer?.member?.codes.map(({ client_benefit_code: code, benefit }) => (
          <Text key={code} size="small">
            {code}: {benefit.description}
          </Text>
        ))}
        {answer !== null && (
          <a
            className="text-ui-fg-interactive txt-small"
            href={answer.consoleUrl}
            rel="noreferrer"
            target="_blank"
          >
            Add or take points in the console
          </a>
        )}
      </div>
    </Container>
  );
}

export const config = defineWidgetConfig({ zone: 'customer.details.side.after' });

export default CustomerPoints;
