/* Draws the operations with Swagger UI, in which everything can be searched. Where the page can make calls, it fills in
   the key and the codes of the demo, and signs in as its member. */
/* global SwaggerUIBundle, operationSearch */

const script = document.currentScript;
const canCall = 'canCall' in script.dataset;
const base = new URL('..', script.src);
/** The key that was filled in last. One that a person has entered is kept instead. */
const FILLED_IN = 'loyalty/docs/key';
/** The amount that the example of a reversal gives back. */
const LEAST_TO_REVERSE = 6;
/** The most parts of guides that a search shows. */
const MOST_GUIDES = 8;

followColorScheme();
void show();

async function show() {
  const [spec, demo] = await Promise.all([readJson('openapi.json'), canCall ? readDemo() : null]);
  describeRefusalsOnce(spec);
  spec.servers = [{ url: new URL('..', base).href.replace(/\/$/, '') }];
  const ui = SwaggerUIBundle({
    spec: demo === null ? spec : withExamples(spec, demo),
    dom_id: '#operations',
    deepLinking: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: -1,
    displayRequestDuration: true,
    filter: true,
    layout: 'BaseLayout',
    plugins: [searchEverything(spec), nestNoLinks],
    presets: [SwaggerUIBundle.presets.apis],
    validatorUrl: null,
    ...(canCall ? { persistAuthorization: true, tryItOutEnabled: true } : { supportedSubmitMethods: [] }),
    onComplete: () => demo !== null && offer(demo, ui),
  });
  listenToSearch(ui, await readJson('guides.json'));
}

/** Leaves out the headers that every refusal has: the introduction describes them. */
function describeRefusalsOnce(spec) {
  for (const operation of Object.values(spec.paths).flatMap((operations) => Object.values(operations)))
    for (const [status, response] of Object.entries(operation.responses))
      if (Number(status) >= 400) delete response.headers;
}

async function readJson(path, init) {
  const response = await fetch(new URL(path, base), init);
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return response.json();
}

/** Reads the values of the demo: of its member, what can be bought, a code that can be redeemed, and a purchase. */
async function readDemo() {
  try {
    const { commerce_id, client_code, key } = await readJson('defaults.json');
    const headers = { authorization: `Bearer ${key}` };
    const [member, benefits, codes, purchases] = await Promise.all([
      readJson(`../v1/clients/${client_code}`, { headers }),
      readJson('../v1/public/benefits', { headers: { 'x-commerce-id': String(commerce_id) } }),
      readJson(`../v1/clients/${client_code}/benefits`, { headers }),
      readJson(`../v1/consumptions?client_code=${client_code}`, { headers }),
    ]);
    const now = Date.now();
    return {
      commerce_id,
      key,
      member,
      benefit: benefits[0],
      code: codes.find(({ used, due_date: due }) => !used && (due === null || Date.parse(due) > now)),
      purchase: purchases.results.find((one) => one.amount - one.reversed_amount >= LEAST_TO_REVERSE),
    };
  } catch {
    // There is no demo, or its key was revoked: the page is as useful as where it cannot know the values.
    return null;
  }
}

/**
 * The values of the documents' examples, each with the one that exists in the demo. Where the demo has none, the field stays
 * empty: nothing is filled in that does not exist.
 */
function withExamples(spec, { commerce_id, member, benefit, code, purchase }) {
  const replaced = new Map([
    [482915374, member.code],
    ['eva@example.com', member.email],
    ['coffee', benefit?.id],
    [52840917364015, code?.client_benefit_code],
    ['52840917364015', code && String(code.client_benefit_code)],
    [446165214474872, purchase?.id],
  ]);
  return walk(spec);

  function walk(node) {
    if (Array.isArray(node)) return node.map(walk).filter((item) => item !== undefined);
    if (typeof node !== 'object' || node === null) return replaced.has(node) ? replaced.get(node) : node;
    const walked = Object.fromEntries(
      Object.entries(node)
        .map(([key, value]) => [key, walk(value)])
        .filter(([, value]) => value !== undefined),
    );
    return node.name === 'X-Commerce-Id' && 'example' in node ? { ...walked, example: commerce_id } : walked;
  }
}

