import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** A key to sign calls with. A role's key ends after some hours. */
export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
  /** Null for a key that does not end by itself. */
  readonly endsAt: Date | null;
}

/** No key was found where the tools of AWS look for one. */
export class NoAwsCredentials extends Error {
  override readonly name = 'CredentialsError';
  constructor() {
    super(
      'there is no key: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give the machine a role that may use the bucket',
    );
  }
}

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Returns a function that returns a key which is valid for the next minutes: from the environment, the token of a Kubernetes account
 * (`AWS_WEB_IDENTITY_TOKEN_FILE`), the container's agent, `~/.aws/credentials`, or the machine's role, the first that there is.
 * It rejects with NoAwsCredentials, or with what the source said.
 */
export function keepCredentials(env: Env = process.env): () => Promise<AwsCredentials> {
  let kept: Promise<AwsCredentials> | undefined;
  return async () => {
    const known = await kept;
    if (
      known !== undefined &&
      (known.endsAt === null || known.endsAt.getTime() - Date.now() > RENEWED_BEFORE_MS)
    )
      return known;
    kept = findCredentials(env);
    kept.catch(() => (kept = undefined));
    return kept;
  };
}

const RENEWED_BEFORE_MS = 5 * 60_000;
/** A role is asked for on the machine itself; elsewhere nobody answers at that address. */
const NEAR_MS = 2_000;
const FAR_MS = 20_000;

async function findCredentials(env: Env): Promise<AwsCredentials> {
  for (const source of [fromEnvironment, fromWebIdentity, fromContainer, fromFile, fromMachine]) {
    const found = await source(env);
    if (found !== null) return found;
  }
  throw new NoAwsCredentials();
}

function fromEnvironment(env: Env): Promise<AwsCredentials | null> {
  return Promise.resolve(
    keyOf(env['AWS_ACCESS_KEY_ID'], env['AWS_SECRET_ACCESS_KEY'], env['AWS_SESSION_TOKEN']),
  );
}

/** Changes the token of the pod's account into a key of its role. */
async function fromWebIdentity(env: Env): Promise<AwsCredentials | null> {
  const { AWS_WEB_IDENTITY_TOKEN_FILE: file, AWS_ROLE_ARN: role } = env;
  if (file === undefined || role === undefined) return null;
  const region = env['AWS_REGION'] ?? env['AWS_DEFAULT_REGION'];
  const address =
    env['AWS_ENDPOINT_URL_STS'] ?? `https://sts.${region === undefined ? '' : `${region}.`}amazonaws.com`;
  const response = await fetch(address, {
    method: 'POST',
    headers: { accept: 'application/json' },
    body: new URLSearchParams({
      Action: 'AssumeRoleWithWebIdentity',
      Version: '2011-06-15',
      RoleArn: role,
      RoleSessionName: env['AWS_ROLE_SESSION_NAME'] ?? 'loyalty-backup',
      WebIdentityToken: (await readFile(file, 'utf8')).trim(),
    }),
    signal: AbortSignal.timeout(FAR_MS),
  });
  if (!response.ok) throw new Error(`the role ${role} was refused with ${response.status}`);
  const answer = (await response.json()) as {
    AssumeRoleWithWebIdentityResponse: { AssumeRoleWithWebIdentityResult: { Credentials: StsKey } };
  };
  const key = answer.AssumeRoleWithWebIdentityResponse.AssumeRoleWithWebIdentityResult.Credentials;
  return keyOf(key.AccessKeyId, key.SecretAccessKey, key.SessionToken, new Date(key.Expiration * 1000));
}

interface StsKey {
  readonly AccessKeyId: string;
  readonly SecretAccessKey: string;
  readonly SessionToken: string;
  /** In seconds. */
  readonly Expiration: number;
}

/** Asks the agent of ECS or of EKS Pod Identity. */
async function fromContainer(env: Env): Promise<AwsCredentials | null> {
  const relative = env['AWS_CONTAINER_CREDENTIALS_RELATIVE_URI'];
  const address =
    relative === undefined
      ? env['AWS_CONTAINER_CREDENTIALS_FULL_URI']
      : new URL(relative, 'http://169.254.170.2').href;
  if (address === undefined) return null;
  const file = env['AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE'];
  const token =
    file === undefined ? env['AWS_CONTAINER_AUTHORIZATION_TOKEN'] : (await readFile(file, 'utf8')).trim();
  const headers = token === undefined ? {} : { authorization: token };
  const response = await fetch(address, { headers, signal: AbortSignal.timeout(NEAR_MS) });
  if (!response.ok) throw new Error(`the container's agent answered ${response.status}`);
  return roleKeyOf((await response.json()) as RoleKey);
}

/** Reads the profile that `AWS_PROFILE` names. */
async function fromFile(env: Env): Promise<AwsCredentials | null> {
  const path = env['AWS_SHARED_CREDENTIALS_FILE'] ?? join(homedir(), '.aws', 'credentials');
  const text = await readFile(path, 'utf8').catch(() => '');
  const wanted = env['AWS_PROFILE'] ?? 'default';
  const values: Record<string, string> = {};
  let profile = '';
  for (const line of text.split(/\r?\n/)) {
    profile = /^\s*\[\s*(.*?)\s*\]/.exec(line)?.[1] ?? profile;
    const [, name, value] = /^\s*([a-z_]+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (profile === wanted && name !== undefined) values[name] = value!;
  }
  return keyOf(values['aws_access_key_id'], values['aws_secret_access_key'], values['aws_session_token']);
}

/** Asks the metadata service of EC2, version 2. */
async function fromMachine(env: Env): Promise<AwsCredentials | null> {
  if (env['AWS_EC2_METADATA_DISABLED'] === 'true') return null;
  const base = env['AWS_EC2_METADATA_SERVICE_ENDPOINT'] ?? 'http://169.254.169.254';
  const ask = async (path: string, init: { method?: string; headers: Record<string, string> }) => {
    const response = await fetch(new URL(path, base), { ...init, signal: AbortSignal.timeout(NEAR_MS) });
    return response.ok ? response.text() : null;
  };
  const token = await ask('/latest/api/token', {
    method: 'PUT',
    headers: { 'x-aws-ec2-metadata-token-ttl-seconds': '300' },
  }).catch(() => null);
  if (token === null) return null;
  const headers = { 'x-aws-ec2-metadata-token': token };
  const roles = '/latest/meta-data/iam/security-credentials/';
  const role = (await ask(roles, { headers }))?.trim().split('\n')[0];
  if (role === undefined || role === '') return null;
  const key = await ask(`${roles}${role}`, { headers });
  return key === null ? null : roleKeyOf(JSON.parse(key) as RoleKey);
}

interface RoleKey {
  readonly AccessKeyId: string;
  readonly SecretAccessKey: string;
  readonly Token: string;
  readonly Expiration: string;
}

function roleKeyOf({ AccessKeyId, SecretAccessKey, Token, Expiration }: RoleKey): AwsCredentials | null {
  return keyOf(AccessKeyId, SecretAccessKey, Token, new Date(Expiration));
}

function keyOf(
  accessKeyId: string | undefined,
  secretAccessKey: string | undefined,
  sessionToken?: string,
  endsAt: Date | null = null,
): AwsCredentials | null {
  if (!accessKeyId || !secretAccessKey) return null;
  return { accessKeyId, secretAccessKey, sessionToken: sessionToken || undefined, endsAt };
}
