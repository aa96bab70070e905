import { LIMITS } from './limits.js';

/**
 * Every refusal of the node is a ChainError that points at one row of the error table.
 *
 * A row belongs to the module that raises it (`defineErrors` there); this file only keeps the registry,
 * so that docs, tests and the RPC layer see the whole table. `code` and `name` are what clients of this
 * chain family already parse; `key` is ours and says precisely which check failed.
 */

/** Who or what a refusal is to be put down to, see docs/decisions/errors.md. */
export type ErrorKind =
  /** What was sent is not valid, its sender is to blame; whether in any state or in this one, the error itself says. */
  | 'invalid'
  /** This node does not do it, or not now; another may, and nobody is to blame. */
  | 'limit'
  /** The machine below this node has failed it: disk, memory, threads. */
  | 'environment'
  /** This node has a bug. Nobody is to blame, and it would only happen again. */
  | 'bug';

export interface ErrorRow {
  /** Our own, stable name of this very check. */
  readonly key: string;
  readonly kind: ErrorKind;
  /** Wire number, e.g. 3030001; 10 is the family's generic assertion. */
  readonly code: number;
  /** Wire name, e.g. `tx_missing_active_auth` or `assert_exception`. */
  readonly name: string;
  /** Wire title, e.g. `Assert Exception`. */
  readonly title: string;
  /** Sentence with `${field}` placeholders that are filled from the error's data. */
  readonly text: string;
  /** For people, where `text` is only the reference's expression; same placeholders. Clients never parse it. */
  readonly hint?: string;
}

export type ErrorData = Readonly<Record<string, unknown>>;

interface RowInput {
  readonly kind?: ErrorKind;
  readonly text: string;
  readonly hint?: string;
  readonly code?: number;
  readonly name?: string;
  readonly title?: string;
}

/** Families of errors that the wire knows by number, for rows that are not generic assertions. */
export const FAMILY = {
  unspecified: { code: 0, name: 'exception', title: 'unspecified' },
  invalidArgument: { code: 5, name: 'invalid_arg_exception', title: 'Invalid Argument' },
  parse: { code: 4, name: 'parse_error_exception', title: 'Parse Error' },
  badCast: { code: 7, name: 'bad_cast_exception', title: 'Bad Cast' },
  outOfRange: { code: 8, name: 'out_of_range_exception', title: 'Out of Range' },
  endOfInput: { code: 11, name: 'eof_exception', title: 'End Of File' },
  standard: { code: 13, name: 'std_exception', title: 'Standard Exception' },
  aes: { code: 18, name: 'aes_exception', title: 'AES error' },
  overflow: { code: 19, name: 'overflow_exception', title: 'Integer Overflow' },
  underflow: { code: 20, name: 'underflow_exception', title: 'Integer Underflow' },
  divideByZero: { code: 21, name: 'divide_by_zero_exception', title: 'Integer Divide By Zero' },
} as const;

const registry = new Map<string, ErrorRow>();

/**
 * Adds rows to the table. Rows without a code are generic assertions (code 10), as most state checks are; rows without a
 * kind of their own are of the given one.
 */
export function defineErrors<K extends string>(
  rows: Record<K, RowInput>,
  kind: ErrorKind = 'invalid',
): Readonly<Record<K, ErrorRow>> {
  const out = {} as Record<K, ErrorRow>;
  for (const key of Object.keys(rows) as K[]) {
    if (registry.has(key)) throw new Error(`error key ${key} is defined twice`);
    const input = rows[key];
    const row: ErrorRow = {
      key,
      kind: input.kind ?? kind,
      code: input.code ?? 10,
      name: input.name ?? 'assert_exception',
      title: input.title ?? (input.code === undefined ? 'Assert Exception' : input.text),
      text: input.text,
      ...(input.hint === undefined ? {} : { hint: input.hint }),
    };
    registry.set(key, row);
    out[key] = row;
  }
  return out;
}

/** The whole table, in the order of definition. */
export function allErrors(): readonly ErrorRow[] {
  return [...registry.values()];
}

/** One step of the way that an error took outwards: which operation, which transaction, which block. */
export interface ErrorContext {
  readonly text: string;
  readonly data?: ErrorData;
}

export class ChainError extends Error {
  override readonly name = 'ChainError';
  readonly row: ErrorRow;
  readonly data: ErrorData;
  /** Field path such as `operations[2].memo.nonce`, empty when no field is to blame. */
  path = '';
  /** Invalid in itself, so that no state could cure it: whoever passes it on is to blame, however far behind they are. */
  isStateless = false;
  /** About who has signed a transaction: nodes of the reference that make no blocks do not look at that in those of others. */
  isOfSigners = false;
  /** Innermost first. */
  readonly context: ErrorContext[] = [];
  /** What led to it, as plain values, where somebody has looked: of contract calls on a development chain. */
  trace: (() => object) | undefined;

  constructor(row: ErrorRow, data: ErrorData = {}) {
    super();
    this.row = row;
    this.data = data;
  }

  get key(): string {
    return this.row.key;
  }

  get kind(): ErrorKind {
    return this.row.kind;
  }

  get code(): number {
    return this.row.code;
  }

  /** Filled in when it is read: hot paths throw and catch errors whose text nobody looks at. */
  override get message(): string {
    const text = fill(this.row.text === '' ? (this.row.hint ?? this.row.title) : this.row.text, this.data);
    return this.path === '' ? text : `${this.path}: ${text}`;
  }

