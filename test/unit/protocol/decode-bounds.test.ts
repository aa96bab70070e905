import t from 'tap';
import { concatBytes } from '../../../src/base/bytes.js';
import { decode, encode } from '../../../src/codec/binary.js';
import { array, set } from '../../../src/codec/containers.js';
import { type DecodeRules, messageRules, OWN_TRANSACTION_RULES } from '../../../src/codec/decode-rules.js';
import { READ_ERRORS } from '../../../src/codec/reader.js';
import { bytes, text } from '../../../src/codec/scalars.js';
import { struct } from '../../../src/codec/struct.js';
import type { AnyType } from '../../../src/codec/type.js';
import { Writer } from '../../../src/codec/writer.js';
import { OPERATIONS } from '../../../src/operations/index.js';
import { abiDef } from '../../../src/protocol/abi.js';
import { signedBlock } from '../../../src/protocol/block.js';
import { extensionItem } from '../../../src/protocol/extensions.js';
import { type Operation, operation, operations } from '../../../src/protocol/operation-slot.js';
import { proxyTransferParams } from '../../../src/protocol/proxy-transfer.js';
import { signedTransaction } from '../../../src/protocol/transaction.js';
import { AbiCodec } from '../../../src/vm/abi/abi-codec.js';
import { NETWORK } from '../../support/network.js';
import { refused } from '../../support/refused.js';

/** The most elements that the reference decodes, by the type of the element: new build, old build. */
const MOST: Readonly<Record<string, readonly [newMost: number, oldMost: number]>> = {
  operation: [22_215, 23_405],
  op_wrapper: [22_215, 23_405],
  operation_result: [187_245, 187_245],
  processed_transaction: [77_101, 77_101],
  signature: [161_319, 161_319],
  future_extensions: [131_071, 131_071],
  fee_parameters: [262_143, 262_143],
  account_receipt: [327_679, 327_679],
  account_id: [1_310_719, 1_310_719],
  asset_id: [1_310_719, 1_310_719],
  league_data_product_id: [1_310_719, 1_310_719],
  uint64: [1_310_719, 1_310_719],
  vote_id: [2_621_439, 2_621_439],
  public_key: [317_750, 317_750],
  'account_id,uint16': [1_048_575, 1_048_575],
  'public_key,uint16': [299_593, 299_593],
  'address,uint16': [476_625, 476_625],
  predicate: [218_453, 327_679],
  blind_input: [87_381, 87_381],
  blind_output: [39_718, 39_718],
  schema_context: [163_839, 655_359],
  'pair<string,lock_balance_params>': [218_453, 436_906],
  'pair<string,staking_params>': [218_453, 436_906],
  type_def: [163_839, 655_359],
  field_def: [163_839, 655_359],
  struct_def: [119_156, 262_143],
  action_def: [218_453, 436_906],
  table_def: [87_381, 145_635],
  string: [327_679, 1_310_719],
  error_message: [262_143, 655_359],
  'pair<uint16,bytes>': [327_679, 327_679],
};

/** Of messages between peers. */
const MOST_OF_PEERS: typeof MOST = {
  item_hash: [524_287, 524_287],
  address_info: [145_635, 145_635],
  current_connection_data: [119_156, 119_156],
  generic_variant: [655_359, 655_359],
};

/** Lists in arguments and rows of contracts. */
const MOST_OF_CONTRACTS: typeof MOST = {
  int8: [10_485_759, 10_485_759],
  uint8: [10_485_759, 10_485_759],
  bool: [10_485_759, 10_485_759],
  int16: [5_242_879, 5_242_879],
  uint16: [5_242_879, 5_242_879],
  int32: [2_621_439, 2_621_439],
  uint32: [2_621_439, 2_621_439],
  float32: [2_621_439, 2_621_439],
  time_point_sec: [2_621_439, 2_621_439],
  int64: [1_310_719, 1_310_719],
  uint64: [1_310_719, 1_310_719],
  float64: [1_310_719, 1_310_719],
  time_point: [1_310_719, 1_310_719],
  name: [1_310_719, 1_310_719],
  symbol: [1_310_719, 1_310_719],
  symbol_code: [1_310_719, 1_310_719],
  contract_asset: [655_359, 655_359],
  checksum160: [524_287, 524_287],
  block_id_type: [524_287, 524_287],
  bytes: [436_906, 436_906],
  checksum256: [327_679, 327_679],
  string: [327_679, 1_310_719],
  public_key: [317_750, 317_750],
  checksum512: [163_839, 163_839],
  signature: [161_319, 161_319],
};

/** Every list, set and map that can come over the wire, by its element. */
function containers(): Map<string, AnyType[]> {
  const found = new Map<string, AnyType[]>();
  const seen = new Set<AnyType>();
  const visit = (type: AnyType): void => {
    if (seen.has(type)) return;
    seen.add(type);
    const { shape } = type;
    const add = (element: string): void => void found.set(element, [...(found.get(element) ?? []), type]);
    switch (shape.kind) {
      case 'array':
      case 'set':
        add(shape.of.name);
        visit(shape.of);
        break;
      case 'map':
        add(`${shape.key.name},${shape.of.name}`);
        visit(shape.key);
        visit(shape.of);
        break;
      case 'pair':
        visit(shape.key);
        visit(shape.of);
        break;
      case 'optional':
        visit(shape.of);
        break;
      case 'struct':
      case 'extension':
        for (const [, of] of shape.fields) visit(of);
        break;
      case 'variant':
        for (const of of shape.of) visit(of);
    }
  };
  for (const type of [signedTransaction, signedBlock, proxyTransferParams, abiDef]) visit(type);
  for (const { schema } of OPERATIONS) visit(schema);
  return found;
}

