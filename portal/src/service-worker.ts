/**
 * Opens the club of one shop without a network. It keeps the page and the files that the page names, which are the same
 * for everybody. It never sees a token or a response of the API: everything else goes past it.
 *
 * The page comes from the network if that is quick enough, so a new release arrives at the next opening. Files have names
 * that change with their content, so they come from the cache.
 */
const worker = self as unknown as WorkerScope;
const page = new URL(worker.registration.scope);
// The number changes if a later release keeps something else.
const CACHE = `club 1 ${page.pathname}`;
const PATIENCE_MS = 3_000;

worker.addEventListener('install', (event) => {
  event.waitUntil(worker.skipWaiting());
  // The page was loaded before there was a worker. If this fails, the next opening tries again.
  event.waitUntil(fetchPage(page.href).then(keepPage).catch(ignore));
});

worker.addEventListener('activate', (event) => {
  event.waitUntil(worker.clients.claim());
  event.waitUntil(removeOldCaches());
});

worker.addEventListener('fetch', (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== 'GET' || url.origin !== page.origin) return;
  // If anything goes wrong here, the network is asked as if there were no worker. The scope `/club/bar` also covers `/club/bar-2`, which is
  // another shop.
  if (request.mode === 'navigate' && url.pathname === page.pathname)
    event.respondWith(openPage(event).catch(() => fetch(request)));
  else if (isFile(url)) event.respondWith(openFile(request).catch(() => fetch(request)));
});

async function openPage(event: FetchEvent): Promise<Response> {
  const answer = fetchPage(event.request);
  event.waitUntil(answer.then((response) => keepPage(response.clone())).catch(ignore));
  const kept = await caches.match(page.href, { cacheName: CACHE, ignoreVary: true });
  if (kept === undefined) return answer;
  const first = await Promise.race([answer.catch(ignore), sleep(PATIENCE_MS)]);
  // A service that is not available does not close the club either.
  return first === undefined || first.status >= 500 ? kept : first;
}

async function openFile(request: Request): Promise<Response> {
  return (await caches.match(request, { cacheName: CACHE, ignoreVary: true })) ?? fetch(request);
}

async function fetchPage(request: Request | string): Promise<Response> {
  const response = await fetch(request);
  // The shop has closed.
  if (response.status === 404) await caches.delete(CACHE);
  return response;
}

/** Keeps the page after its files, and only then removes the files of the page before, so that the cache is complete. */
async function keepPage(response: Response): Promise<void> {
  if (!response.ok || response.redirected) return;
  const text = await response.clone().text();
  // Sign-in pages of public networks also answer with 200.
  if (!text.includes('<meta name="files"')) return;
  const named = [...text.matchAll(/(?:href|src|name="files" content)="([^"]+)"/g)].flatMap(([, value]) =>
    value!.split(' '),
  );
  const files = new Set(
    named
      .map((name) => new URL(name, page))
      .filter(isFile)
      .map(String),
  );
  const cache = await caches.open(CACHE);
  const kept = new Set((await cache.keys()).map(({ url }) => url));
  await cache.addAll([...files].filter((file) => !kept.has(file)));
  await cache.put(page.href, response);
  for (const url of kept) if (url !== page.href && !files.has(url)) await cache.delete(url);
}

/** The built files of all shops, and the colors, the icon and the manifest of this one. */
function isFile({ origin, pathname }: URL): boolean {
  const folders = [new URL('_assets/', page).pathname, `${page.pathname}/`];
  return (
    origin === page.origin && folders.some((folder) => pathname.startsWith(folder) && pathname !== folder)
  );
}

/** Other shops have caches of their own, whose names end differently. */
async function removeOldCaches(): Promise<void> {
  const names = await caches.keys();
  const old = names.filter((name) => name !== CACHE && name.endsWith(` ${page.pathname}`));
  await Promise.all(old.map((name) => caches.delete(name)));
}

function sleep(ms: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function ignore(): undefined {
  return undefined;
}

// The part of the types of workers that is used: they cannot be loaded beside those of pages.
interface ExtendableEvent {
  waitUntil(work: Promise<unknown>): void;
}
interface FetchEvent extends ExtendableEvent {
  readonly request: Request;
  respondWith(response: Promise<Response>): void;
}
interface WorkerScope {
  readonly registration: ServiceWorkerRegistration;
  readonly clients: { claim(): Promise<void> };
  skipWaiting(): Promise<void>;
  addEventListener(name: 'install' | 'activate', listener: (event: ExtendableEvent) => void): void;
  addEventListener(name: 'fetch', listener: (event: FetchEvent) => void): void;
}
