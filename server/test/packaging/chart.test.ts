/** The Helm chart, as helm has rendered it into `ci/rendered.yaml`. Where helm is installed, it renders and checks it again. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import { parse, parseAllDocuments } from 'yaml';
import { configSchema } from '../../src/platform/settings/config-variables.ts';
import { hashOfChart, renderChart } from '../../../deploy/render-chart.ts';
import { read, ROOT } from '#test/repository.ts';

const CHART = 'deploy/helm/loyalty';
const text = read(`${CHART}/ci/rendered.yaml`);
const rendered = readObjects(text);
/** Variables that must not stand among the settings. */
const secrets = Object.entries(configSchema.properties)
  .filter(([, variable]) => 'secret' in variable)
  .map(([name]) => name);
const helm = process.env['HELM'] ?? 'helm';

test('the rendered chart is up to date: `npm run chart` writes it', () => {
  assert.equal(/SHA-256 (\w+)/.exec(text)?.[1], hashOfChart());
});

test('`npm run chart` without helm says so in words and leaves the file as it is', () => {
  const { status, stderr } = spawnSync(process.execPath, ['deploy/render-chart.ts'], {
    cwd: ROOT,
    env: { PATH: process.env['PATH'], HELM: '/nowhere/helm' },
    encoding: 'utf8',
  });
  assert.equal(status, 1);
  assert.match(
    stderr,
    /^The chart cannot be rendered: there is no program \/nowhere\/helm .* Install helm .*, or set HELM to its path\.[^\n]*\n$/,
  );
  assert.equal(read(`${CHART}/ci/rendered.yaml`), text);
});

test('the chart has the version of the program', () => {
  const { version } = JSON.parse(read('package.json')) as { version: string };
  const chart = parse(read(`${CHART}/Chart.yaml`)) as { version: string; appVersion: string };
  assert.deepEqual([chart.version, chart.appVersion], [version, version]);
});

test('a pod has all three probes, serves on before it stops, and has the time for it', () => {
  const pod = find('Deployment').spec.template!.spec;
  const [container] = pod.containers;
  assert.equal(container!.startupProbe.httpGet.path, '/healthz');
  assert.equal(container!.livenessProbe.httpGet.path, '/healthz');
  assert.equal(container!.readinessProbe.httpGet.path, '/readyz');
  const { seconds } = container!.lifecycle.preStop.sleep;
  const drain = Number(container!.env.find(({ name }) => name === 'DRAIN_SECONDS')!.value);
  assert.ok(pod.terminationGracePeriodSeconds >= seconds + drain + 22);
});

test('a pod has no rights, no writable files but /tmp, and its secrets as files', () => {
  const pod = find('Deployment').spec.template!.spec;
  const [container] = pod.containers;
  assert.equal(pod.securityContext.runAsNonRoot, true);
  assert.equal(pod.automountServiceAccountToken, false);
  assert.deepEqual(container!.securityContext, {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  });
  const names = container!.env.map(({ name }) => name);
  for (const name of names) assert.ok(name.replace(/_FILE$/, '') in configSchema.properties, name);
  for (const secret of ['DATABASE_URL', 'SECRET_KEY', 'SMTP_URL']) {
    assert.ok(names.includes(`${secret}_FILE`));
    assert.ok(!names.includes(secret));
  }
  assert.equal(new Set(names).size, names.length);
});

test('services, budget, autoscaler and monitor point at the pods of the deployment', () => {
  const { metadata, spec } = find('Deployment');
  const { labels } = spec.template!.metadata;
  const selectors = [
    spec.selector!.matchLabels!,
    find('PodDisruptionBudget').spec.selector!.matchLabels!,
    ...rendered.filter(({ kind }) => kind === 'Service').map((service) => service.spec.selector as Labels),
  ];
  for (const selector of selectors)
    for (const [name, value] of Object.entries(selector)) assert.equal(labels[name], value);
  assert.deepEqual(find('HorizontalPodAutoscaler').spec.scaleTargetRef, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    name: metadata.name,
  });
  assert.equal(spec.replicas, undefined, 'a number of pods beside an autoscaler would undo what it does');
  const { jobLabel, selector } = find('ServiceMonitor').spec;
  const monitored = selector!.matchLabels!;
  const found = rendered.filter(
    ({ kind, metadata: { labels } }) =>
      kind === 'Service' && Object.entries(monitored).every(([name, value]) => labels[name] === value),
  );
  assert.deepEqual(
    found.map((service) => service.metadata.name),
    [`${metadata.name}-metrics`],
  );
  assert.equal(found[0]!.metadata.labels[jobLabel!], 'loyalty', 'the alerts select job="loyalty"');
});