function varint(value: number | bigint): Uint8Array {
  const writer = new Writer();
  writer.varint(value);
  return writer.finish();
}

const NEW = messageRules('new');
const OLD = messageRules('old');

/** A count alone is enough: one that is in bounds is missed by its elements, one that is not is refused before. */
function checkBound(
  t: Parameters<typeof refused>[0],
  name: string,
  read: (bytes: Uint8Array, rules: DecodeRules) => unknown,
  [newMost, oldMost]: readonly [number, number],
): void {
  const columns: [DecodeRules, number][] = [
    [NEW, newMost],
    [OLD, oldMost],
    [OWN_TRANSACTION_RULES, Math.min(newMost, oldMost)],
  ];
  for (const [rules, most] of columns) {
    refused(t, READ_ERRORS.read_past_end, () => read(varint(most), rules), `${most} of ${name}`);
    refused(t, READ_ERRORS.read_too_long, () => read(varint(most + 1), rules), `${most + 1} of ${name}`);
  }
}

t.test('every container that can come over the wire has its bound', async (t) => {
  const found = containers();
  t.same([...found.keys()].sort(), Object.keys(MOST).sort(), 'none is missing here');
  for (const [element, most] of Object.entries(MOST)) {
    const types = found.get(element) as AnyType[];
    for (const type of types) {
      checkBound(t, `${element} in ${type.name}`, (given, rules) => decode(type, given, 'ignore', rules), most);
    }
  }
});

t.test('containers in messages between peers', async (t) => {
  for (const [name, most] of Object.entries(MOST_OF_PEERS)) {
    const type = array({ ...struct(name, { first: bytes }), name });
    checkBound(t, name, (given, rules) => decode(type, given, 'ignore', rules), most);
  }
});

t.test('lists in arguments and rows of contracts', async (t) => {
  const codec = new AbiCodec(abiDef.fromJson({ structs: [{ name: 'predicate', base: '', fields: [] }] }), NETWORK);
  for (const [name, [most]] of Object.entries(MOST_OF_CONTRACTS)) {
    const read = (count: number) => () => codec.unpack(`${name}[]`, varint(count));
    refused(t, READ_ERRORS.read_past_end, read(most), `${most} of ${name}`);
    refused(t, READ_ERRORS.read_too_long, read(most + 1), `${most + 1} of ${name}`);
  }
  refused(t, READ_ERRORS.read_past_end, () => codec.unpack('predicate[]', varint(300_000)), 'a struct has none');
});

t.test('strings and bytes', async (t) => {
  for (const type of [text, bytes] as AnyType[]) {
    checkBound(t, type.name, (given, rules) => decode(type, given, 'ignore', rules), [10_485_759, 10_485_759]);
  }
});

/** Retired, does nothing, 13 bytes: the smallest operation. */
const CANCEL: Operation = operation.fromJson(
  [2, { fee_paying_account: '1.2.17', order: '1.7.0' }],
  NETWORK,
) as Operation;

t.test('22,215 operations, and one more', async (t) => {
  const packed = encode(operation, CANCEL);
  const list = (count: number): Uint8Array => {
    const out = new Uint8Array(count * packed.length);
    for (let i = 0; i < count; i++) out.set(packed, i * packed.length);
    return concatBytes(varint(count), out);
  };
  t.equal(decode(operations, list(22_215)).length, 22_215);
  refused(t, READ_ERRORS.read_too_long, () => decode(operations, list(22_216)), { data: { length: 22_216 } });
  t.equal(decode(operations, list(23_405), 'refuse', OLD).length, 23_405);
  refused(t, READ_ERRORS.read_too_long, () => decode(operations, list(23_406), 'refuse', OLD));
});

t.test('elements that a set drops count', async (t) => {
  const items = set(extensionItem as AnyType);
  const list = (count: number): Uint8Array => concatBytes(varint(count), new Uint8Array(count));
  t.same(decode(items, list(131_071)), [[0, {}]]);
  refused(t, READ_ERRORS.read_too_long, () => decode(items, list(131_072)));
});

t.test('counts in all their forms', async (t) => {
  const cancel = encode(operation, CANCEL);
  t.same(decode(operations, concatBytes(Uint8Array.of(0x81, 0x80, 0x80, 0), cancel)), [CANCEL], 'a long form of 1');
  // 472 times this is 2^64 and a little: a product in 64 bits would pass.
  const wraps = 2n ** 64n / 472n + 1n;
  for (const count of [wraps, 2n ** 53n, 2n ** 64n - 1n]) {
    refused(t, READ_ERRORS.read_too_long, () => decode(operations, concatBytes(varint(count), cancel)), `${count}`);
  }
  refused(t, READ_ERRORS.read_too_long, () => decode(operations, varint(22_216)), 'before any element is looked for');
});
