/** Calls a Medusa shop from the outside: as its admin, and as its storefront. */

/** A call of the shop's interface that was refused. */
export class ShopRefused extends Error {
  readonly status: number;
  readonly body: unknown;

  constructor(method: string, path: string, status: number, body: unknown) {
    super(`${method} ${path}: ${status} ${JSON.stringify(body)}`);
    this.status = status;
    this.body = body;
  }
}

/** Makes calls with some headers. The caller says what the answer is. */
export interface Caller {
  get<Body>(path: string): Promise<Body>;
  post<Body>(path: string, body?: object): Promise<Body>;
  delete<Body>(path: string, body?: object): Promise<Body>;
}

export function createCaller(base: string, headers: Readonly<Record<string, string>>): Caller {
  const call = async <Body>(method: string, path: string, body?: object): Promise<Body> => {
    const response = await fetch(base + path, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(60_000),
    });
    const text = await response.text();
    const read = text === '' ? null : (JSON.parse(text) as unknown);
    if (!response.ok) throw new ShopRefused(method, path, response.status, read);
    return read as Body;
  };
  return {
    get: (path) => call('GET', path),
    post: (path, body = {}) => call('POST', path, body),
    delete: (path, body) => call('DELETE', path, body),
  };
}

/** Signs somebody in, and returns the token. `actor` is `user` for the admin and `customer` for the storefront. */
export async function signIn(
  base: string,
  actor: 'user' | 'customer',
  person: { email: string; password: string },
): Promise<string> {
  const { token } = await createCaller(base, {}).post<{ token: string }>(`/auth/${actor}/emailpass`, person);
  return token;
}
