import type { AnyType, Network, Type } from '../../codec/type.js';
import { type PublicKey, publicKeyToText } from '../../crypto/public-key.js';
import { ownPrinter } from './printing-type.js';

/**
 * Prints values as JSON text at once. Going through an intermediate value and JSON.stringify costs twice the time and
 * leaves as much garbage as text. One function per type, made when it is first needed from the type's declaration; the
 * text is exactly that of `JSON.stringify(type.toJson(value, network))`, which a test proves for random values of every type.
 */
export type Printer<V> = (value: V, network: Network) => string;

// biome-ignore lint/suspicious/noExplicitAny: the one name for a printer whose values its declaration knows
type AnyPrinter = Printer<any>;
const printers = new WeakMap<object, AnyPrinter>();

export function printerOf<V>(type: Type<V>): Printer<V> {
  const known = printers.get(type);
  if (known !== undefined) return known;
  // A type that contains itself finds this entry while it is made.
  let made: Printer<V> | undefined;
  printers.set(type, (value: V, network: Network) => (made as Printer<V>)(value, network));
  made = make(type) as Printer<V>;
  printers.set(type, made);
  return made;
}

function make(type: AnyType): AnyPrinter {
  const { shape } = type;
  const own = ownPrinter(type);
  if (own !== undefined) return own;
  switch (shape.kind) {
    case 'struct':
      return structPrinter(shape.fields);
    case 'array':
    case 'set':
      return listPrinter(printerOf(shape.of));
    case 'map':
      return listPrinter(pairPrinter(printerOf(shape.key), printerOf(shape.of)));
    case 'pair':
      return pairPrinter(printerOf(shape.key), printerOf(shape.of));
    case 'optional': {
      const of = printerOf(shape.of as Type<unknown>);
      return (value: unknown, network: Network) => (value === undefined ? 'null' : of(value, network));
    }
    case 'variant': {
      const alternatives = shape.of.map((alternative) => printerOf(alternative as Type<unknown>));
      return ([tag, body]: [number, unknown], network: Network) =>
        `[${tag},${(alternatives[tag] as AnyPrinter)(body, network)}]`;
    }
    case 'extension':
    case 'either':
      return viaJson(type);
    default:
      return scalarPrinter(type);
  }
}

function viaJson(type: AnyType): AnyPrinter {
  return (value: unknown, network: Network) => JSON.stringify(type.toJson(value, network));
}

/** Built as a person would write it: one expression with all members, as long as none can be absent. */
function structPrinter(fields: readonly (readonly [string, AnyType])[]): AnyPrinter {
  const parts = fields.map(([, type]) => {
    const inner = type.omitWhenAbsent === true && type.shape.kind === 'optional' ? type.shape.of : type;
    return printerOf(inner as Type<unknown>);
  });
  // Nothing came before an absent first member, so the comma depends on what is there.
  const firstAlways = fields.findIndex(([, type]) => type.omitWhenAbsent !== true);
  const statements = fields.map(([name, type], i) => {
    const member = JSON.stringify(`${JSON.stringify(name)}:`);
    const key = JSON.stringify(name);
    if (type.omitWhenAbsent !== true) {
      const comma = i === 0 ? '' : i > firstAlways ? `',' +` : `(o === '{' ? '' : ',') +`;
      return `o += ${comma} ${member} + p[${i}](v[${key}], n);`;
    }
    const comma = firstAlways >= 0 && i > firstAlways ? `','` : `(o === '{' ? '' : ',')`;
    return `if (v[${key}] !== undefined) o += ${comma} + ${member} + p[${i}](v[${key}], n);`;
  });
  const source = `return (v, n) => { let o = '{'; ${statements.join(' ')} return o + '}'; };`;
  return new Function('p', source)(parts) as AnyPrinter;
}

function listPrinter(of: AnyPrinter): AnyPrinter {
  const print = of as AnyPrinter;
  return (values: readonly unknown[], network: Network) => {
    if (values.length === 0) return '[]';
    let out = `[${print(values[0], network)}`;
    for (let i = 1; i < values.length; i++) out += `,${print(values[i], network)}`;
    return `${out}]`;
  };
}

function pairPrinter(key: AnyPrinter, of: AnyPrinter): AnyPrinter {
  const first = key as AnyPrinter;
  const second = of as AnyPrinter;
  return (pair: readonly [unknown, unknown], network: Network) =>
    `[${first(pair[0], network)},${second(pair[1], network)}]`;
}

const SIGNED_MIN = -0x80000000n;
const SIGNED_MAX = 0x7fffffffn;
const UNSIGNED_MAX = 0xffffffffn;

const plainNumber = (value: number): string => `${value}`;
const signed = (value: bigint): string => (value >= SIGNED_MIN && value <= SIGNED_MAX ? `${value}` : `"${value}"`);
const unsigned = (value: bigint): string => (value <= UNSIGNED_MAX ? `${value}` : `"${value}"`);
const quoted = (value: unknown): string => `"${value}"`;

/** Keys whose text is remembered, without its prefix, which is the network's: making it costs a hash and a base58. */
const KEY_TEXTS_MAX = 65_536;
const keyTexts = new Map<string, string>();

function printKey(key: PublicKey, { keyPrefix }: Network): string {
  let text = keyTexts.get(key);
  if (text === undefined) {
    if (keyTexts.size >= KEY_TEXTS_MAX) keyTexts.clear();
    text = publicKeyToText(key, '');
    keyTexts.set(key, text);
  }
  return `"${keyPrefix}${text}"`;
}

/** Scalars whose texts need no escaping; all others go the general way. */
function scalarPrinter(type: AnyType): AnyPrinter {
  switch (type.name) {
    case 'uint8':
    case 'uint16':
    case 'uint32':
    case 'int8':
    case 'int16':
    case 'int32':
      return plainNumber;
    case 'int64':
    case 'share':
      return signed;
    case 'uint64':
    case 'varint':
    case 'callback':
      return unsigned;
    case 'uint128':
      return quoted;
    case 'bool':
      return (value: boolean) => (value ? 'true' : 'false');
    case 'string':
      return (value: string) => JSON.stringify(value);
    case 'public_key':
      return printKey;
    case 'block_id':
    case 'transaction_id':
    case 'checksum160':
    case 'sha256':
    case 'commitment':
    case 'blind_factor':
      return quoted;
    case 'time_point_sec':
    case 'bytes':
    case 'signature':
    case 'vote_id':
    case 'object_id_type':
      return (value: unknown, network: Network) => `"${type.toJson(value, network)}"`;
    default:
      return type.name.endsWith('_id')
        ? (value: unknown, network: Network) => `"${type.toJson(value, network)}"`
        : viaJson(type);
  }
}