/** Fills in the demo's key, and offers to sign in as its member. */
function offer({ commerce_id, key, member }, ui) {
  const kept = ui.authSelectors.authorized().getIn(['CommerceApiKey', 'value']);
  const isOwnKey = kept !== undefined && kept !== localStorage.getItem(FILLED_IN);
  if (!isOwnKey) {
    authorize(ui, 'CommerceApiKey', key);
    localStorage.setItem(FILLED_IN, key);
  }
  document.getElementById('ready-text').textContent =
    `${isOwnKey ? 'Your key is kept.' : 'The demo’s API key is filled in.'} ` +
    `Member ${member.code} (${member.email}) and commerce ${commerce_id} are in the fields: open an operation and press Execute.`;
  document.getElementById('ready').hidden = false;
  const button = document.getElementById('sign-in');
  button.textContent = `Sign in as ${member.email}`;
  button.hidden = false;
  button.addEventListener('click', () => void signIn({ commerce_id, member, button }, ui));
}

/** Signs in as a person would: asks for a code, reads it in the mailbox of this machine, and sends it back. */
async function signIn({ commerce_id, member, button }, ui) {
  const status = document.getElementById('signed-in');
  button.disabled = true;
  status.textContent = 'Waiting for the mail …';
  try {
    const headers = { 'content-type': 'application/json', 'x-commerce-id': String(commerce_id) };
    const post = (path, body) => readJson(path, { method: 'POST', headers, body: JSON.stringify(body) });
    await post('../v1/auth/otp/request', { email: member.email });
    const mails = await readJson('../dev/mail.json');
    const mail = mails.find(
      ({ to, code, commerce_id: at }) => to === member.email && code && at === commerce_id,
    );
    const { access } = await post('../v1/auth/otp/verify', { email: member.email, otp: mail.code });
    authorize(ui, 'UserToken', access);
    status.textContent = 'Signed in for 15 minutes: the calls of “My account” work now.';
  } catch {
    status.textContent = 'A new code is sent at most once a minute. Try again in a moment.';
  }
  button.disabled = false;
}

/** Fills in a credential, and keeps it over a reload. */
function authorize(ui, name, value) {
  const schema = { type: 'http', scheme: 'bearer' };
  ui.authActions.authorizeWithPersistOption({ [name]: { name, schema, value } });
}

/** Makes the filter of Swagger UI look at all that an operation is about instead of the names of sections. */
function searchEverything(spec) {
  const { indexOperations, matches } = operationSearch;
  const texts = indexOperations(spec);
  return {
    fn: {
      opsFilter: (sections, phrase) =>
        sections
          .map((section) =>
            section.update('operations', (operations) =>
              operations.filter((one) => matches(texts.get(one.getIn(['operation', 'operationId'])), phrase)),
            ),
          )
          .filter((section) => section.get('operations').size > 0),
    },
  };
}

/** Shows the path of an operation as text. Swagger UI puts a link into the button that opens it, which nothing can read aloud. */
function nestNoLinks({ React }) {
  return { components: { DeepLink: ({ text }) => React.createElement('span', null, text) } };
}

function listenToSearch(ui, guides) {
  const field = document.getElementById('search');
  const search = () => {
    ui.layoutActions.updateFilter(field.value.trim() === '' ? true : field.value);
    const found = ui.specSelectors
      .taggedOperations()
      .reduce((sum, section) => sum + section.get('operations').size, 0);
    const inGuides = field.value.trim() === '' ? [] : searchGuides(guides, field.value);
    showGuides(inGuides);
    document.getElementById('matches').textContent =
      field.value.trim() === ''
        ? ''
        : found === 0 && inGuides.length > 0
          ? 'No operation, but the guides speak of it.'
          : found === 0
            ? 'Nothing matches. Try one word, such as refund, coupon or login.'
            : `${found} of ${total}`;
  };
  const total = ui.specSelectors.operations().size;
  field.addEventListener('input', search);
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target.closest?.('input, textarea, select');
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    field.focus();
  });
}

/** Returns the parts of guides with all words of a phrase: those with the words in their heading first, then guides in their order. */
function searchGuides(guides, phrase) {
  const { matches } = operationSearch;
  const found = guides.filter(({ title, text }) => matches(`${title} ${text}`.toLowerCase(), phrase));
  const [named, others] = [true, false].map((isNamed) =>
    found.filter(({ heading }) => matches(heading.toLowerCase(), phrase) === isNamed),
  );
  return [...named, ...others].slice(0, MOST_GUIDES);
}

function showGuides(parts) {
  const list = document.getElementById('in-guides');
  list.hidden = parts.length === 0;
  list.replaceChildren(
    ...parts.map(({ path, title, heading }) => {
      const link = document.createElement('a');
      link.href = new URL(path, base).href;
      link.textContent = heading === title ? title : `${title}: ${heading}`;
      const item = document.createElement('li');
      item.append(link);
      return item;
    }),
  );
}

/** Swagger UI draws in dark colors below this class. */
function followColorScheme() {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
  follow();
  dark.addEventListener('change', follow);
}
