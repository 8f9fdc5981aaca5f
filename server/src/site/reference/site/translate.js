/* Writes a command of curl as code in another language, for the examples of the guides. */

globalThis.curlTranslator = { readCurl, translate, LANGUAGES: ['Node', 'Python', 'PHP'] };

/**
 * Reads a block that is nothing but calls of curl. Returns null for any other: what it does with the answers is its shell's own.
 * A text is a list of pieces: plain text, and the names of variables.
 */
function readCurl(block) {
  const calls = [];
  for (const line of block
    .replaceAll(/\\\n\s*/g, ' ')
    .trim()
    .split('\n')) {
    const words = readWords(line.trim());
    if (words === null || plain(words[0]) !== 'curl') return null;
    const call = { method: null, url: null, headers: [], body: null };
    for (let i = 1; i < words.length; i++) {
      const word = plain(words[i]);
      if (word === '-s') continue;
      if (word === '-H') {
        const [name, ...value] = splitAt(words[++i] ?? [], ': ');
        call.headers.push([plain(name), value.flat()]);
      } else if (word === '-d') call.body = words[++i];
      else if (word === '-X') call.method = plain(words[++i] ?? []);
      else if (word?.startsWith('-') || call.url !== null) return null;
      else call.url = words[i];
    }
    if (call.url === null || call.headers.some(([name]) => name === null)) return null;
    calls.push({ ...call, method: call.method ?? (call.body === null ? 'GET' : 'POST') });
  }
  return calls;
}

/** Returns the code for the calls of `readCurl`. It prints each answer. */
function translate(calls, language) {
  const names = [...new Set(calls.flatMap(variablesOf))];
  return LANGUAGE[language](calls, names);
}

const LANGUAGE = {
  Node: (calls, names) =>
    [
      ...(names.length > 0 ? [`const { ${names.join(', ')} } = process.env;\n`] : []),
      ...calls.flatMap(({ method, url, headers, body }, i) => [
        `${i === 0 ? 'let response' : 'response'} = await fetch(${js(url)}, {`,
        `  method: '${method}',`,
        ...list('  headers: {', '  },', headers, ([name, value]) => `    '${name}': ${js(value)},`),
        ...(body === null ? [] : [`  body: ${js(body)},`]),
        '});',
        'console.log(response.status, await response.text());',
      ]),
    ].join('\n'),
  Python: (calls, names) =>
    [
      'import os, urllib.error, urllib.request',
      '',
      ...names.map((name) => `${name} = os.environ["${name}"]`),
      ...calls.flatMap(({ method, url, headers, body }) => [
        'request = urllib.request.Request(',
        `    ${py(url)},`,
        `    method="${method}",`,
        ...list('    headers={', '    },', headers, ([name, value]) => `        "${name}": ${py(value)},`),
        ...(body === null ? [] : [`    data=${py(body)}.encode(),`]),
        ')',
        'try:',
        '    response = urllib.request.urlopen(request, timeout=10)',
        'except urllib.error.HTTPError as refusal:',
        '    response = refusal',
        'print(response.status, response.read().decode())',
      ]),
    ].join('\n'),
  PHP: (calls, names) =>
    [
      '<?php',
      ...names.map((name) => `$${name} = getenv('${name}');`),
      ...calls.flatMap(({ method, url, headers, body }) => [
        `$call = curl_init(${php(url)});`,
        'curl_setopt_array($call, [',
        '    CURLOPT_RETURNTRANSFER => true,',
        '    CURLOPT_TIMEOUT => 10,',
        `    CURLOPT_CUSTOMREQUEST => '${method}',`,
        ...list(
          '    CURLOPT_HTTPHEADER => [',
          '    ],',
          headers,
          ([name, value]) => `        ${php([`${name}: `, ...value])},`,
        ),
        ...(body === null ? [] : [`    CURLOPT_POSTFIELDS => ${php(body)},`]),
        ']);',
        '$answer = curl_exec($call);',
        "echo curl_getinfo($call, CURLINFO_RESPONSE_CODE), ' ', $answer, PHP_EOL;",
      ]),
    ].join('\n'),
};

function list(first, last, items, write) {
  return items.length === 0 ? [] : [first, ...items.map(write), last];
}

function js(pieces) {
  const text = pieces
    .map((one) => (one.name ? `\${${one.name}}` : one.replaceAll(/[\\`]|\$\{/g, String.raw`\$&`)))
    .join('');
  return pieces.some(({ name }) => name)
    ? `\`${text}\``
    : `'${text.replaceAll("'", String.raw`\'`).replaceAll('\\`', '`')}'`;
}

function py(pieces) {
  if (!pieces.some(({ name }) => name)) return JSON.stringify(pieces.join(''));
  const text = pieces
    .map((one) => (one.name ? `{${one.name}}` : JSON.stringify(one).slice(1, -1).replaceAll(/[{}]/g, '$&$&')))
    .join('');
  return `f"${text}"`;
}

function php(pieces) {
  const quoted = (text) => `'${text.replaceAll(/['\\]/g, String.raw`\$&`)}'`;
  const merged = pieces.reduce((all, one) => {
    if (typeof one === 'string' && typeof all.at(-1) === 'string') all[all.length - 1] += one;
    else all.push(one);
    return all;
  }, []);
  return merged.map((one) => (one.name ? `$${one.name}` : quoted(one))).join(' . ') || "''";
}

function variablesOf({ url, headers, body }) {
  return [url, ...headers.map(([, value]) => value), body ?? []].flat().flatMap(({ name }) => name ?? []);
}

/** The text of a word without variables; null if it has any. */
function plain(pieces) {
  return pieces?.every((one) => typeof one === 'string') ? pieces.join('') : null;
}

function splitAt(pieces, mark) {
  const [first = '', ...rest] = pieces;
  const at = typeof first === 'string' ? first.indexOf(mark) : -1;
  return at === -1
    ? [[{ name: '' }]]
    : [[first.slice(0, at)], [first.slice(at + mark.length), ...rest].filter((one) => one !== '')];
}

/** Splits a line as a shell does. Returns null if it has more than words, quotes and variables: pipes, redirections, substitutions. */
function readWords(line) {
  const words = [];
  let word = null;
  let quote = null;
  const add = (piece) => {
    word ??= [];
    if (typeof piece === 'string' && typeof word.at(-1) === 'string') word[word.length - 1] += piece;
    else word.push(piece);
  };
  for (let i = 0; i < line.length; i++) {
    const at = line[i];
    if (quote === "'" ? at === "'" : quote === '"' && at === '"') quote = null;
    else if (quote === "'") add(at);
    else if (at === '$') {
      const [, name] = /^\$(\w+)/.exec(line.slice(i)) ?? [];
      if (name === undefined) return null;
      add({ name });
      i += name.length;
    } else if (at === '\\' && quote === '"') add(line[++i] ?? '');
    else if (quote === '"') add(at);
    else if (at === "'" || at === '"') {
      quote = at;
      add('');
    } else if (at === ' ') {
      if (word !== null) words.push(word);
      word = null;
    } else if (/[|&;<>()`\\]/.test(at)) return null;
    else add(at);
  }
  if (quote !== null) return null;
  if (word !== null) words.push(word);
  return words;
}
