import type { Json } from '../../src/codec/json.js';
import type { AnyType } from '../../src/codec/type.js';
import { APIS } from '../../src/rpc/apis/index.js';
import { keyText } from '../rpc/support/key-texts.js';
import { plainValue, worstValues } from '../rpc/support/worst-arguments.js';
import type { SeededRandom } from '../sim/random.js';

/** JSON-RPC from the table of methods: right, nearly right and wrong. */

/** Numbers of any size stand as numbers. */
export function jsonText(json: Json): string {
  try {
    return JSON.stringify(json);
  } catch {
    // One of them is a bigint.
    return JSON.stringify(json, (_, value: unknown) => (typeof value === 'bigint' ? `#${value}#` : value)).replace(
      /"#(-?\d+)#"/g,
      '$1',
    );
  }
}

const NAMES = [
  'alice',
  'init0',
  'honest-client',
  'committee-account',
  'CORE',
  'GXC',
  'bank-c0',
  '1.2.5',
  '',
  'ü\u0000',
];
const NUMBERS = [0, 1, 2, 7, 100, 101, 65_536, 16_777_216, 4_294_967_295];
const LIST_MAX = 4;
/** Larger ones are for the long form of the watchdog. */
const SIZES = { elements: 2000, tooMany: 12_000, chars: 100_000, depth: 2, alternatives: 1 };

const ODD: readonly ((random: SeededRandom) => Json)[] = [
  () => null,
  () => true,
  () => -1,
  () => 0.5,
  () => 1e300,
  () => 2n ** 64n,
  () => -(2n ** 63n) - 1n,
  () => '',
  () => '-',
  () => '18446744073709551616',
  () => '1.2.',
  () => '1.2.99999999999999999999',
  () => '2.255.1',
  () => '1970-01-01T00:00:00Z',
  () => '\udc80',
  () => '\u0000',
  () => 'deadbeef'.repeat(8),
  () => 'GXC'.padEnd(53, '1'),
  () => [],
  () => ({}),
  () => [[]],
  () => [-1, {}],
  () => [0, [0, [0, {}]]],
  () => ({ __proto__: null, constructor: 1, toString: [] }),
  (random) => 'x'.repeat(random.below(3000)),
  (random) => random.pick(NUMBERS),
  (random) => random.pick(NAMES),
];

const isList = (json: Json): json is Json[] => Array.isArray(json);
const isObject = (json: Json): json is { [key: string]: Json } =>
  json !== null && typeof json === 'object' && !Array.isArray(json);

/** The same document with one place of it changed, left out or doubled. */
export function bentJson(json: Json, random: SeededRandom): Json {
  if (random.chance(0.75)) {
    if (isList(json) && json.length > 0) {
      const at = random.below(json.length);
      if (random.chance(0.06)) return json.filter((_, i) => i !== at);
      if (random.chance(0.06)) return [...json, json[at] as Json];
      return json.map((one, i) => (i === at ? bentJson(one, random) : one));
    }
    if (isObject(json) && Object.keys(json).length > 0) {
      const name = random.pick(Object.keys(json));
      const { [name]: value, ...rest } = json;
      if (random.chance(0.06)) return rest;
      if (random.chance(0.04)) return { ...rest, [`${name}_`]: value as Json };
      return { ...json, [name]: bentJson(value as Json, random) };
    }
  }
  return random.pick(ODD)(random);
}

