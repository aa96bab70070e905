import { check } from '../../base/errors.js';
import { pair } from '../../codec/containers.js';
import type { AnyType, Network } from '../../codec/type.js';
import { RPC_ERRORS } from '../errors.js';
import { hasMoreParts, PARTS_AT_ONCE, type Pieces } from './pieces.js';
import { printerOf } from './printers.js';
import { ownPrinter } from './printing-type.js';

/** A text on its way out: refused as soon as it is longer than it may be, not when it is whole. */
export class Sink {
  /** Parts of a value that are printed in one go. */
  readonly atOnce: number;
  readonly #limit: number;
  readonly #onGrowth: ((chars: number) => void) | undefined;
  readonly #parts: string[] = [];
  #chars = 0;
  /** So many of the parts are whole texts; those behind them have so many characters. */
  #whole = 0;
  #looseChars = 0;

  constructor(limit: number, onGrowth?: (chars: number) => void, atOnce = PARTS_AT_ONCE) {
    this.atOnce = atOnce;
    this.#limit = limit;
    this.#onGrowth = onGrowth;
  }

  get chars(): number {
    return this.#chars;
  }

  put(text: string): void {
    this.#chars += text.length;
    this.#onGrowth?.(text.length);
    check(this.#chars <= this.#limit, RPC_ERRORS.rpc_reply_too_large, { bytes: this.#chars, limit: this.#limit });
    if (text.length >= JOINED_CHARS) {
      this.#join();
      this.#parts.push(text);
      this.#whole = this.#parts.length;
      return;
    }
    this.#parts.push(text);
    this.#looseChars += text.length;
    if (this.#looseChars >= JOINED_CHARS) this.#join();
  }

  /** To join millions of little parts in the end would take as long as to print them. */
  #join(): void {
    if (this.#looseChars > 0) this.#parts.push(this.#parts.splice(this.#whole).join(''));
    this.#whole = this.#parts.length;
    this.#looseChars = 0;
  }

  text(): string {
    return this.#parts.length === 1 ? (this.#parts[0] as string) : this.#parts.join('');
  }
}

const JOINED_CHARS = 65_536;

/** The whole text of a value, however long. */
export function* printed(type: AnyType, value: unknown, network: Network): Pieces<string> {
  const sink = new Sink(Number.POSITIVE_INFINITY);
  yield* printPieces(type, value, sink, network);
  return sink.text();
}

const ELEMENTS_PER_PIECE = 16;

class MadeList {
  readonly elements: Iterable<Pieces<unknown>>;

  constructor(elements: Iterable<Pieces<unknown>>) {
    this.elements = elements;
  }
}

/**
 * A result that is a list whose elements are made one after another while it is printed: they may take many times their
 * text, and an answer that is too long is refused before the rest of them are made. It can be printed, and no more.
 */
export function madeWhilePrinted<T>(elements: Iterable<Pieces<T>>): T[] {
  return new MadeList(elements) as unknown as T[];
}

/** True if the value is small enough, and its text in the sink. */
export function printAtOnce(type: AnyType, value: unknown, sink: Sink, network: Network): boolean {
  if (value instanceof MadeList) return false;
  if (ownPrinter(type) === undefined && hasMoreParts(value, sink.atOnce)) return false;
  sink.put(printerOf(type)(value, network));
  return true;
}

/** Puts the text of `printerOf(type)(value)` into the sink in pieces; a test compares over random values. */
export function* printPieces(type: AnyType, value: unknown, sink: Sink, network: Network): Pieces<void> {
  if (printAtOnce(type, value, sink, network)) return;
  const { shape } = type;
  switch (shape.kind) {
    case 'array':
    case 'set':
      if (value instanceof MadeList) yield* madePieces(value, sink, network, shape.of);
      else yield* listPieces(value as readonly unknown[], sink, network, shape.of);
      return;
    case 'map':
      yield* listPieces(value as readonly unknown[], sink, network, pair(shape.key, shape.of));
      return;
    case 'pair':
      yield* pairPieces(value as readonly [unknown, unknown], sink, network, shape.key, shape.of);
      return;
    case 'optional':
      if (value === undefined) sink.put('null');
      else yield* printPieces(shape.of, value, sink, network);
      return;
    case 'struct':
      yield* structPieces(value as Record<string, unknown>, sink, network, shape.fields);
      return;
    case 'variant': {
      const [tag, body] = value as [number, unknown];
      sink.put(`[${tag},`);
      yield* printPieces(shape.of[tag] as AnyType, body, sink, network);
      sink.put(']');
      return;
    }
    default:
      sink.put(printerOf(type)(value, network));
  }
}

function* listPieces(values: readonly unknown[], sink: Sink, network: Network, of: AnyType): Pieces<void> {
  sink.put('[');
  let small = '';
  for (let i = 0; i < values.length; i++) {
    if (i > 0) small += ',';
    const value = values[i];
    if (!hasMoreParts(value, sink.atOnce)) small += printerOf(of)(value, network);
    else {
      sink.put(small);
      small = '';
      yield* printPieces(of, value, sink, network);
    }
    if (i % ELEMENTS_PER_PIECE === 0) {
      sink.put(small);
      small = '';
      yield;
    }
  }
  sink.put(`${small}]`);
}

function* madePieces({ elements }: MadeList, sink: Sink, network: Network, of: AnyType): Pieces<void> {
  let before = '[';
  for (const work of elements) {
    const value = yield* work;
    sink.put(before);
    before = ',';
    yield* printPieces(of, value, sink, network);
    yield;
  }
  sink.put(before === '[' ? '[]' : ']');
}

function* pairPieces(
  [first, second]: readonly [unknown, unknown],
  sink: Sink,
  network: Network,
  key: AnyType,
  of: AnyType,
): Pieces<void> {
  sink.put('[');
  yield* printPieces(key, first, sink, network);
  sink.put(',');
  yield* printPieces(of, second, sink, network);
  sink.put(']');
}

function* structPieces(
  value: Record<string, unknown>,
  sink: Sink,
  network: Network,
  fields: readonly (readonly [string, AnyType])[],
): Pieces<void> {
  let before = '{';
  for (const [name, type] of fields) {
    const member = value[name];
    if (type.omitWhenAbsent === true && member === undefined) continue;
    sink.put(`${before}${JSON.stringify(name)}:`);
    before = ',';
    yield* printPieces(type, member, sink, network);
  }
  sink.put(before === '{' ? '{}' : '}');
}
