import type { Config } from '#settings/config.ts';
import type { AddressRules } from '#webhooks/webhook-address.ts';

/** Returns where webhooks may be sent to: not to the service itself. */
export function webhookRulesOf({ webhooks, publicUrl, consoleUrl }: Config): AddressRules {
  const own = [publicUrl, consoleUrl].filter((url) => url !== null);
  return { ...webhooks, ownHosts: own.map((url) => new URL(url).hostname) };
}
