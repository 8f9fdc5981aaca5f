/** Fills an empty Medusa shop: a country, two products in categories, shipping, a key for the storefront. */
import { createCaller, signIn, type Caller } from './shop-api.ts';

/** What a storefront needs to know. */
export interface Seeded {
  readonly regionId: string;
  /** A region in another currency. */
  readonly otherRegionId: string;
  readonly shippingOptionId: string;
  readonly publishableKey: string;
  readonly products: readonly { id: string; handle: string; variantId: string; price: number }[];
  readonly adminToken: string;
}

export const ADMIN = { email: 'admin@example.com', password: 'a-password-of-the-trial' };

const PRODUCTS = [
  { title: 'Green tea', handle: 'green-tea', category: 'Tea', price: 12.5 },
  { title: 'Blue mug', handle: 'blue-mug', category: 'Mugs', price: 18 },
];

/** Does what is not done yet, so it can be repeated after a kill. */
export async function seedShop(base: string): Promise<Seeded> {
  const adminToken = await signIn(base, 'user', ADMIN);
  const admin = createCaller(base, { authorization: `Bearer ${adminToken}` });
  const channel = await salesChannel(admin);
  const [regionId, otherRegionId] = await makeRegions(admin);
  const shippingOptionId = await shipping(admin, channel);
  const products = await makeProducts(admin, channel);
  return {
    regionId,
    otherRegionId,
    shippingOptionId,
    publishableKey: await publishableKey(admin, channel),
    products,
    adminToken,
  };
}

async function salesChannel(admin: Caller): Promise<string> {
  const { sales_channels: known } = await admin.get<{ sales_channels: { id: string }[] }>(
    '/admin/sales-channels',
  );
  if (known.length > 0) return known[0]!.id;
  const made = await admin.post<{ sales_channel: { id: string } }>('/admin/sales-channels', { name: 'web' });
  return made.sales_channel.id;
}

async function makeRegions(admin: Caller): Promise<[string, string]> {
  const { stores } = await admin.get<{ stores: { id: string }[] }>('/admin/stores');
  await admin.post(`/admin/stores/${stores[0]!.id}`, {
    supported_currencies: [
      { currency_code: 'eur', is_default: true, is_tax_inclusive: true },
      { currency_code: 'usd', is_default: false },
    ],
  });
  return [
    await region(admin, { name: 'Spain', currency_code: 'eur', countries: ['es'] }),
    await region(admin, { name: 'America', currency_code: 'usd', countries: ['us'] }),
  ];
}

async function region(
  admin: Caller,
  wanted: { name: string; currency_code: string; countries: string[] },
): Promise<string> {
  const { regions } = await admin.get<{ regions: { id: string; name: string }[] }>('/admin/regions');
  const known = regions.find(({ name }) => name === wanted.name);
  if (known !== undefined) return known.id;
  const made = await admin.post<{ region: { id: string } }>('/admin/regions', {
    ...wanted,
    payment_providers: ['pp_system_default'],
  });
  return made.region.id;
}

async function shipping(admin: Caller, channel: string): Promise<string> {
  const { shipping_options: known } = await admin.get<{ shipping_options: { id: string }[] }>(
    '/admin/shipping-options',
  );
  if (known.length > 0) return known[0]!.id;
  const { stock_location: location } = await admin.post<{ stock_location: { id: string } }>(
    '/admin/stock-locations',
    { name: 'Warehouse', address: { address_1: 'Calle Mayor 1', country_code: 'es' } },
  );
  const place = `/admin/stock-locations/${location.id}`;
  await admin.post(`${place}/sales-channels`, { add: [channel] });
  await admin.post(`${place}/fulfillment-providers`, { add: ['manual_manual'] });
  await admin.post(`${place}/fulfillment-sets`, { name: 'Parcels', type: 'shipping' });
  const { stock_location: with_ } = await admin.get<{
    stock_location: { fulfillment_sets: { id: string }[] };
  }>(`${place}?fields=*fulfillment_sets`);
  const { fulfillment_set: set } = await admin.post<{
    fulfillment_set: { service_zones: { id: string }[] };
  }>(`/admin/fulfillment-sets/${with_.fulfillment_sets[0]!.id}/service-zones`, {
    name: 'Spain',
    geo_zones: [{ type: 'country', country_code: 'es' }],
  });
  const { shipping_option: option } = await admin.post<{ shipping_option: { id: string } }>(
    '/admin/shipping-options',
    {
      name: 'Parcel',
      service_zone_id: set.service_zones[0]!.id,
      shipping_profile_id: await shippingProfile(admin),
      provider_id: 'manual_manual',
      price_type: 'flat',
      type: { label: 'Parcel', description: 'In two days', code: 'parcel' },
      prices: [{ currency_code: 'eur', amount: 4.9 }],
    },
  );
  return option.id;
}

async function shippingProfile(admin: Caller): Promise<string> {
  const { shipping_profiles: known } = await admin.get<{ shipping_profiles: { id: string }[] }>(
    '/admin/shipping-profiles',
  );
  if (known.length > 0) return known[0]!.id;
  const made = await admin.post<{ shipping_profile: { id: string } }>('/admin/shipping-profiles', {
    name: 'Everything',
    type: 'default',
  });
  return made.shipping_profile.id;
}

async function makeProducts(admin: Caller, channel: string): Promise<Seeded['products']> {
  const profile = await shippingProfile(admin);
  const made: { id: string; handle: string; variantId: string; price: number }[] = [];
  for (const { title, handle, category, price } of PRODUCTS) {
    const path = `/admin/products?handle=${handle}&fields=id,*variants`;
    const { products } = await admin.get<{ products: { id: string; variants: { id: string }[] }[] }>(path);
    const known =
      products[0] ?? (await makeProduct(admin, { title, handle, category, price, channel, profile }));
    made.push({ id: known.id, handle, variantId: known.variants[0]!.id, price });
  }
  return made;
}

async function makeProduct(
  admin: Caller,
  wanted: {
    title: string;
    handle: string;
    category: string;
    price: number;
    channel: string;
    profile: string;
  },
): Promise<{ id: string; variants: { id: string }[] }> {
  const { product_category: category } = await admin.post<{ product_category: { id: string } }>(
    '/admin/product-categories',
    { name: wanted.category, handle: wanted.category.toLowerCase(), is_active: true },
  );
  const { product } = await admin.post<{ product: { id: string; variants: { id: string }[] } }>(
    '/admin/products',
    {
      title: wanted.title,
      handle: wanted.handle,
      status: 'published',
      shipping_profile_id: wanted.profile,
      categories: [{ id: category.id }],
      sales_channels: [{ id: wanted.channel }],
      options: [{ title: 'Size', values: ['One'] }],
      variants: [
        {
          title: 'One',
          sku: wanted.handle.toUpperCase(),
          options: { Size: 'One' },
          manage_inventory: false,
          prices: [{ currency_code: 'eur', amount: wanted.price }],
        },
      ],
    },
  );
  return product;
}

async function publishableKey(admin: Caller, channel: string): Promise<string> {
  const { api_keys: known } = await admin.get<{ api_keys: { token: string }[] }>(
    '/admin/api-keys?type=publishable',
  );
  if (known.length > 0) return known[0]!.token;
  const { api_key: key } = await admin.post<{ api_key: { id: string; token: string } }>('/admin/api-keys', {
    title: 'Storefront',
    type: 'publishable',
  });
  await admin.post(`/admin/api-keys/${key.id}/sales-channels`, { add: [channel] });
  return key.token;
}
