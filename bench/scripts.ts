/** What wrk asks for, as Lua: requests by chance, from tables that are written into the script. */
import { AMOUNT, BENEFIT } from './pgbench-scripts.ts';
import { codeOf, type Loaded, type Shop } from './load-members.ts';

/** A member who is signed in. */
export interface SignedIn {
  readonly member: number;
  readonly commerceId: number;
  readonly token: string;
}

export const hello = 'wrk.headers["authorization"] = "Bearer hello"\n';

/** Purchases of members by chance: commerces get theirs by Zipf's law. */
export function purchases(loaded: Loaded): string {
  return `${prelude(loaded)} function request() return purchase(somebody()) end`;
}

/** Purchases of one member. */
export function purchasesOf(loaded: Loaded, member: number): string {
  return `${prelude(loaded)} function request() return purchase(${member}) end`;
}

/** Purchases of one commerce's members by chance. */
export function purchasesAt(loaded: Loaded, { firstMember, members }: Shop): string {
  return `${prelude(loaded)}
    function request() return purchase(math.random(${firstMember}, ${firstMember + members - 1})) end`;
}

/** Clients by chance, looked up by code. */
export function balances(loaded: Loaded): string {
  return `${prelude(loaded)} function request() return balance(somebody()) end`;
}

/** A page of a commerce's clients. */
export function list(shop: Shop, offset: number): string {
  return getWith(`/v1/clients/list?limit=20&offset=${offset}`, { authorization: `Bearer ${shop.key}` });
}

/** A page of a member's history: the first, or from one of the cursors by chance. */
export function activity(who: SignedIn, cursors: readonly string[] = []): string {
  const headers = headersOf(who);
  if (cursors.length === 0) return getWith('/v1/me/activity', headers);
  return `local cursors = {${cursors.map(quoted).join(',')}}
    local headers = ${tableOf(headers)}
    function request()
      return wrk.format('GET', '/v1/me/activity?cursor=' .. cursors[math.random(#cursors)], headers)
    end`;
}

/** Exchanges with keys of their own; one in ten is sent a second time, once it was answered. */
export function exchanges(who: readonly SignedIn[], run: string): string {
  return `${buyers(who, run)}
    function request() return exchange() end`;
}

/**
 * 70 reads, of balances by shops and by members, 25 purchases, 3 exchanges and 2 redemptions in a hundred; vouchers
 * that are redeemed once each come from \`vouchers\`.
 */
export function mix(
  loaded: Loaded,
  who: readonly SignedIn[],
  run: string,
  vouchers: readonly { commerceId: number; code: number }[],
): string {
  const keys = new Map(loaded.shops.map((shop) => [shop.commerceId, shop.key]));
  return `${prelude(loaded)} ${buyers(who, run)}
    local vouchers = {${vouchers.map(({ commerceId, code }) => `{'${keys.get(commerceId)}','${code}'}`).join(',')}}
    local used = 0
    local function redeem()
      used = used + 1
      local voucher = vouchers[used]
      return wrk.format('POST', '/v1/benefits/redeem', json('Bearer ' .. voucher[1]),
        '{"client_benefit_code":' .. voucher[2] .. '}')
    end
    local function me()
      return wrk.format('GET', '/v1/me', buyers[math.random(#buyers)])
    end
    function request()
      local p = math.random(100)
      if p <= 40 then return balance(somebody()) end
      if p <= 70 then return me() end
      if p <= 95 then return purchase(somebody()) end
      if p <= 97 and used < #vouchers then return redeem() end
      return exchange()
    end`;
}

function prelude({ shops, members }: Loaded): string {
  const table = shops.map(({ firstMember, key }) => `{${firstMember},${quoted(`Bearer ${key}`)}}`);
  return `math.randomseed(os.time())
    local shops = {${table.join(',')}}
    function json(authorization)
      return { ['authorization'] = authorization, ['content-type'] = 'application/json' }
    end
    local headers = {}
    for i, shop in ipairs(shops) do headers[i] = json(shop[2]) end
    local function headersOf(member)
      local low, high = 1, #shops
      while low < high do
        local middle = math.ceil((low + high) / 2)
        if shops[middle][1] <= member then low = middle else high = middle - 1 end
      end
      return headers[low]
    end
    local function somebody() return math.random(1, ${members}) end
    local function purchase(member)
      return wrk.format('POST', '/v1/consumptions/client-code', headersOf(member),
        '{"client_code":' .. (${codeOf(0)} + member) .. ',"amount":${AMOUNT}}')
    end
    local function balance(member)
      return wrk.format('GET', '/v1/clients/' .. (${codeOf(0)} + member), headersOf(member))
    end
`;
}

// A repeat is taken from far enough back that its first call is answered: twins are for the tests.
function buyers(who: readonly SignedIn[], run: string): string {
  return `
    local buyers = {${who.map((one) => tableOf(headersOf(one))).join(',\n')}}
    local sent, number = {}, 0
    local function exchange()
      number = number + 1
      local one = sent[number - 250]
      if one == nil or math.random(10) > 1 then
        one = { math.random(#buyers), '${run}-' .. number, math.random(2) == 1 and '${BENEFIT.limited}' or '${BENEFIT.unlimited}' }
      end
      sent[number] = one
      local h = buyers[one[1]]
      h['idempotency-key'] = one[2]
      h['content-type'] = 'application/json'
      local request = wrk.format('POST', '/v1/me/benefits/exchange', h, '{"benefit_id":"' .. one[3] .. '"}')
      h['idempotency-key'] = nil
      h['content-type'] = nil
      return request
    end
`;
}

function headersOf({ token, commerceId }: SignedIn): Record<string, string> {
  return { authorization: `Bearer ${token}`, 'x-commerce-id': String(commerceId) };
}

function getWith(path: string, headers: Record<string, string>): string {
  return `local headers = ${tableOf(headers)}
    function request() return wrk.format('GET', '${path}', headers) end`;
}

function tableOf(values: Record<string, string>): string {
  return `{${Object.entries(values)
    .map(([name, value]) => `['${name}']=${quoted(value)}`)
    .join(',')}}`;
}

function quoted(text: string): string {
  return `'${text}'`;
}
