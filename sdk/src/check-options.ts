/**
 * Checks the options of a client when it is created, so that a mistake is found at once and not by the first call.
 * @throws TypeError with a sentence that says what to do
 */
export function checkAddress(baseUrl: unknown): string {
  if (typeof baseUrl !== 'string' || baseUrl.trim() === '')
    throw new TypeError(
      'baseUrl is missing: pass the address of the service, such as https://loyalty.example',
    );
  if (!/^https?:\/\//i.test(baseUrl)) {
    const scheme = /^(localhost|127\.|\[::1\])/.test(baseUrl) ? 'http' : 'https';
    throw new TypeError(
      `baseUrl must begin with https:// or http://, but is "${baseUrl}": write "${scheme}://${baseUrl.replace(/^\/+/, '')}"`,
    );
  }
  if (!isAddress(baseUrl) || /[?#]/.test(baseUrl))
    throw new TypeError(
      `baseUrl must be an address without a query, such as https://loyalty.example, but is "${baseUrl}"`,
    );
  return baseUrl.replace(/\/+$/, '');
}

/** `URL.canParse` is missing on phones that are still in use. */
function isAddress(text: string): boolean {
  try {
    return new URL(text).href !== '';
  } catch {
    return false;
  }
}

/** Never quotes the key, because errors end up in logs. */
export function checkApiKey(apiKey: unknown): string {
  if (typeof document !== 'undefined')
    throw new TypeError(
      "an API key belongs on the shop's server: anyone can read what a web page contains. Make this call on your server, and use createMemberClient in the page",
    );
  if (typeof apiKey !== 'string' || apiKey.trim() === '')
    throw new TypeError(
      'apiKey is missing: pass the key that `loyalty key create` printed, for example process.env.LOYALTY_API_KEY, and check that the variable is set',
    );
  if (/^bearer\s/i.test(apiKey)) throw new TypeError('apiKey must be the key alone: leave out "Bearer"');
  if (!/^[\x21-\x7e]+$/.test(apiKey))
    throw new TypeError(
      'apiKey contains a space, a line break or another character that no key has: trim it where you read it',
    );
  return apiKey;
}

export function checkCommerceId(commerceId: unknown): number {
  if (typeof commerceId === 'number' && Number.isSafeInteger(commerceId) && commerceId > 0) return commerceId;
  const given = typeof commerceId === 'string' ? `"${commerceId}"` : String(commerceId);
  throw new TypeError(
    typeof commerceId === 'string' && /^[1-9]\d*$/.test(commerceId)
      ? `commerceId must be a number, but is the string ${given}: pass Number(${given})`
      : `commerceId must be the number of the commerce, but is ${given}: \`loyalty apply\` prints it as commerce_id`,
  );
}
