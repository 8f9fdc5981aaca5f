/** Announces a sentence to screen readers. */
export function announce(sentence: string): void {
  const news = document.getElementById('news');
  if (news === null) return;
  // Emptied first, because a screen reader does not repeat a text that has not changed.
  news.textContent = '';
  setTimeout(() => {
    news.textContent = sentence;
  }, 50);
}
