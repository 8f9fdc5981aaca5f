/**
 * The service worker that takes the place of the usual one if the operator has switched it off. The browsers of members
 * look for a new worker at each visit, whatever the old one does. They find this one, which removes all that was kept and
 * then itself. Another application may have caches of its own at the same address.
 */
export const NO_WORKER = `
self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => {
  self.registration.unregister();
  event.waitUntil(caches.keys().then((names) => Promise.all(names.filter((name) => name.startsWith('club ')).map((name) => caches.delete(name)))));
});
`.trimStart();
