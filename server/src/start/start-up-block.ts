import { styleText } from 'node:util';
import type { Demo } from '#demo/find-or-make-demo.ts';
import { setUpUrl } from '#set-up/set-up-url.ts';

/** The demo as `npm start` shows it: its facts, and the addresses of the member and the staff to try things with. */
export type ShownDemo = Demo & {
  readonly memberEmail: string | null;
  readonly staff: readonly { readonly role: string; readonly email: string }[];
};

/** The addresses of the service and of the console, without a trailing slash and without the path of a page. */
interface Addresses {
  readonly base: string;
  readonly consoleBase: string;
  /** Null if there is a shop. */
  readonly firstStep: FirstStep | null;
}

/** The first step where there is no shop yet. */
export interface FirstStep {
  /** Stands in the link with which the first shop is set up; null where that must not be shown. */
  readonly token: string | null;
}

/** Writes what `npm start` prints once the service is ready: its addresses and a first call that works. */
export function writeStartUpBlock(
  { base, consoleBase, firstStep }: Addresses,
  demo: ShownDemo | null,
  mailbox: boolean,
): string {
  const ready = paint('bold', `Loyalty is ready at ${paint('cyan', base)}`);
  const addresses = [
    ...(mailbox ? [writeLine('Start page', `${base}/`)] : []),
    ...(demo === null ? [] : describePortal(base, demo, mailbox)),
    writeLine('Console', `${consoleBase}/console`),
    ...(demo === null ? [] : demo.staff.map(({ role, email }) => writeLine(`  as ${role}`, email))),
    ...(mailbox ? [writeLine('Mailbox', `${base}/dev/mail`)] : []),
    ...(mailbox && demo !== null ? [writeLine('Your own shop', `${base}/dev/set-up`)] : []),
    writeLine('API docs', `${base}/docs`),
  ];
  if (demo === null)
    return `${[ready, '', ...addresses, ...describeSetUp(firstStep, consoleBase)].join('\n')}\n`;
  return `
${[ready, '', ...addresses].join('\n')}

${writeLine('Demo commerce', `${demo.name}, X-Commerce-Id ${demo.commerceId}`)}
${writeLine('Its API key', demo.key)}

${paint('bold', `Record a purchase of ${demo.name}'s member ${demo.clientCode}:`)}

  curl -i ${base}/v1/consumptions/client-code \\
    -H 'Authorization: Bearer ${demo.key}' \\
    -H 'Content-Type: application/json' \\
    -d '{"client_code": ${demo.clientCode}, "amount": 18}'

${paint('bold', "See the member's points:")}

  curl ${base}/v1/clients/${demo.clientCode} -H 'Authorization: Bearer ${demo.key}'

`;
}

function describePortal(base: string, { slug, memberEmail }: ShownDemo, mailbox: boolean): string[] {
  const portal = writeLine('Portal', `${base}/club/${slug}`);
  if (memberEmail === null) return [portal];
  return [
    portal,
    writeLine('  sign in as', `${memberEmail}${mailbox ? ', with the code in the mailbox' : ''}`),
  ];
}

/** The link stands on a line of its own: a terminal opens it, and a person copies it. */
function describeSetUp(firstStep: FirstStep | null, consoleBase: string): string[] {
  if (firstStep === null) return [];
  if (firstStep.token === null)
    return [
      '',
      `${paint('bold', 'There is no shop yet.')} \`loyalty setup-link\` makes the link with which you set yours up.`,
      '',
    ];
  return [
    '',
    `${paint('bold', 'There is no shop yet.')} Set yours up within 24 hours, in about three minutes:`,
    '',
    `  ${paint('cyan', setUpUrl(consoleBase, firstStep.token))}`,
    '',
    'Whoever opens this link first owns the shop. `npx --no-install loyalty setup-link` makes another one.',
    '',
  ];
}

function writeLine(name: string, value: string): string {
  return `  ${paint('gray', name.padEnd(15))} ${value}`;
}

/** Colors are for a terminal. Elsewhere the text stays plain. */
function paint(style: 'bold' | 'cyan' | 'gray', text: string): string {
  return styleText(style, text, { stream: process.stdout });
}
