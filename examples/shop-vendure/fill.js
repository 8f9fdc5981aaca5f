/** Puts three products, a customer and ways to ship and to pay into an empty shop. */
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  ChannelService,
  CollectionService,
  CurrencyCode,
  CustomerService,
  Importer,
  LanguageCode,
  Populator,
  ProductService,
  RequestContextService,
} from '@vendure/core';

const collection = (name) => ({
  name,
  slug: name.toLowerCase(),
  filters: [
    { code: 'facet-value-filter', args: { facetValueNames: [name.toLowerCase()], containsAny: false } },
  ],
});

const initialData = {
  defaultLanguage: LanguageCode.en,
  defaultZone: 'Europe',
  taxRates: [{ name: 'Standard', percentage: 21 }],
  shippingMethods: [{ name: 'Post', price: 499 }],
  paymentMethods: [
    {
      name: 'Card',
      handler: { code: 'dummy-payment-handler', arguments: [{ name: 'automaticSettle', value: 'true' }] },
    },
    {
      name: 'Later',
      handler: { code: 'dummy-payment-handler', arguments: [{ name: 'automaticSettle', value: 'false' }] },
    },
  ],
  countries: [{ name: 'Spain', code: 'ES', zone: 'Europe' }],
  collections: [collection('Mugs'), collection('Tea')],
};

/** @param app the started server */
export async function fillShop(app) {
  const contexts = app.get(RequestContextService);
  const ctx = await contexts.create({ apiType: 'admin' });
  if ((await app.get(ProductService).findAll(ctx, { take: 1 })).totalItems > 0) return;
  await app.get(Populator).populateInitialData(initialData);
  await app.get(ChannelService).update(ctx, {
    id: ctx.channelId,
    pricesIncludeTax: true,
    availableCurrencyCodes: [CurrencyCode.EUR],
    defaultCurrencyCode: CurrencyCode.EUR,
  });
  const filled = await contexts.create({ apiType: 'admin' });
  const products = await readFile(new URL('products.csv', import.meta.url), 'utf8');
  await app.get(Importer).parseAndImport(products, filled).toPromise();
  await app.get(Populator).populateCollections(initialData);
  for (const name of ['eva', 'tomas'])
    await app
      .get(CustomerService)
      .create(
        filled,
        { firstName: name, lastName: 'Example', emailAddress: `${name}@example.com` },
        'mugs-and-tea',
      );
  // A job sorts the products into their collections.
  while (!(await isSorted(app, filled))) await sleep(100);
}

async function isSorted(app, ctx) {
  const { items } = await app.get(CollectionService).findAll(ctx, {}, ['productVariants']);
  return items.length === 2 && items.every(({ productVariants }) => productVariants.length > 0);
}