/** A value of the type as a client may send it; what it names may exist. */
function likelyJson(type: AnyType, random: SeededRandom, depth = 0): Json {
  const { shape } = type;
  const inner = (of: AnyType): Json => likelyJson(of, random, depth + 1);
  switch (shape.kind) {
    case 'struct':
      return Object.fromEntries(shape.fields.map(([name, of]) => [name, inner(of)]));
    case 'extension':
      return Object.fromEntries(shape.fields.filter(() => random.chance(0.2)).map(([name, of]) => [name, inner(of)]));
    case 'array':
    case 'set':
      return Array.from({ length: random.below(depth > 3 ? 1 : LIST_MAX) }, () => inner(shape.of));
    case 'map':
      return Array.from({ length: random.below(depth > 3 ? 1 : LIST_MAX) }, () => [inner(shape.key), inner(shape.of)]);
    case 'pair':
      return [inner(shape.key), inner(shape.of)];
    case 'optional':
      return random.chance(0.5) ? null : inner(shape.of);
    case 'variant': {
      const tag = depth > 4 ? 0 : random.below(shape.of.length);
      return [tag, inner(shape.of[tag] as AnyType)];
    }
    default:
      if (type.name === 'string') return random.pick(NAMES);
      return plainValue(type, random.chance(0.5) ? random.below(30) : random.pick(NUMBERS), keyText);
  }
}

/** `light`: the largest arguments come seldom, for who sends thousands of requests a second. */
export type Weight = 'full' | 'light';

interface Method {
  readonly api: string;
  readonly name: string;
  readonly params: readonly AnyType[];
}

const METHODS: readonly Method[] = APIS.flatMap(({ name: api, methods }) =>
  Object.entries(methods).map(([name, { params }]) => ({ api, name, params: Object.values(params) as AnyType[] })),
);

function argumentsOf({ params }: Method, random: SeededRandom, weight: Weight): Json {
  const args = params.map((type) => likelyJson(type, random));
  const dice = random.next();
  if (dice < 0.35) return args;
  if (dice < 0.8) return bentJson(args, random);
  if (dice < 0.85) return args.slice(1);
  if (dice < 0.9) return [...args, ...args];
  if (dice < 0.92 || params.length === 0) return random.pick(ODD)(random);
  if (weight === 'light' && random.chance(0.95)) return args;
  const at = random.below(params.length);
  const worst = random.pick(worstValues(params[at] as AnyType, SIZES, keyText)).make();
  return args.map((one, i) => (i === at ? worst : one));
}

function request(random: SeededRandom, weight: Weight): Json {
  let method = random.pick(METHODS);
  // Curve points take milliseconds each.
  while (weight === 'light' && method.api === 'crypto' && random.chance(0.95)) method = random.pick(METHODS);
  const args = argumentsOf(method, random, weight);
  const id = random.chance(0.9) ? random.below(1000) : random.pick(ODD)(random);
  const dice = random.next();
  if (dice < 0.5) return { jsonrpc: '2.0', id, method: 'call', params: [method.api, method.name, args] };
  if (dice < 0.8) return { id, method: method.name, params: args };
  if (dice < 0.9) return { id, method: 'call', params: [random.below(APIS.length + 2), method.name, args] };
  return bentJson({ jsonrpc: '2.0', id, method: 'call', params: [method.api, method.name, args] }, random);
}

function damaged(text: string, random: SeededRandom): Buffer {
  const bytes = Buffer.from(text, 'utf8');
  for (let i = random.between(1, 3); i > 0 && bytes.length > 0; i--) {
    bytes[random.below(bytes.length)] = random.pick([0, 0x22, 0x5b, 0x5d, 0x7b, 0x7d, 0x2c, 0x5c, 0x80, 0xff]);
  }
  return random.chance(0.3) ? bytes.subarray(0, random.below(bytes.length + 1)) : bytes;
}

/** The body of a request, or a WebSocket message. */
export function document(random: SeededRandom, weight: Weight = 'full'): { kind: string; body: Buffer } {
  const dice = random.next();
  if (dice < 0.8) return { kind: 'json-rpc', body: Buffer.from(jsonText(request(random, weight))) };
  if (dice < 0.9) {
    const batch = Array.from({ length: random.below(random.chance(0.1) ? 120 : 6) }, () => request(random, weight));
    return { kind: 'json-rpc batch', body: Buffer.from(jsonText(batch)) };
  }
  return { kind: 'json-rpc damaged', body: damaged(jsonText(request(random, weight)), random) };
}
