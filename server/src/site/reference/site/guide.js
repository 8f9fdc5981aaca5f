/* Adds to the code of a guide: buttons to copy it, the values of its reader in place of variables, and other languages. */
/* global curlTranslator */

const root = new URL('..', document.currentScript.src);
const hasDemo = 'hasDemo' in document.currentScript.dataset;
const KEPT = 'loyalty/docs/values';
const fields = [...document.querySelectorAll('.values input')];
const blocks = [...document.querySelectorAll('.guide pre > code')].map(prepare);

for (const field of fields) field.addEventListener('input', keepAndDraw);
void fillIn().then(drawBlocks);

/** Puts a bar over a block of code, with its languages and the button. */
function prepare(code) {
  const curl = code.textContent;
  const calls = code.className === 'language-sh' ? curlTranslator.readCurl(curl) : null;
  const texts = new Map([['curl', curl]]);
  if (calls !== null)
    for (const language of curlTranslator.LANGUAGES)
      texts.set(language, curlTranslator.translate(calls, language));
  const block = { code, texts, language: 'curl', tabs: [] };
  const bar = document.createElement('div');
  bar.className = 'code-bar';
  if (calls !== null)
    for (const language of texts.keys())
      block.tabs.push(
        bar.appendChild(button(language, () => blocks.forEach((one) => choose(one, language)))),
      );
  const copy = bar.appendChild(button('Copy', () => copyText(code, copy)));
  copy.className = 'copy';
  code.parentElement.before(bar);
  return block;
}

function choose(block, language) {
  if (block.texts.has(language)) block.language = language;
  drawBlocks();
}

/** Writes the values into what a shell, and only a shell, would put there. Other languages read them from the environment. */
function drawBlocks() {
  for (const { code, texts, language, tabs } of blocks) {
    const text = texts.get(language);
    code.textContent =
      language !== 'curl' || code.className !== 'language-sh'
        ? text
        : fields.reduce(
            (filled, { name, value }) =>
              value === ''
                ? filled
                : filled
                    .replaceAll(new RegExp(`\\$${name}\\b`, 'g'), () => value)
                    .replaceAll(new RegExp(`^${name}=.*$`, 'gm'), () => `${name}=${value}`),
            text,
          );
    for (const tab of tabs) tab.setAttribute('aria-pressed', String(tab.textContent === language));
  }
}

function keepAndDraw() {
  keep();
  drawBlocks();
}

/** Takes the values that were typed last, or else those of the demo of a developer's machine. */
async function fillIn() {
  if (fields.length === 0) return;
  let values = readKept();
  if (values === null && hasDemo)
    try {
      const { commerce_id, key } = await (await fetch(new URL('defaults.json', root))).json();
      if (key !== undefined) values = { COMMERCE: String(commerce_id), KEY: key };
    } catch {
      // Another machine looks at it.
    }
  for (const field of fields) field.value = plainValue(values?.[field.name]) || field.value;
}

/** A text that a shell could take for more than a value is not a plain value. */
function plainValue(value) {
  return typeof value === 'string' && /^[\w.:/[\]-]*$/.test(value) ? value : '';
}

function keep() {
  for (const field of fields)
    field.setCustomValidity(plainValue(field.value) === field.value ? '' : 'Not a plain value.');
  try {
    localStorage.setItem(
      KEPT,
      JSON.stringify(Object.fromEntries(fields.map(({ name, value }) => [name, value]))),
    );
  } catch {
    // The page has no origin of its own where something is at stake, and keeps nothing there.
  }
}

function readKept() {
  try {
    return JSON.parse(localStorage.getItem(KEPT));
  } catch {
    return null;
  }
}

function button(text, act) {
  const one = document.createElement('button');
  one.type = 'button';
  one.textContent = text;
  one.addEventListener('click', act);
  return one;
}

/** A sandboxed page may not use the clipboard of every browser. */
async function copyText(code, pressed) {
  let done = true;
  try {
    await navigator.clipboard.writeText(code.textContent);
  } catch {
    getSelection().selectAllChildren(code);
    done = document.execCommand('copy');
  }
  pressed.textContent = done ? 'Copied' : 'Selected';
  setTimeout(() => (pressed.textContent = 'Copy'), 2000);
}
