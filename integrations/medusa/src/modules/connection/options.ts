/** The options of the plugin, in `medusa-config.ts`. */
export interface PluginOptions extends CommerceOptions {
  /** The address of the loyalty service, such as `https://loyalty.example`. */
  url: string;
  /** The address of the console, for links in the admin; that of the service by default. */
  consoleUrl?: string;
  /**
   * True if every customer account of this shop has proved its e-mail address. Otherwise a customer proves it once with a mailed code, before
   * the account shows any points: whoever registers with somebody else's address must not see theirs.
   */
  customersAreVerified?: boolean;
  /** Other commerces for some sales channels, by the id of the channel. */
  channels?: Record<string, CommerceOptions>;
}

/** How the shop calls one commerce. */
export interface CommerceOptions {
  /** The number of the commerce. */
  commerceId: number;
  /** An API key with the scopes `read`, `purchases`, `redeem`, `orders`, `members` and `sign_in`; `undo` if returned orders give codes back. */
  apiKey: string;
  /** The secret of the webhook that leads to `/hooks/loyalty`, if there is one; both while you change over. */
  webhookSecret?: string | string[];
}

/** @throws Error that says which option is missing */
export function checkOptions(options: Partial<PluginOptions> = {}): PluginOptions {
  const { url, commerceId, apiKey } = options;
  if (!url || !commerceId || !apiKey)
    throw new Error('@loyalty/medusa: set the options url, commerceId and apiKey in medusa-config');
  return { ...options, url, commerceId, apiKey };
}
