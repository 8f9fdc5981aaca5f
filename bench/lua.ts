/** Lua scripts for wrk: random requests, from tables that are written into the script. */
import type { SignedIn } from './cast.ts';
import { AMOUNT, BENEFIT, codeOf, type Loaded, type Shop } from './load-members.ts';

export const hello = 'wrk.headers["authorization"] = "Bearer hello"\n';

/** Random members of the thin service, which asks for no credentials. */
export const thin = {
  purchase: (members: readonly number[]) => postAny('/purchases', members, `,"amount":${AMOUNT}`),
  balance: (members: readonly number[]) =>
    `${randomOf(members)} function request() return wrk.format('GET', '/balances/' .. code()) end`,
  exchange: (members: readonly number[]) => postAny('/exchanges', members, ''),
};

function postAny(path: string, members: readonly number[], more: string): string {
  return `${randomOf(members)}
    local headers = { ['content-type'] = 'application/json' }
    function request() return wrk.format('POST', '${path}', headers, '{"client_code":' .. code() .. '${more}}') end`;
}

function randomOf(members: readonly number[]): string {
  return `math.randomseed(os.time())
    local members = {${members.join(',')}}
    local function code() return ${codeOf(0)} + members[math.random(#members)] end`;
}

/**
 * Purchases of random members, or of those with numbers from `first` to `last`.
 * @param more fields of each, as JSON after a comma
 */
export function purchases(loaded: Loaded, first = 1, last = loaded.members, more = ''): string {
  return `${atShops(loaded, more)} function request() return purchase(math.random(${first}, ${last})) end`;
}

/** The same for a crowd that the service may refuse: wrk aborts at any refusal but a 503 with Retry-After. */
export function purchasesIfNotBusy(loaded: Loaded): string {
  return `${purchases(loaded)}
    function response(status, headers)
      local comesBack = headers['retry-after'] or headers['Retry-After']
      if status == 201 or status == 503 and comesBack then return end
      error('a purchase was answered ' .. status)
    end`;
}

/** Random clients, looked up by code. */
export function balances(loaded: Loaded): string {
  return `${atShops(loaded)} function request() return balance(anybody()) end`;
}

/** A page of the client list. */
export function list(shop: Shop, offset: number): string {
  return getAny([`/v1/clients/list?limit=20&offset=${offset}`], { authorization: `Bearer ${shop.key}` });
}

/** Pages of a member's history: the first page, or pages from random cursors. */
export function activity(reader: SignedIn, cursors: readonly string[] = []): string {
  const pages = cursors.map((cursor) => `/v1/me/activity?cursor=${cursor}`);
  return getAny(pages.length > 0 ? pages : ['/v1/me/activity'], headersOf(reader));
}

/** Exchanges with new keys; one in ten repeats an exchange that was answered before. Half are for the benefit with a limit. */
export function exchanges(buyers: readonly SignedIn[], run: string): string {
  return `${asBuyers(buyers, run)} function request() return exchange() end`;
}

/**
 * Of a hundred requests, 40 balances by shops, 30 by members, 25 purchases, 2 redemptions and 3 exchanges. Each voucher
 * is redeemed once; when all are used, exchanges take their place.
 */
export function mix(
  loaded: Loaded,
  buyers: readonly SignedIn[],
  run: string,
  vouchers: readonly { commerceId: number; code: number }[],
): string {
  const keys = new Map(loaded.shops.map((shop) => [shop.commerceId, shop.key]));
  return `${atShops(loaded)} ${asBuyers(buyers, run)}
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
      if p <= 40 then return balance(anybody()) end
      if p <= 70 then return me() end
      if p <= 95 then return purchase(anybody()) end
      if p <= 97 and used < #vouchers then return redeem() end
      return exchange()
    end`;
}

/** Functions for what shops do with their keys. */
function atShops({ shops, members }: Loaded, more = ''): string {
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
    local function anybody() return math.random(1, ${members}) end
    local function purchase(member)
      return wrk.format('POST', '/v1/consumptions/client-code', headersOf(member),
        '{"client_code":' .. (${codeOf(0)} + member) .. ',"amount":${AMOUNT}${more}}')
    end
    local function balance(member)
      return wrk.format('GET', '/v1/clients/' .. (${codeOf(0)} + member), headersOf(member))
    end
`;
}

// A repeat comes 250 requests after the first call, which is answered by then. Simultaneous repeats are for the tests.
function asBuyers(buyers: readonly SignedIn[], run: string): string {
  return `
    local buyers = {${buyers.map((buyer) => tableOf(headersOf(buyer))).join(',\n')}}
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

function getAny(paths: readonly string[], headers: Record<string, string>): string {
  return `local paths = {${paths.map(quoted).join(',')}}
    local headers = ${tableOf(headers)}
    function request() return wrk.format('GET', paths[math.random(#paths)], headers) end`;
}

function tableOf(values: Record<string, string>): string {
  return `{${Object.entries(values)
    .map(([name, value]) => `['${name}']=${quoted(value)}`)
    .join(',')}}`;
}

function quoted(text: string): string {
  return `'${text}'`;
}
