import { createRequire } from 'node:module'; // nondet-ok: loads a curve library, whose results noble's must equal

/** A package that is an optional dependency: undefined where it is not installed, or has no binary for this machine. */
export function optionalPackage<T>(name: string): T | undefined {
  try {
    return createRequire(import.meta.url)(name) as T;
  } catch {
    // There is no other way to ask whether it would load.
    return undefined;
  }
}
