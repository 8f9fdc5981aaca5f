/* Finds operations by what they are about: their paths, texts, parameters, fields and codes, and words that people use for
   them instead of ours. */

/** Other names by which people look for an operation. */
const OTHER_WORDS = {
  reverseConsumption: 'refund cancel undo return void money back chargeback storno delete purchase',
  recordConsumptionByClientCode:
    'sale sell order purchase buy earn points receipt transaction till pos create',
  recordConsumptionByEmail:
    'sale sell order purchase buy earn points online shop checkout transaction create',
  previewConsumption: 'estimate simulate calculate dry run how many points purchase order',
  listConsumptions: 'orders sales purchases transactions search find order_id history poll webhook changes',
  getConsumption: 'order sale purchase transaction',
  exportMembers: 'csv jsonl excel download report backup dump customers',
  exportMovements:
    'csv jsonl excel download report backup dump ledger accounting poll webhook changes events',
  listClients: 'customers members users all',
  getClient: 'customer member user balance card scan',
  getClientByEmail: 'customer member user balance find search',
  listClientBenefits: 'customer coupons vouchers codes wallet',
  listPastBenefitsOfClient: 'customer coupons vouchers codes used expired',
  listBenefits: 'catalog catalogue rewards gifts',
  getBenefit: 'catalog catalogue reward gift',
  previewRedemptionCode: 'coupon voucher code check validate verify discount promo look up',
  previewRedemptionCodeV2: 'coupon voucher code check validate verify discount promo look up checkout',
  redeemBenefit: 'coupon voucher code use burn consume discount promo checkout',
  exchangeBenefit: 'coupon voucher code buy purchase spend points reward trade claim',
  listMyBenefits: 'coupons vouchers codes wallet',
  listMyPastBenefits: 'coupons vouchers codes used expired',
  requestOneTimeCode: 'login log in sign in signin register sign up otp email mail password',
  verifyOneTimeCode: 'login log in sign in signin register sign up otp token jwt password',
  verifySignInLink: 'login log in sign in signin magic link otp token',
  refreshSession: 'login token jwt renew session',
  logOut: 'logout log out sign out signout revoke session',
  getMyAccount: 'balance points profile me',
  editMyAccount: 'change update profile name phone birthday',
  getMyCard: 'qr barcode card number',
  getMyLevel: 'tier status rank vip',
  listAutomaticRewards: 'birthday welcome gifts',
  getProgram: 'rules tiers earning settings',
  getCommerce: 'shop store brand logo',
  joinProgram: 'join enrol enroll register subscribe sign up',
  leaveProgram: 'leave quit unsubscribe cancel membership delete account',
  listMyExpirations: 'expire expiry due points',
};

globalThis.operationSearch = { indexOperations, matches };

/** Returns the text in which each operation of an OpenAPI document is found, by `operationId`. */
function indexOperations(spec) {
  const texts = new Map();
  for (const [path, operations] of Object.entries(spec.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const words = [method, path, OTHER_WORDS[operation.operationId] ?? ''];
      collect(operation, words, new Set());
      texts.set(operation.operationId, words.join(' ').toLowerCase());
    }
  }
  return texts;

  /** Adds every name and text below a node, and what it refers to, once. */
  function collect(node, words, seen) {
    if (typeof node !== 'object' || node === null) return;
    if (Array.isArray(node)) {
      for (const item of node) collect(item, words, seen);
      return;
    }
    for (const [key, value] of Object.entries(node)) {
      if (key === '$ref') {
        // The headers of refusals say the same everywhere.
        if (seen.has(value) || value.startsWith('#/components/headers/')) continue;
        seen.add(value);
        const target = value
          .slice(2)
          .split('/')
          .reduce((at, step) => at?.[step], spec);
        collect(target, words, seen);
      } else if (key === 'properties' || key === 'headers') {
        for (const [name, about] of Object.entries(value)) {
          if (!about.$ref?.startsWith('#/components/headers/')) words.push(name);
          collect(about, words, seen);
        }
      } else if (
        ['name', 'description', 'summary', 'operationId'].includes(key) &&
        typeof value === 'string'
      ) {
        words.push(value);
      } else if (key === 'tags') words.push(...value);
      else collect(value, words, seen);
    }
  }
}

/** True if every word of the phrase begins a word of the text, or a part of a name such as `external_id`. */
function matches(text, phrase) {
  return phrase
    .toLowerCase()
    .split(/\s+/)
    .filter(Boolean)
    .every((word) => new RegExp(`(^|[^a-z0-9])${word.replaceAll(/[^\w]/g, String.raw`\$&`)}`).test(text));
}
