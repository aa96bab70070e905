import type { Network, Type } from '../../codec/type.js';

/** A type that writes its JSON text itself, because it knows a shorter way than through its shape. */
export interface PrintingType<V> extends Type<V> {
  print(value: V, network: Network): string;
}
