import type { AnyType, Network, Type } from '../../codec/type.js';

type Print<V> = (value: V, network: Network) => string;

// biome-ignore lint/suspicious/noExplicitAny: a printer of some type's values
const printers = new WeakMap<AnyType, Print<any>>();

/** Says how a type is printed of which the node knows a shorter way than through its shape. */
export function printsBy<V>(type: Type<V>, print: Print<V>): void {
  printers.set(type, print);
}

// biome-ignore lint/suspicious/noExplicitAny: as above
export function ownPrinter(type: AnyType): Print<any> | undefined {
  return printers.get(type);
}
