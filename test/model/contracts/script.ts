import { concatBytes } from '../../../src/base/bytes.js';
import { HOST, type HostName, wasmTypes } from './host-types.js';

/** Where results are kept, eight bytes each, and how many before the first place is taken again. */
export const RESULTS = 1024;
export const RESULT_COUNT = 64;
/** Below it is what the functions read and write. */
export const SCRIPT = 8192;
export const SCRIPT_BYTES = 40_000;
export const PAGE = 65_536;

export const PLACE = HOST.length;
export const GROW = HOST.length + 1;
const TRAP = HOST.length + 2;
/** How many there are. */
export const COMMANDS = HOST.length + 3;

/** A number, or the one that was kept under this place. */
export type Argument = bigint | number | { readonly kept: number };

const indexes = new Map(HOST.map(({ name }, i) => [name, i]));
const MASK = (1n << 64n) - 1n;

function argumentBytes(given: Argument): Uint8Array {
  if (typeof given === 'object') return Uint8Array.of(1 + given.kept);
  const bytes = new Uint8Array(9);
  new DataView(bytes.buffer).setBigUint64(1, BigInt(given) & MASK, true);
  return bytes;
}

/** What a runner is given to do. */
export class Script {
  readonly #commands: Uint8Array[] = [];
  /** How many results have been kept. */
  #kept = 0;

  #add(command: number, given: readonly Argument[], more: Uint8Array = new Uint8Array(0)): void {
    this.#commands.push(concatBytes(Uint8Array.of(command), ...given.map(argumentBytes), more));
  }

  /** The place of its result. */
  call(name: HostName, ...given: readonly Argument[]): number {
    const index = indexes.get(name) as number;
    const { takes, gives } = HOST[index] as (typeof HOST)[number];
    this.#add(
      index,
      takes.flatMap(wasmTypes).map((_, i) => given[i] ?? 0),
    );
    return gives === '' ? -1 : this.#kept++ % RESULT_COUNT;
  }

  place(at: number, bytes: Uint8Array): void {
    this.#add(PLACE, [at, bytes.length], bytes);
  }

  grow(pages: number): void {
    this.#add(GROW, [pages]);
    this.#kept++;
  }

  trap(): void {
    this.#add(TRAP, []);
  }

  /** What comes after it may find other results where it looks for them. */
  remove(command: number): void {
    this.#commands.splice(command, 1);
  }

  bytes(): Uint8Array {
    return concatBytes(...this.#commands);
  }
}
