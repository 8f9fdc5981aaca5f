const KEY = 'loyalty/console/shop';

/** The slug of the shop that was last used in this browser, or null. */
export function rememberedShop(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

export function rememberShop(slug: string): void {
  try {
    localStorage.setItem(KEY, slug);
  } catch {
    // A browser that keeps nothing begins at the first shop.
  }
}
