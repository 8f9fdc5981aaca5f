/** Sends webhooks for `run.ts`, as the background work of a service does. */
import { openDatabase } from '../../server/src/platform/db/database.ts';
import { startWebhookSender } from '../../server/src/insight/webhooks/send-webhooks.ts';

const { DATABASE_URL: url = '', SECRET_KEY: secret = '' } = process.env;
const db = openDatabase({ url, poolSize: 10, preparedStatements: true });
startWebhookSender({
  db,
  log: { warn: () => {} },
  secret: [secret],
  rules: { ports: [443], ownHosts: [], loopback: true },
});
