/** A map or a set, whose keys come in the order in which they were added. */
interface Ordered<K> {
  readonly size: number;
  keys(): Iterable<K>;
  delete(key: K): boolean;
}

/**
 * Takes out the oldest entries of a map or set that has more than `max`, down to three quarters of it. Asking for the
 * first key again and again would each time walk over the gaps that deleted ones have left.
 */
export function forgetOldest<K>(
  entries: Ordered<K>,
  max: number,
  forget: (key: K) => void = (key) => entries.delete(key),
): void {
  if (entries.size <= max) return;
  const kept = Math.ceil(max * 0.75);
  for (const key of entries.keys()) {
    if (entries.size <= kept) return;
    forget(key);
  }
}
