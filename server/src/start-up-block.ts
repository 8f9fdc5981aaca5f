import type { Demo } from '#demo/find-or-make-demo.ts';

/** Writes what `npm start` prints once the service is ready: its addresses and a first call that works. */
export function writeStartUpBlock(base: string, demo: Demo | null, mailbox: boolean): string {
  const lines = [`Loyalty is ready at ${base}`, ''];
  if (demo !== null) lines.push(`  Portal          ${base}/club/${demo.slug}`);
  if (mailbox) lines.push(`  Mailbox         ${base}/dev/mail`);
  lines.push(`  API docs        ${base}/docs`);
  if (demo === null) return `${lines.join('\n')}\n`;
  return `
${lines.join('\n')}

  Demo commerce   ${demo.name}, X-Commerce-Id ${demo.commerceId}
  Its API key     ${demo.key}

Record a purchase of ${demo.name}'s member ${demo.clientCode}:

  curl -i ${base}/v1/consumptions/client-code \\
    -H 'Authorization: Bearer ${demo.key}' \\
    -H 'Content-Type: application/json' \\
    -d '{"client_code": ${demo.clientCode}, "amount": 18}'

See the member's points:

  curl ${base}/v1/clients/${demo.clientCode} -H 'Authorization: Bearer ${demo.key}'

`;
}
