/** Tells who listens to the page instead of seeing it that something has happened. */
export function announce(sentence: string): void {
  const place = document.getElementById('news');
  if (place === null) return;
  place.textContent = '';
  setTimeout(() => {
    place.textContent = sentence;
  }, 50);
}