test('values are refused that lack what must be set, or put a secret among the settings', () => {
  const isValid = new Ajv({ strict: false }).compile(
    JSON.parse(read(`${CHART}/values.schema.json`)) as object,
  );
  const defaults = parse(read(`${CHART}/values.yaml`)) as Values;
  const given = parse(read(`${CHART}/ci/values.yaml`)) as Values;
  const good = { ...defaults, ...given, config: { ...defaults.config, ...given.config } };
  assert.ok(isValid(good), JSON.stringify(isValid.errors));
  assert.ok(!isValid(defaults));
  for (const bad of [
    { ...good, secretName: '' },
    ...secrets.map((name) => ({ ...good, config: { ...good.config, [name]: 'something' } })),
    { ...good, config: { ...good.config, PUBLIC_URL: '' } },
    { ...good, config: { ...good.config, MAIL_FROM: '' } },
    // YAML reads `off` as false, and a pod would get "false".
    { ...good, config: { ...good.config, RATE_LIMITS: false } },
    { ...good, replicaCount: 3 },
    { ...good, preStopSeconds: 0 },
  ])
    assert.ok(!isValid(bad), JSON.stringify(bad));
  const always = ['DATABASE_URL', 'SECRET_KEY', 'SMTP_URL'];
  // Pods serve, so they must not have the address of the role that owns the tables.
  const never = ['DATABASE_OWNER_URL'];
  const secretFiles = secrets
    .filter((name) => !always.includes(name) && !never.includes(name))
    .map((name) => name.toLowerCase().replaceAll('_', '-'));
  assert.ok(isValid({ ...good, secretFiles }), 'every other secret can be a file');
  assert.ok(!isValid({ ...good, secretFiles: ['database-owner-url'] }));
});

const hasHelm = spawnSync(helm, ['version', '--short']).status === 0;
test(
  'helm finds no fault in the chart and renders what is committed',
  { skip: !hasHelm && 'helm is not installed' },
  () => {
    const lint = spawnSync(helm, ['lint', '--strict', CHART, '--values', `${CHART}/ci/values.yaml`], {
      encoding: 'utf8',
    });
    assert.equal(lint.status, 0, lint.stdout + lint.stderr);
    const byName = (objects: readonly Rendered[]) =>
      Object.fromEntries(objects.map((object) => [`${object.kind} ${object.metadata.name}`, object]));
    assert.deepEqual(byName(readObjects(renderChart(helm))), byName(rendered));
  },
);

type Labels = Record<string, string>;

interface Values {
  readonly config: Record<string, unknown>;
}

interface Probe {
  readonly httpGet: { readonly path: string };
}

interface Rendered {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels: Labels };
  readonly spec: {
    readonly replicas?: number;
    readonly selector?: { readonly matchLabels?: Labels };
    readonly scaleTargetRef?: object;
    readonly jobLabel?: string;
    readonly template?: {
      readonly metadata: { readonly labels: Labels };
      readonly spec: {
        readonly automountServiceAccountToken: boolean;
        readonly terminationGracePeriodSeconds: number;
        readonly securityContext: { readonly runAsNonRoot: boolean };
        readonly containers: readonly {
          readonly env: readonly { readonly name: string; readonly value: string }[];
          readonly startupProbe: Probe;
          readonly livenessProbe: Probe;
          readonly readinessProbe: Probe;
          readonly lifecycle: { readonly preStop: { readonly sleep: { readonly seconds: number } } };
          readonly securityContext: object;
        }[];
      };
    };
  };
}

function readObjects(yaml: string): Rendered[] {
  return parseAllDocuments(yaml, { version: '1.1' })
    .map((document) => document.toJS() as Rendered | null)
    .filter((object) => object !== null);
}

function find(kind: string): Rendered {
  const found = rendered.filter((object) => object.kind === kind);
  assert.equal(found.length, 1, kind);
  return found[0]!;
}
