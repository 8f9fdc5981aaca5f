import { defineWidgetConfig } from '@medusajs/admin-sdk';
import type { AdminOrder, DetailWidgetProps } from '@medusajs/framework/types';
import { Badge, Container, Heading, Text } from '@medusajs/ui';
import { useAnswer } from '../lib/use-answer';

interface OrderAnswer {
  order: {
    status: string;
    points: number;
    points_waiting: number;
    purchase: { reason: string | null };
    codes: { client_benefit_code: number; state: string; reason: string | null }[];
  } | null;
}

/** What an order has earned, and what became of its codes. */
function OrderPoints({ data: order }: DetailWidgetProps<AdminOrder>) {
  const { answer, error } = useAnswer<OrderAnswer>(`/admin/loyalty/orders/${order.id}`);
  const known = answer?.order;
  return (
    <Container className="divide-y p-0">
      <div className="flex items-center justify-between px-6 py-4">
        <Heading level="h2">Points</Heading>
        {known && <Badge size="2xsmall">{known.points}</Badge>}
      </div>
      <div className="flex flex-col gap-y-2 px-6 py-4">
        {error !== null && <Text size="small">The points could not be read: {error}</Text>}
        {answer !== null && answer.order === null && (
          <Text size="small">The order has not been sent yet.</Text>
        )}
        {known && known.points_waiting > 0 && <Text size="small">{known.points_waiting} of them wait.</Text>}
        {known?.purchase.reason && <Text size="small">Refused: {known.purchase.reason}</Text>}
        {known?.codes.map(({ client_benefit_code: code, state, reason }) => (
          <Text key={code} size="small">
            {code}: {state}
            {reason !== null && ` (${reason})`}
          </Text>
        ))}
      </div>
    </Container>
  );
}

export const config = defineWidgetConfig({ zone: 'order.details.side.after' });

export default OrderPoints;
