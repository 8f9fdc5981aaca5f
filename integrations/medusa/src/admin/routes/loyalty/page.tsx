import { defineRouteConfig } from '@medusajs/admin-sdk';
import { Badge, Button, Container, Heading, Table, Text } from '@medusajs/ui';
import { useState } from 'react';
import { ask, useAnswer } from '../../lib/use-answer';

interface Health {
  waiting: number;
  failed: number;
  oldest: string | null;
  sweptUntil: string | null;
  serviceError: string | null;
  consoleUrl: string;
  failedOrders: { orderId: string; error: string; notedAt: string; nextTry: string | null }[];
}

/** How the connection to the loyalty service fares. */
function LoyaltyPage() {
  const { answer, error, again } = useAnswer<Health>('/admin/loyalty/health');
  const [isSending, setIsSending] = useState(false);
  const [sendError, setSendError] = useState<string | null>(null);

  const send = async (body: { order_ids?: string[] }): Promise<void> => {
    setIsSending(true);
    try {
      await ask('/admin/loyalty/send-again', body);
      setSendError(null);
    } catch (reason) {
      setSendError(reason instanceof Error ? reason.message : String(reason));
    } finally {
      setIsSending(false);
      again();
    }
  };

  return (
    <Container className="divide-y p-0">
      <div className="flex items-center justify-between px-6 py-4">
        <Heading>Loyalty</Heading>
        <Button size="small" variant="secondary" onClick={again}>
          Refresh
        </Button>
      </div>
      <div aria-live="polite" className="flex flex-col gap-y-2 px-6 py-4">
        {(error ?? sendError) !== null && <Text>{error ?? sendError}</Text>}
        {answer !== null && (
          <>
            <Text>
              {answer.serviceError === null ? 'The service answers.' : `The service: ${answer.serviceError}`}
            </Text>
            <Text>
              Orders that wait: <Badge size="2xsmall">{answer.waiting}</Badge>
              {answer.oldest !== null && ` since ${new Date(answer.oldest).toLocaleString()}`}
            </Text>
            <Text>
              Orders that were refused: <Badge size="2xsmall">{answer.failed}</Badge>
            </Text>
            <Text>
              {answer.sweptUntil === null
                ? 'Changes have not been swept yet.'
                : `Changes were swept until ${new Date(answer.sweptUntil).toLocaleString()}.`}
            </Text>
            <a className="text-ui-fg-interactive" href={answer.consoleUrl} rel="noreferrer" target="_blank">
              Open the console
            </a>
          </>
        )}
      </div>
      {answer !== null && answer.failedOrders.length > 0 && (
        <div className="px-6 py-4">
          <Button disabled={isSending} size="small" onClick={() => void send({})}>
            Send all again
          </Button>
          <Table>
            <Table.Header>
              <Table.Row>
                <Table.HeaderCell>Order</Table.HeaderCell>
                <Table.HeaderCell>Why</Table.HeaderCell>
                <Table.HeaderCell>Next try</Table.HeaderCell>
                <Table.HeaderCell>
                  <span className="sr-only">Action</span>
                </Table.HeaderCell>
              </Table.Row>
            </Table.Header>
            <Table.Body>
              {answer.failedOrders.map(({ orderId, error: why, nextTry }) => (
                <Table.Row key={orderId}>
                  <Table.Cell>
                    <a href={`/app/orders/${orderId}`}>{orderId}</a>
                  </Table.Cell>
                  <Table.Cell>{why}</Table.Cell>
                  <Table.Cell>{nextTry === null ? 'never' : new Date(nextTry).toLocaleString()}</Table.Cell>
                  <Table.Cell>
                    <Button
                      aria-label={`Send ${orderId} again`}
                      disabled={isSending}
                      size="small"
                      variant="secondary"
                      onClick={() => void send({ order_ids: [orderId] })}
                    >
                      Send again
                    </Button>
                  </Table.Cell>
                </Table.Row>
              ))}
            </Table.Body>
          </Table>
        </div>
      )}
    </Container>
  );
}

export const config = defineRouteConfig({ label: 'Loyalty' });

export default LoyaltyPage;
