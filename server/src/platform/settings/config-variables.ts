import { type Static, Type } from 'typebox';

/** The fewest characters of `SECRET_KEY`. */
export const SHORTEST_KEY = 32;

const onOff = { enum: ['on', 'off'], expects: '`on` or `off`' };
const postgresUrl = {
  pattern: '^postgres(ql)?://',
  expects: 'an address that starts with postgres://',
  secret: true,
};

const pem = (kind: string) => ({
  pattern: `-----BEGIN ${kind}-----`,
  expects: 'a certificate in PEM format',
  secret: true,
});

/**
 * Every variable with its default. `description` is its line in the docs. `expects` completes the sentence "NAME must
 * be …". The values of `secret` variables are never printed.
 */
export const configSchema = Type.Object({
  NODE_ENV: Type.String({
    default: 'development',
    enum: ['development', 'production', 'test'],
    expects: '`development`, `production` or `test`',
    description:
      'With `production`, the program starts only if the variables that a real service needs are set. A staging service is `production` too.',
  }),
  PORT: Type.Integer({
    minimum: 0,
    maximum: 65_535,
    default: 3000,
    expects: 'a port number from 0 to 65535',
    description: 'Port of the HTTP server. 0 picks a free port.',
  }),
  HOST: Type.String({
    default: '127.0.0.1',
    // A name has a letter, because `0` and `2130706433` are addresses too, and not the ones they seem to be.
    pattern: '^([0-9.]+|[0-9a-fA-F:.]*:[0-9a-fA-F:.]*(%[A-Za-z0-9]+)?|(?=.*[A-Za-z])[A-Za-z0-9._-]+)$',
    expects: 'an IP address or a host name',
    description:
      'Address that the HTTP server listens on. `0.0.0.0` means all addresses. If it is not a loopback address, the service starts only with the settings that production requires.',
  }),
  INSECURE_HOST: Type.String({
    ...onOff,
    default: 'off',
    description:
      'Set to `on` to try the service out on a HOST that is not a loopback address, as in a container, without the settings that production requires. Anyone who can reach HOST can then use it, unencrypted.',
  }),
  PUBLIC_URL: Type.Optional(
    Type.String({
      pattern: '^https?://[^/?#@\\s]+(/[^?#@\\s]*)?$',
      expects: 'an address that starts with http:// or https://',
      description:
        'Public address of the service, for links in mails and to pictures. Required in production.',
    }),
  ),
  CONSOLE_URL: Type.Optional(
    Type.String({
      pattern: '^https?://[^/?#@\\s]+/?$',
      expects: 'an address that starts with http:// or https:// and has no path',
      description:
        'Address of a host of its own for the console, where the staff works. It must lead to this service too, with its name in `Host`. Without it the console is at PUBLIC_URL, and a script that gets into a page there could act as the staff.',
    }),
  ),
  DATA_DIR: Type.String({
    default: './data',
    expects: 'a folder',
    description:
      'Folder for the embedded database and generated secrets. A relative path starts at the checkout.',
  }),
  POSTGRES_BIN: Type.Optional(
    Type.String({
      expects: 'a folder',
      description:
        'Folder with the programs `initdb` and `postgres` for the embedded database, instead of those that npm installs. A database stays with the major version that created it.',
    }),
  ),
  DATABASE_URL: Type.Optional(
    Type.String({
      ...postgresUrl,
      description:
        'PostgreSQL database to use. If not set, the service starts its own PostgreSQL. Required in production.',
    }),
  ),
  DATABASE_DIRECT_URL: Type.Optional(
    Type.String({
      ...postgresUrl,
      description:
        'Direct address of the same database if DATABASE_URL is a pooler. Used for migrations, jobs and commands, and to store the time limits that a pooler does not pass on. Defaults to DATABASE_URL.',
    }),
  ),
  DATABASE_OWNER_URL: Type.Optional(
    Type.String({
      ...postgresUrl,
      description:
        'Address of the same database by the role that owns the tables, if that of DATABASE_URL has rights on the data only. Used by `loyalty migrate`, `restore`, `partition` and `distribute`, which grant those rights, and by a start with PROCESSES above 1, which keeps it from the processes that serve. A single process never uses it: keep it out of its environment. [How to set up two roles](operations.md#two-roles).',
    }),
  ),
  DATABASE_POOL_SIZE: Type.Integer({
    minimum: 1,
    maximum: 1000,
    default: 10,
    expects: 'a whole number from 1 to 1000',
    description: 'Maximum number of database connections of one process. Its jobs have up to six more.',
  }),
  PROCESSES: Type.String({
    default: '1',
    pattern: '^(auto|[1-9]|[1-5][0-9]|6[0-4])$',
    expects: '`auto` or a whole number from 1 to 64',
    description:
      'How many processes serve on PORT. `auto` means one for each processor that the machine or the container really has, as far as its memory goes. [Several processes](operations.md#several-processes).',
  }),
  PREPARED_STATEMENTS: Type.String({
    ...onOff,
    default: 'on',
    description: 'Set to `off` for a pooler that does not support prepared statements.',
  }),
  CLUSTER: Type.String({
    default: 'off',
    enum: ['off', 'citus'],
    expects: '`off` or `citus`',
    description:
      'Set to `citus` if DATABASE_URL is the coordinator of a Citus cluster. [Past one machine](scaling.md).',
  }),
  SECRET_KEY: Type.Optional(
    Type.String({
      minLength: SHORTEST_KEY,
      expects: `at least ${SHORTEST_KEY} characters`,
      secret: true,
      description:
        'Key that signs tokens and cursors. If not set, one is generated and kept in DATA_DIR. Required in production, where it must be random.',
    }),
  ),
  SECRET_KEY_ALSO: Type.Optional(
    Type.String({
      pattern: `^\\S{${SHORTEST_KEY},}(\\s+\\S{${SHORTEST_KEY},})*$`,
      expects: `one or more keys of at least ${SHORTEST_KEY} characters, separated by spaces or line breaks`,
      secret: true,
      description:
        'Other keys whose tokens, codes, links and cursors are accepted while SECRET_KEY is being replaced. [How to replace it](keys.md#secret_key).',
    }),
  ),
  SEAL_KEY: Type.Optional(
    Type.String({
      minLength: SHORTEST_KEY,
      expects: `at least ${SHORTEST_KEY} characters`,
      secret: true,
      description:
        'Secret of the key that signs the heads of the sealed history. If not set, it is derived from SECRET_KEY. `docs/seals.md` explains it.',
    }),
  ),
  SEAL_PUBLISH: Type.String({
    default: '',
    expects: 'folders or mailto: addresses, separated by commas',
    description:
      'Where the heads of the sealed history are sent, so that a copy is out of reach of whoever runs the service: folders, or addresses such as `mailto:auditor@example.com`. `docs/seals.md` explains it.',
  }),
  SEAL_PUBLISH_HOURS: Type.Integer({
    minimum: 1,
    maximum: 8760,
    default: 24,
    expects: 'a whole number from 1 to 8760',
    description: 'How many hours lie between two heads of a commerce that are sent to SEAL_PUBLISH.',
  }),
  SMTP_URL: Type.Optional(
    Type.String({
      pattern: '^smtps?://',
      expects: 'an address that starts with smtp:// or smtps://',
      secret: true,
      description:
        'Mail server. If not set, mails are shown at `/dev/mail` to this machine only; with DATABASE_URL, TRUST_PROXY or a PUBLIC_URL elsewhere, they wait in the database instead. Required in production.',
    }),
  ),
  DEMO: Type.Optional(
    Type.String({
      enum: ['on', 'off', 'en', 'es'],
      expects: '`on`, `off`, `en` or `es`',
      description:
        'Whether to create the demo commerce in a database without any commerce and to print its API key. `en` and `es` also say the language of its own texts; with `on` they are Spanish if `LC_ALL`, `LC_MESSAGES` or `LANG` is, and English otherwise. By default `on` with the embedded database and `off` with DATABASE_URL. With `off`, a start without any commerce prints a link to set one up. Not possible in production.',
    }),
  ),
  SESSION_SCOPE: Type.String({
    default: 'installation',
    enum: ['installation', 'commerce'],
    expects: '`installation` or `commerce`',
    description:
      'Where a member’s tokens are good: at every commerce of the installation, or only at the one they were issued for. All processes must agree. Switching to `commerce` signs all members out.',
  }),
  PORTAL_OFFLINE: Type.String({
    ...onOff,
    default: 'on',
    description:
      'Whether the members’ pages also open without a network, by a service worker. Set to `off` to remove the service workers from all phones, each at its next visit.',
  }),
  MAIL_FROM: Type.String({
    default: 'loyalty@localhost',
    pattern: '^[^\\s@<>",;]+@[^\\s@<>",;]+$',
    expects: 'an e-mail address without a name',
    description: 'Address that mails are sent from. The name next to it is the commerce’s.',
  }),
  MAIL_HOOK_SECRET: Type.Optional(
    Type.String({
      minLength: 24,
      pattern: '^[!-~]+$',
      expects: 'at least 24 characters without spaces',
      secret: true,
      description:
        'Password by which mail providers report bounces and complaints at `/hooks/mail/…`. Without it, and without the next two, there are no such addresses. `docs/messages.md` explains them.',
    }),
  ),
  MAIL_HOOK_SENDGRID_KEY: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9+/=]{80,400}$',
      expects: 'the verification key that SendGrid shows',
      description: 'Verification key of SendGrid’s signed events, which then need no password.',
    }),
  ),
  MAIL_HOOK_MAILGUN_KEY: Type.Optional(
    Type.String({
      minLength: 16,
      pattern: '^[!-~]+$',
      expects: 'the HTTP webhook signing key of Mailgun',
      secret: true,
      description: 'Signing key of Mailgun’s webhooks, which then need no password.',
    }),
  ),
  RATE_LIMITS: Type.String({
    ...onOff,
    default: 'on',
    description:
      '`off` lifts the limits per API key, member and client network, also those of connections. The limits per e-mail address always apply.',
  }),
  RATE_LIMIT_KEY: Type.Integer({
    minimum: 0,
    maximum: 1_000_000,
    default: 1000,
    expects: 'a whole number from 0 to 1000000',
    description: 'Requests per second for one API key, with bursts of twice as many. 0 means no limit.',
  }),
  RATE_LIMIT_USER: Type.Integer({
    minimum: 0,
    maximum: 1_000_000,
    default: 10,
    expects: 'a whole number from 0 to 1000000',
    description: 'Requests per second for one member. 0 means no limit.',
  }),
  RATE_LIMIT_NETWORK: Type.Integer({
    minimum: 0,
    maximum: 1_000_000,
    default: 20,
    expects: 'a whole number from 0 to 1000000',
    description: 'Requests per second for one client network on public endpoints. 0 means no limit.',
  }),
  INVITATIONS_PER_DAY: Type.Integer({
    minimum: 0,
    maximum: 1_000_000_000,
    default: 10_000,
    expects: 'a whole number from 0 to 1000000000',
    description:
      'Invitations that one commerce may send on a day (UTC) to strangers who earn points. 0 means no limit.',
  }),
  UNDOS_PER_DAY: Type.Integer({
    minimum: 0,
    maximum: 1_000_000_000,
    default: 100,
    expects: 'a whole number from 0 to 1000000000',
    description:
      'Uses of codes that one API key may undo on a day (UTC), so that a leaked key gives little back. 0 means no limit.',
  }),
  WEBHOOK_PORTS: Type.String({
    default: '443,8443',
    expects: 'port numbers, separated by commas',
    description:
      'Ports that webhooks may be sent to. Every address is on the internet and begins with https://.',
  }),
  WEBHOOK_LOOPBACK: Type.String({
    ...onOff,
    default: 'off',
    description:
      'Set to `on` to try webhooks out with a receiver on this machine, without TLS and at any port. Not possible in production.',
  }),
  UNCLAIMED_MONTHS: Type.Integer({
    minimum: 0,
    maximum: 1200,
    default: 24,
    expects: 'a whole number from 0 to 1200',
    description:
      'Months after which an address that points wait for is erased, if nobody has claimed them and it has bought nothing since. 0 means never.',
  }),
  ORDER_LINES_MONTHS: Type.Integer({
    minimum: 0,
    maximum: 1200,
    default: 24,
    expects: 'a whole number from 0 to 1200',
    description:
      'Months for which the lines of purchases are kept, and those of orders after the last state that named them. 0 means for ever.',
  }),
  CONNECTION_LIMIT: Type.Integer({
    minimum: 0,
    maximum: 1_000_000,
    default: 10_000,
    expects: 'a whole number from 0 to 1000000',
    description:
      'Open HTTP connections on PORT, of all its processes together. If all are taken, idle ones are closed for new ones. 0 means no limit.',
  }),
  CONNECTION_LIMIT_NETWORK: Type.Integer({
    minimum: 0,
    maximum: 1_000_000,
    default: 1000,
    expects: 'a whole number from 0 to 1000000',
    description:
      'The same for one client network. Does not apply to the proxies in TRUST_PROXY. 0 means no limit.',
  }),
  DRAIN_SECONDS: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 3600,
      expects: 'a whole number from 0 to 3600',
      description:
        'How long a stopping service goes on serving while `/readyz` announces its end. Default: 0, in production 5.',
    }),
  ),
  TRUST_PROXY: Type.String({
    default: '',
    expects: 'addresses or CIDR blocks, separated by commas',
    description: 'Reverse proxies whose X-Forwarded-For header is trusted.',
  }),
  METRICS_PORT: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 65_535,
      expects: 'a port number from 0 to 65535',
      description: 'Port of the metrics, other than PORT. If not set, no metrics are served.',
    }),
  ),
  SLOW_STATEMENT_MS: Type.Integer({
    minimum: 0,
    maximum: 60_000,
    default: 1000,
    expects: 'a whole number from 0 to 60000',
    description:
      'Statements of the database that take longer than this, in milliseconds, are logged by name, without their values. 0 logs none.',
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: Type.Optional(
    Type.String({
      pattern: '^https?://[^?#\\s]+$',
      expects: 'an address that starts with http:// or https://',
      description:
        'Address of an OpenTelemetry collector that takes OTLP over HTTP, such as `http://127.0.0.1:4318`. Traces are sent to `/v1/traces` below it. If not set, nothing is traced.',
    }),
  ),
  OTEL_EXPORTER_OTLP_HEADERS: Type.Optional(
    Type.String({
      pattern: '^[^=,\\s]+=[^,]*(,[^=,\\s]+=[^,]*)*$',
      expects: 'headers as `name=value`, separated by commas',
      secret: true,
      description: 'Headers that are sent with the traces, such as a key of the collector.',
    }),
  ),
  OTEL_SERVICE_NAME: Type.String({
    default: 'loyalty',
    maxLength: 100,
    expects: 'a name of at most 100 characters',
    description: 'Name of this service in the traces.',
  }),
  OTEL_TRACES_SAMPLER_ARG: Type.Number({
    minimum: 0,
    maximum: 1,
    default: 1,
    expects: 'a number from 0 to 1',
    description:
      'Share of the calls that are traced. A call that comes with a `traceparent` header is traced if its caller traces it.',
  }),
  APPLE_PASS_TYPE_ID: Type.Optional(
    Type.String({
      pattern: '^pass\\.[A-Za-z0-9.-]{1,200}$',
      expects: 'a pass type identifier that starts with `pass.`',
      description:
        'Pass type identifier of the passes for Apple Wallet. The five APPLE_ variables are set together. `docs/wallet-passes.md` explains them.',
    }),
  ),
  APPLE_TEAM_ID: Type.Optional(
    Type.String({
      pattern: '^[A-Z0-9]{10}$',
      expects: 'a team identifier of 10 capital letters and digits',
      description: 'Team identifier of the Apple developer account.',
    }),
  ),
  APPLE_PASS_CERTIFICATE: Type.Optional(
    Type.String({
      ...pem('CERTIFICATE'),
      description: 'Certificate of the pass type, as PEM.',
    }),
  ),
  APPLE_PASS_KEY: Type.Optional(
    Type.String({
      ...pem('[A-Z ]*PRIVATE KEY'),
      expects: 'a private key in PEM format',
      description: 'Private key of APPLE_PASS_CERTIFICATE, as PEM without a passphrase.',
    }),
  ),
  APPLE_WWDR_CERTIFICATE: Type.Optional(
    Type.String({
      ...pem('CERTIFICATE'),
      description: 'Intermediate certificate of Apple that has signed APPLE_PASS_CERTIFICATE, as PEM.',
    }),
  ),
  GOOGLE_WALLET_ISSUER_ID: Type.Optional(
    Type.String({
      pattern: '^[0-9]{1,30}$',
      expects: 'an issuer ID of digits',
      description:
        'Issuer ID of the passes for Google Wallet. Set together with GOOGLE_WALLET_KEY. `docs/wallet-passes.md` explains them.',
    }),
  ),
  GOOGLE_WALLET_KEY: Type.Optional(
    Type.String({
      pattern: '^\\s*\\{',
      expects: 'the JSON key file of a service account',
      secret: true,
      description:
        'Key of the service account that signs and updates them, as the JSON file that Google Cloud downloads.',
    }),
  ),
  BACKUP_TO: Type.Optional(
    Type.String({
      expects: 'a folder or an address like s3://bucket/prefix',
      description:
        'Where `loyalty backup` puts backups and `loyalty restore` finds them. A relative path starts at the working directory. `docs/backup.md` explains this and the next two.',
    }),
  ),
  BACKUP_RECIPIENTS: Type.String({
    default: '',
    expects: 'public keys that start with `age1`, separated by commas',
    description: 'Public keys that backups are encrypted for. Each of their secret keys opens a backup.',
  }),
  BACKUP_IDENTITY: Type.Optional(
    Type.String({
      pattern: 'AGE-SECRET-KEY-',
      expects: 'a secret key that starts with AGE-SECRET-KEY-',
      secret: true,
      description:
        'Secret key that opens encrypted backups. Only `loyalty restore` needs it: keep it elsewhere.',
    }),
  ),
  LOG_LEVEL: Type.String({
    default: 'info',
    enum: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    expects: 'one of fatal, error, warn, info, debug, trace, silent',
    description: 'Lowest severity that is logged.',
  }),
  ACCESS_LOG: Type.String({
    ...onOff,
    default: 'on',
    description:
      'Whether each call is a line of the log at level `info`: its method, the pattern of its route, its status and its time. Never its address, its body or its caller.',
  }),
  LOG_FORMAT: Type.String({
    default: 'auto',
    enum: ['auto', 'json', 'pretty'],
    expects: '`auto`, `json` or `pretty`',
    description:
      '`pretty` writes the log for people, `json` for machines. `auto` is `pretty` on a terminal and `json` elsewhere.',
  }),
});

export type ConfigName = keyof Static<typeof configSchema>;
