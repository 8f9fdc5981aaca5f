import { defineAttack, type Finding } from './harness/attack.ts';
import { openCaller, type Call } from './harness/caller.ts';
import { tryStart } from './harness/try-start.ts';

export const openByMistake = defineAttack({
  name: 'open-by-mistake',
  sentence: 'looks for the mailbox of a service whose NODE_ENV is misspelt or missing, on a real database',
  async check({ env: { DATABASE_URL = '' } }) {
    const findings: Finding[] = [];
    for (const word of ['Production', 'prod', 'staging', '']) {
      const open = { DATABASE_URL, HOST: '0.0.0.0', ...(word !== '' && { NODE_ENV: word }) };
      const { started, seen } = await tryStart(open, seesMailbox);
      findings.push({
        promise: `NODE_ENV=${word || '(not set)'} does not start on all addresses without what production needs`,
        holds: !started,
        seen,
      });
    }
    const local = await tryStart({ DATABASE_URL }, seesDemo);
    findings.push({
      promise: 'a database given by DATABASE_URL gets no demo and no mailbox',
      holds: !local.started || local.seen === NOTHING,
      seen: local.seen,
    });
    const behindProxy = await tryStart({ HOST: '127.0.0.1' }, refusesStrangers);
    findings.push({
      promise: 'the mailbox of a trial answers only the machine itself',
      holds: behindProxy.seen === NOTHING,
      seen: behindProxy.seen,
    });
    return findings;
  },
});

const NOTHING = 'nothing';
const MAILBOX = '/dev/mail.json';

function seesMailbox(port: number): Promise<string> {
  return firstThatSees(port, [{ path: MAILBOX }]);
}

function seesDemo(port: number): Promise<string> {
  return firstThatSees(port, [{ path: MAILBOX }, { path: '/club/demo' }]);
}

/** Tries calls that arrive through a proxy, or under the name of another host. */
function refusesStrangers(port: number): Promise<string> {
  const headers = [
    { 'x-forwarded-for': '203.0.113.7' },
    { forwarded: 'for=203.0.113.7' },
    { host: 'club.example' },
  ];
  return firstThatSees(
    port,
    headers.map((one) => ({ path: MAILBOX, headers: one as Record<string, string> })),
  );
}

async function firstThatSees(port: number, calls: readonly Call[]): Promise<string> {
  const caller = openCaller(port, { keepAlive: false });
  for (const call of calls) {
    const { status } = await caller.call('127.0.0.1', call);
    if (status === 200)
      return `${call.path} is open${call.headers === undefined ? '' : ` ${JSON.stringify(call.headers)}`}`;
  }
  return NOTHING;
}
