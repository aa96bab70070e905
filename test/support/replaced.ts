import { syncBuiltinESMExports } from 'node:module';
import type { Test } from 'tap';

/** A function of the engine or of one of Node's own modules is another one until the test ends, or what is returned is called. */
export function replace<T extends object, K extends keyof T>(t: Test, object: T, name: K, value: T[K]): () => void {
  const original = object[name];
  const restore = (): void => {
    object[name] = original;
    syncBuiltinESMExports();
  };
  object[name] = value;
  syncBuiltinESMExports();
  t.teardown(restore);
  return restore;
}
