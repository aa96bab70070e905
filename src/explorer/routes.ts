/** What stands behind the hash of the address: the name of a view, then what it is about. */

export interface Route {
  readonly view: string;
  readonly words: readonly string[];
}

export const href = (view: string, ...words: readonly (string | number)[]): string =>
  `#/${[view, ...words].map((word) => encodeURIComponent(word)).join('/')}`;

export const blockHref = (number: number | string): string => href('block', number);
export const accountHref = (name: string): string => href('account', name);

function decoded(word: string): string {
  try {
    return decodeURIComponent(word);
  } catch {
    // Addresses are typed by people: a lone percent sign is only that.
    return word;
  }
}

/** `#/tx/abc`; what has no slash in front is something to look for, as addresses of older pages had it. */
export function routeOf(hash: string): Route {
  const text = hash.replace(/^#/, '');
  if (text === '' || text === '/') return { view: '', words: [] };
  if (!text.startsWith('/')) return { view: 'search', words: [decoded(text)] };
  const [view = '', ...words] = text.slice(1).split('/').map(decoded);
  return { view, words: words.filter((word) => word !== '') };
}
