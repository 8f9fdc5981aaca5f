/** The shop's own configuration. What belongs to the loyalty program is the one entry of `plugins`. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { LoyaltyPlugin } from '@loyalty/vendure';
import { AccountRegistrationEvent, DefaultLogger, dummyPaymentHandler, LogLevel } from '@vendure/core';

const { env } = process;
const page = fileURLToPath(new URL('page.html', import.meta.url));

/** The codes that Vendure would send by mail, since this shop has no mail server: `/mailbox`. */
const mailbox = [];

/** @type {import('@vendure/core').VendureConfig} */
export const config = {
  apiOptions: {
    port: Number(env.PORT ?? 3100),
    hostname: '127.0.0.1',
    adminApiPath: 'admin-api',
    shopApiPath: 'shop-api',
    cors: false,
    csrfPrevention: true,
    middleware: [
      {
        route: '/store',
        handler: async (_request, response) => response.type('html').send(await readFile(page)),
      },
      { route: '/mailbox', handler: (_request, response) => response.json(mailbox) },
    ],
  },
  authOptions: {
    tokenMethod: ['bearer', 'cookie'],
    superadminCredentials: { identifier: 'superadmin', password: env.ADMIN_PASSWORD ?? 'superadmin' },
    cookieOptions: { secret: env.COOKIE_SECRET ?? 'the example shop keeps no secrets' },
  },
  dbConnectionOptions: {
    synchronize: true, // a real shop runs migrations
    ...(env.DATABASE_URL === undefined
      ? { type: 'sqljs', location: 'data/shop.sqlite', autoSave: true }
      : { type: 'postgres', url: env.DATABASE_URL }),
  },
  paymentOptions: { paymentMethodHandlers: [dummyPaymentHandler] },
  logger: new DefaultLogger({ level: LogLevel[env.LOG_LEVEL] ?? LogLevel.Warn, timestamp: false }),
  plugins: [
    LoyaltyPlugin.init({
      baseUrl: env.LOYALTY_URL ?? 'http://127.0.0.1:3000',
      commerceId: Number(env.LOYALTY_COMMERCE),
      apiKey: env.LOYALTY_KEY,
      ...(env.LOYALTY_CHANNELS !== undefined && { channels: JSON.parse(env.LOYALTY_CHANNELS) }),
      ...(env.LOYALTY_WEBHOOK_SECRET !== undefined && { webhookSecret: env.LOYALTY_WEBHOOK_SECRET }),
      ...(env.LOYALTY_SWEEP_MS !== undefined && { sweepEveryMs: Number(env.LOYALTY_SWEEP_MS) }),
    }),
  ],
};

/** Keeps what Vendure would mail to new customers. */
export function keepMails(eventBus) {
  eventBus.ofType(AccountRegistrationEvent).subscribe(({ user }) => {
    const { verificationToken } = user.getNativeAuthenticationMethod();
    if (verificationToken) mailbox.push({ to: user.identifier, verificationToken });
  });
}
