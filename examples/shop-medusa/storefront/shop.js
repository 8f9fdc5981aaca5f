// A storefront in one script: Medusa's store API, and the routes of the loyalty plugin. It keeps the cart and the session in this tab.
const shop = await (await fetch('shop.json')).json();
const byId = (id) => document.getElementById(id);
const money = (amount) => `€${amount.toFixed(2)}`;

const REFUSALS = {
  unknown: 'There is no such code.',
  used: 'This code was used before.',
  expired: 'This code has expired.',
  void: 'This code is not valid any more.',
  held: 'This code is in another cart.',
  too_many: 'You have too many codes in carts.',
  not_for_online_shops: 'This code is not for the online shop.',
  currency: 'Codes are for carts in euros.',
  points_short: 'You do not have enough points.',
  code_refused: 'This is not the code from the mail.',
  unavailable: 'Points are not available at the moment.',
};

async function call(method, path, body) {
  const token = sessionStorage.getItem('token');
  const response = await fetch(shop.base + path, {
    method,
    headers: {
      'content-type': 'application/json',
      'x-publishable-api-key': shop.publishableKey,
      ...(token && { authorization: `Bearer ${token}` }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(REFUSALS[answer.type] ?? answer.message);
  return answer;
}

function say(sentence) {
  byId('said').textContent = sentence;
}

/** Runs what somebody has asked for, and says why if it fails. */
async function act(work) {
  say('');
  try {
    await work();
  } catch (error) {
    say(error.message);
  }
}

function list(id, rows) {
  byId(id).replaceChildren(
    ...rows.map(({ text, button, shown = button, onPress }) => {
      const item = document.createElement('li');
      const span = document.createElement('span');
      span.textContent = text;
      item.append(span);
      if (button) {
        const pressed = document.createElement('button');
        pressed.textContent = shown;
        pressed.ariaLabel = button;
        pressed.addEventListener('click', () => void act(onPress));
        item.append(pressed);
      }
      return item;
    }),
  );
}

async function cartId() {
  const known = sessionStorage.getItem('cart');
  if (known) return known;
  const { cart } = await call('POST', '/store/carts', { region_id: shop.regionId });
  sessionStorage.setItem('cart', cart.id);
  return cart.id;
}

async function showProducts() {
  const { products } = await call(
    'GET',
    `/store/products?region_id=${shop.regionId}&fields=*variants.calculated_price`,
  );
  const rows = await Promise.all(
    products.map(async ({ id, title, variants }) => {
      const amount = variants[0].calculated_price.calculated_amount;
      const { points } = await call('POST', '/store/loyalty/preview', {
        product_id: id,
        amount,
        currency_code: 'eur',
      }).catch(() => ({ points: 0 }));
      return {
        text: `${title}, ${money(amount)}${points > 0 ? `, earns ${points} points` : ''}`,
        button: `Add ${title}`,
        shown: 'Add',
        onPress: () => add(variants[0].id),
      };
    }),
  );
  list('products', rows);
}

async function add(variantId) {
  const id = await cartId();
  await call('POST', `/store/carts/${id}/line-items`, { variant_id: variantId, quantity: 1 });
  await showCart();
}

async function showCart() {
  const id = sessionStorage.getItem('cart');
  if (!id) {
    list('items', []);
    list('codes', []);
    byId('total').textContent = 'Your cart is empty.';
    byId('earns').textContent = '';
    return;
  }
  const { codes, lost } = await call('GET', `/store/carts/${id}/loyalty-codes`).catch(() => ({
    codes: [],
    lost: [],
  }));
  if (lost.length > 0) say(`${lost[0].title} was used elsewhere, and is not in your cart any more.`);
  const { cart } = await call('GET', `/store/carts/${id}`);
  list(
    'items',
    cart.items.map(({ product_title: title, quantity, unit_price: price }) => ({
      text: `${quantity} × ${title}, ${money(quantity * price)}`,
    })),
  );
  list(
    'codes',
    codes.map(({ code, title }) => ({
      text: `${title} (${code})`,
      button: `Take ${title} out`,
      onPress: async () => {
        await call('DELETE', `/store/carts/${id}/loyalty-codes`, { code });
        await showCart();
      },
    })),
  );
  byId('total').textContent = `${money(cart.total)} in all, ${money(cart.discount_total)} off`;
  const { points } = await call('POST', '/store/loyalty/preview', { cart_id: id }).catch(() => ({
    points: 0,
  }));
  byId('earns').textContent = points > 0 ? `You will earn ${points} points.` : '';
}

async function placeOrder(email) {
  const id = await cartId();
  const address = {
    first_name: 'Eva',
    last_name: 'Luna',
    address_1: 'Calle Mayor 2',
    city: 'Madrid',
    postal_code: '28001',
    country_code: 'es',
  };
  await call('POST', `/store/carts/${id}`, { email, shipping_address: address, billing_address: address });
  await call('POST', `/store/carts/${id}/shipping-methods`, { option_id: shop.shippingOptionId });
  const { payment_collection: collection } = await call('POST', '/store/payment-collections', {
    cart_id: id,
  });
  await call('POST', `/store/payment-collections/${collection.id}/payment-sessions`, {
    provider_id: 'pp_system_default',
  });
  const { order } = await call('POST', `/store/carts/${id}/complete`);
  if (!order) throw new Error('The order could not be placed.');
  sessionStorage.removeItem('cart');
  await showCart();
  say(`Order ${order.display_id} is placed. It earns points when it is paid.`);
}

async function signIn(person, isNew) {
  sessionStorage.removeItem('token');
  if (isNew) {
    const { token } = await call('POST', '/auth/customer/emailpass/register', person);
    sessionStorage.setItem('token', token);
    await call('POST', '/store/customers', { email: person.email });
    sessionStorage.removeItem('token');
  }
  const { token } = await call('POST', '/auth/customer/emailpass', person);
  sessionStorage.setItem('token', token);
  await showAccount();
}

async function showAccount() {
  const isSignedIn = sessionStorage.getItem('token') !== null;
  byId('sign-in-form').hidden = isSignedIn;
  if (!isSignedIn) return;
  const { state, account } = await call('GET', '/store/loyalty/account');
  byId('proof-form').hidden = state === 'member';
  byId('account').hidden = state !== 'member';
  if (account === null) return;
  byId('points').textContent = `You have ${account.points} points.`;
  byId('tier').textContent = account.tier === null ? '' : `Your tier is ${account.tier.name}.`;
  const waiting = account.waiting.reduce((all, { points }) => all + points, 0);
  byId('waiting').textContent = waiting > 0 ? `${waiting} more points wait.` : '';
  list(
    'stamps',
    account.stamps.map(({ title, have, need }) => ({ text: `${title}: ${have} of ${need}` })),
  );
  list(
    'catalog',
    account.catalog.map(({ id, description, cost }) => ({
      text: description,
      button: `Buy for ${cost} points: ${description}`,
      shown: `${cost} points`,
      onPress: async () => {
        await call('POST', '/store/loyalty/benefits', {
          benefit_id: id,
          idempotency_key: crypto.randomUUID(),
        });
        await showAccount();
      },
    })),
  );
  list(
    'own-codes',
    account.codes.map(({ client_benefit_code: code, benefit }) => ({
      text: `${benefit.description} ${code}`,
      button: `Use ${code} in the cart`,
      shown: 'Use',
      onPress: () => useCode(String(code)),
    })),
  );
}

async function useCode(code) {
  await call('POST', `/store/carts/${await cartId()}/loyalty-codes`, { code });
  await showCart();
}

function onSubmit(id, work) {
  byId(id).addEventListener('submit', (event) => {
    event.preventDefault();
    void act(() => work(Object.fromEntries(new FormData(event.target, event.submitter))));
  });
}

onSubmit('code-form', ({ code }) => useCode(code));
onSubmit('order-form', ({ email }) => placeOrder(email));
onSubmit('sign-in-form', ({ email, password, act: how }) => signIn({ email, password }, how === 'register'));
onSubmit('proof-form', async ({ otp }) => {
  await call('POST', '/store/loyalty/proof', { code: otp });
  await showAccount();
});
byId('mail').addEventListener('click', () => {
  void act(async () => {
    await call('POST', '/store/loyalty/proof', {});
    say('A code is on its way.');
  });
});

await act(async () => {
  await showProducts();
  await showCart();
  await showAccount();
});
