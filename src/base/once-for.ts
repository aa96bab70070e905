/**
 * What belongs to an object, made when it is first asked for and known as long as there is the object. For what others may
 * ask for again and again, where it takes long to make and the object never changes.
 */
export function onceFor<K extends object, V extends NonNullable<unknown>>(make: (key: K) => V): (key: K) => V {
  const made = new WeakMap<K, V>();
  return (key) => {
    const known = made.get(key);
    if (known !== undefined) return known;
    const value = make(key);
    made.set(key, value);
    return value;
  };
}
