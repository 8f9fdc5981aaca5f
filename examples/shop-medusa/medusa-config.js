const { defineConfig } = require('@medusajs/framework/utils');

/** Storefronts on this machine, at any port. */
const LOOPBACK = String.raw`/^http:\/\/127\.0\.0\.1:\d+$/`;
const { DATABASE_URL, JWT_SECRET, COOKIE_SECRET, ADMIN, CORS = LOOPBACK } = process.env;
const { LOYALTY_URL, LOYALTY_COMMERCE_ID, LOYALTY_API_KEY, LOYALTY_WEBHOOK_SECRET } = process.env;

module.exports = defineConfig({
  projectConfig: {
    databaseUrl: DATABASE_URL,
    databaseDriverOptions: { connection: { ssl: false } },
    // This shop is on this machine, without https. Leave it out on a server.
    cookieOptions: { secure: false, sameSite: 'lax' },
    http: {
      storeCors: CORS,
      adminCors: CORS,
      authCors: CORS,
      jwtSecret: JWT_SECRET,
      cookieSecret: COOKIE_SECRET,
    },
  },
  admin: { disable: ADMIN !== 'on' },
  plugins: [
    {
      resolve: '@loyalty/medusa',
      options: {
        url: LOYALTY_URL,
        commerceId: Number(LOYALTY_COMMERCE_ID),
        apiKey: LOYALTY_API_KEY,
        webhookSecret: LOYALTY_WEBHOOK_SECRET,
      },
    },
  ],
});
