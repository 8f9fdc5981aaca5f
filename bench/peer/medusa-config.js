const { defineConfig } = require('@medusajs/framework/utils');

// Without Redis: events, locks, workflows and cache stay in the process, which saves round trips.
module.exports = defineConfig({
  projectConfig: {
    databaseUrl: process.env.DATABASE_URL,
    databaseDriverOptions: { connection: { ssl: false } },
    http: {
      storeCors: '*',
      adminCors: '*',
      authCors: '*',
      jwtSecret: process.env.JWT_SECRET,
      cookieSecret: process.env.COOKIE_SECRET,
    },
  },
  admin: { disable: true },
  plugins: [{ resolve: '@medusajs/loyalty-plugin', options: {} }],
});