  /** The sentence for people, filled in like the message, beside a text that needs one; a message that is this sentence has none. */
  get hint(): string | undefined {
    const { hint, text } = this.row;
    return hint === undefined || text === '' ? undefined : fill(hint, this.data);
  }

  /** Puts an outer field name or `[index]` in front of the path. */
  at(step: string): this {
    if (this.path === '') this.path = step;
    else this.path = this.path.startsWith('[') ? step + this.path : `${step}.${this.path}`;
    return this;
  }

  within(text: string, data?: ErrorData): this {
    this.context.push(data === undefined ? { text } : { text, data });
    return this;
  }
}

/** `${name}` placeholders become the data's values; a missing value stays visible as the placeholder. */
export function fill(text: string, data: ErrorData): string {
  return text.replace(/\$\{([^}]*)\}/g, (whole, key: string) => (key in data ? show(data[key]) : whole));
}

function show(value: unknown): string {
  if (typeof value === 'string') return shortened(value);
  if (value === null || typeof value !== 'object') return String(value);
  return shortened(JSON.stringify(plainData(value, { room: LIMITS.error_value_chars_max })));
}

function shortened(text: string): string {
  const limit = LIMITS.error_value_chars_max;
  return text.length <= limit ? text : `${text.slice(0, limit)}…`;
}

export type PlainData = null | boolean | number | string | PlainData[] | { [key: string]: PlainData };

const NESTING_MAX = 8;

/**
 * What a value looks like in JSON, which takes neither bigints nor bytes. It stops where the room for it ends: clients
 * send values of any size, and no answer nor log line repeats more than the beginning of one.
 */
export function plainData(value: unknown, room: { room: number }, depth = 0): PlainData {
  room.room--;
  switch (typeof value) {
    case 'string': {
      const text = shortened(value);
      room.room -= text.length;
      return text;
    }
    case 'number':
    case 'boolean':
      return value;
    case 'bigint':
      return value >= -0x80000000n && value <= 0xffffffffn ? Number(value) : value.toString();
    case 'object':
      break;
    default:
      return null;
  }
  if (value === null || depth >= NESTING_MAX) return null;
  if (value instanceof Uint8Array) {
    return plainData(Buffer.from(value.subarray(0, LIMITS.error_value_chars_max)).toString('hex'), room, depth);
  }
  if (Array.isArray(value)) {
    const items: PlainData[] = [];
    for (const item of value) {
      if (room.room <= 0) return [...items, '…'];
      items.push(plainData(item, room, depth + 1));
    }
    return items;
  }
  const out: { [key: string]: PlainData } = {};
  for (const key in value) {
    if (room.room <= 0) return { ...out, '…': null };
    if (!Object.hasOwn(value, key)) continue;
    const name = shortened(key);
    room.room -= name.length;
    out[name] = plainData((value as Record<string, unknown>)[key], room, depth + 1);
  }
  return out;
}

/** The data of an error, member by member. */
export function plainMembers(data: ErrorData, room: { room: number }): { [key: string]: PlainData } {
  const out: { [key: string]: PlainData } = {};
  for (const [key, value] of Object.entries(data)) out[key] = plainData(value, room);
  return out;
}

/** Characters, about, of the values that one message shows. */
const MESSAGE_ROOM = 8192;

/** As clients of the family find it in `message`: the title, then the text of every step that has one. */
export function composeMessage(error: ChainError): string {
  const filled = (text: string, data: ErrorData): string =>
    text === '' ? '' : ` ${fill(text, plainMembers(data, { room: MESSAGE_ROOM }))}`;
  const steps = error.context.map(({ text, data }) => filled(text, data ?? {}));
  return `${error.row.title}:${filled(error.row.text, error.data)}${steps.join('')}`;
}

export function fail(row: ErrorRow, data?: ErrorData): never {
  throw new ChainError(row, data);
}

/** An expected refusal: the input is wrong, the state does not allow it. `data` may be lazy on hot paths. */
export function check(ok: boolean, row: ErrorRow, data?: ErrorData | (() => ErrorData)): asserts ok {
  if (!ok) throw new ChainError(row, typeof data === 'function' ? data() : data);
}

/**
 * Our own bug. The chain refuses the transaction or block that met it, since undo takes back what it did (chain/bugs.ts);
 * nobody else catches one.
 */
export class InvariantError extends Error {
  override readonly name: string = 'InvariantError';
}

/** What is in memory can no longer be trusted. Never turned into a refusal: the node must stop, not go on. */
export class StateLostError extends InvariantError {
  override readonly name = 'StateLostError';
}

export function invariant(ok: boolean, what: string): asserts ok {
  if (!ok) throw new InvariantError(`invariant broken: ${what}`);
}

/** Runs `work`; a ChainError that comes out of it gets `step` in front of its field path. */
export function atField<T>(step: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof ChainError) error.at(step);
    throw error;
  }
}

/** Runs `work`, which looks at nothing but what was sent: what it finds invalid would be so in every state. */
export function stateless<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof ChainError && error.kind === 'invalid') error.isStateless = true;
    throw error;
  }
}

/** Runs `work`; a ChainError that comes out of it says in one more sentence what was being done. */
export function inContext<T>(text: string, data: () => ErrorData, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof ChainError) error.within(text, data());
    throw error;
  }
}
