/** Checks of the Dockerfile and the compose files that need no container engine. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { configSchema } from '../../src/platform/settings/config-variables.ts';
import { read, ROOT } from '#test/repository.ts';

const steps = read('Dockerfile')
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll(/\\\n\s*/g, '')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => ({ word: line.split(' ')[0]!, rest: line.slice(line.indexOf(' ') + 1) }));

const of = (word: string) => steps.filter((step) => step.word === word).map(({ rest }) => rest);

test('the image starts without a shell, as a user without rights, and checks itself', () => {
  const lastFrom = steps.findLastIndex(({ word }) => word === 'FROM');
  const image = steps.slice(lastFrom);
  assert.deepEqual(of('USER'), ['65532:65532']);
  // Node looks for compiled code in a folder that it names by the user.
  assert.ok(of('RUN').includes('npm run assemble -- /app --run-by 65532'));
  assert.ok(!image.some(({ word }) => word === 'RUN'), 'the image has no shell to run it in');
  const [entry] = of('ENTRYPOINT').map((text) => JSON.parse(text) as string[]);
  const [check] = of('HEALTHCHECK').map((text) => JSON.parse(/CMD (\[.*)/.exec(text)![1]!) as string[]);
  assert.deepEqual(check, [...entry!, 'healthcheck']);
  assert.deepEqual(JSON.parse(of('CMD')[0]!), ['serve']);
});

test('everything that the image copies or runs is in the checkout, and .dockerignore lets it through', () => {
  const sources = of('COPY')
    .filter((rest) => !rest.startsWith('--from'))
    .flatMap((rest) => rest.split(' ').slice(0, -1))
    .filter((path) => path !== '.');
  assert.ok(sources.length > 6);
  const { scripts } = JSON.parse(read('package.json')) as {
    scripts: Record<string, string>;
  };
  const programs = of('RUN')
    .flatMap((rest) => /^npm run (\w+)/.exec(rest)?.[1] ?? [])
    .flatMap((name) => [...scripts[name]!.matchAll(/node (\S+\.ts)/g)].map(([, path]) => path!));
  assert.ok(programs.length > 3);
  const allowed = read('.dockerignore').split('\n');
  const patterns = allowed.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
  for (const path of [...sources, ...programs]) {
    assert.ok(existsSync(join(ROOT, path)), path);
    const isAllowed = patterns.some(
      (pattern) => path.startsWith(`${pattern}/`) || matchesGlob(path, pattern),
    );
    assert.ok(isAllowed, `${path} is kept out by .dockerignore`);
  }
  assert.equal(
    allowed.find((line) => line !== '' && !line.startsWith('#')),
    '*',
  );
  assert.ok(allowed.includes('**/.env*'));
});

test('the image and both compose files set only variables that exist, and no secret stands in compose.yaml', () => {
  const image = of('ENV').flatMap((rest) => [...rest.matchAll(/(\w+)=/g)].map(([, name]) => name!));
  const production = environmentOf('compose.yaml');
  for (const name of [
    ...image,
    ...Object.keys(production),
    ...Object.keys(environmentOf('compose.try.yaml')),
  ])
    assert.ok(name === 'ENV_FILE' || name.replace(/_FILE$/, '') in configSchema.properties, name);
  for (const name of ['DATABASE_URL', 'SECRET_KEY', 'SMTP_URL'])
    assert.ok(`${name}_FILE` in production, name);
  for (const name of ['PUBLIC_URL', 'MAIL_FROM'])
    assert.ok(production[name]!.startsWith(`\${${name}:?`), name);
});

test('every variable in .env reaches the service, and the service is no superuser of its database', () => {
  const { services } = parse(read('compose.yaml')) as Compose;
  const { database, loyalty } = services;
  assert.deepEqual(loyalty!.env_file, [{ path: '.env', required: false }]);
  // `environment` wins over the file, so it holds what must be so in this container, and what is asked for.
  const fixed = Object.entries<string | number>(loyalty!.environment).filter(
    ([, value]) => !String(value).startsWith('${'),
  );
  assert.deepEqual(
    fixed.map(([name]) => name),
    [
      'NODE_ENV',
      'HOST',
      'PORT',
      'DATA_DIR',
      'DATABASE_URL_FILE',
      'SECRET_KEY_FILE',
      'SMTP_URL_FILE',
      'METRICS_PORT',
    ],
  );
  assert.ok(!('POSTGRES_USER' in database!.environment), 'the role that the image makes is a superuser');
  const script = database!.volumes!.find((volume) => volume.includes('initdb.d'))!.split(':')[0]!;
  assert.match(read(script), /^create role loyalty login password :'password';$/m);
});

test('compose waits for PostgreSQL 18, keeps its data in a volume and gives both time to stop', () => {
  const { services, volumes, secrets } = parse(read('compose.yaml')) as Compose;
  const { database, loyalty } = services;
  assert.equal(database!.image, 'postgres:18');
  assert.equal(database!.volumes![0], 'database:/var/lib/postgresql');
  assert.ok('database' in volumes);
  assert.deepEqual(loyalty!.depends_on, { database: { condition: 'service_healthy' } });
  assert.equal(loyalty!.read_only, true);
  assert.deepEqual(loyalty!.cap_drop, ['ALL']);
  const used = [...database!.secrets!, ...loyalty!.secrets!].toSorted();
  assert.deepEqual(used, Object.keys(secrets).toSorted());
  assert.ok(Number.parseInt(loyalty!.stop_grace_period!, 10) > 5 + 22);
  for (const port of loyalty!.ports!) assert.ok(port.startsWith('127.0.0.1:'), port);
});

interface Service {
  readonly image: string;
  readonly environment: Record<string, string>;
  readonly env_file?: object[];
  readonly depends_on?: object;
  readonly volumes?: string[];
  readonly secrets?: string[];
  readonly ports?: string[];
  readonly cap_drop?: string[];
  readonly read_only?: boolean;
  readonly stop_grace_period?: string;
}

interface Compose {
  readonly services: Record<string, Service>;
  readonly volumes: object;
  readonly secrets: object;
}

function environmentOf(path: string): Record<string, string> {
  return (parse(read(path)) as Compose).services['loyalty']!.environment;
}
