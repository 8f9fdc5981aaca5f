/** The configuration for people: `.env.example` and a page, both made from the schema that the program checks by. */
import { configSchema, type ConfigName } from '../src/config.ts';

interface Variable {
  readonly name: string;
  readonly description: string;
  /** Null where the variable has none. */
  readonly fallback: string | null;
  readonly expects: string;
}

/** The variables as a file that a shell or a container reads: every one commented out, at its default. */
export function envExample(): string {
  const blocks = variables().map(
    ({ name, description, fallback }) => `# ${plain(description)}\n# ${name}=${fallback ?? ''}`,
  );
  return `${ENV_HEAD}\n${blocks.join('\n\n')}\n`;
}

/** The page with the table of all variables. */
export function configurationPage(): string {
  const rows = variables().map(
    ({ name, description, fallback, expects }) =>
      `| \`${name}\` | ${fallback === null || fallback === '' ? '' : `\`${fallback}\``} | ${expects} | ${description} |`,
  );
  return `${PAGE_HEAD}\n| variable | default | takes | what it does |\n|---|---|---|---|\n${rows.join('\n')}\n${PAGE_FOOT}`;
}

const ENV_HEAD = `# Made by \`npm run docs\` from server/src/config.ts; change it there.
# The program reads its environment, not this file. Copy it to .env, take the # off what you set, and load it:
#   set -a; . ./.env; set +a; npm start
`;

const PAGE_HEAD = `<!-- Made by \`npm run docs\` from server/src/config.ts; change it there. -->

# Configuration

Everything is set by environment variables, read once at the start and checked as a whole: what is wrong is told in
one sentence a variable, and nothing starts. An empty variable counts as absent. [.env.example](../.env.example) has
all of them to copy.

Each variable can also come from a file, the way container secrets do: \`SECRET_KEY_FILE=/run/secrets/key\` is read as
\`SECRET_KEY\`. Setting both is an error. Relative paths start at the checkout, wherever the program is started from.
`;

const PAGE_FOOT = `
## In production

\`NODE_ENV=production\` starts only where \`DATABASE_URL\`, \`SECRET_KEY\`, \`PUBLIC_URL\` and \`SMTP_URL\` are set; each one
that is missing is named with its reason. No demo commerce is made then.
`;

function variables(): Variable[] {
  return (Object.keys(configSchema.properties) as ConfigName[]).map((name) => {
    const field: object = configSchema.properties[name];
    const {
      description,
      expects,
      default: fallback,
    } = field as {
      description: string;
      expects: string;
      default?: string | number;
    };
    return { name, description, expects, fallback: fallback === undefined ? null : String(fallback) };
  });
}

/** Without the marks of a page. */
function plain(text: string): string {
  return text.replaceAll('`', '');
}
