import t, { type Test } from 'tap';
import { ChainError } from '../../../src/base/errors.js';
import { decode, encode } from '../../../src/codec/binary.js';
import { array, lazy, map, optional, pair, set, variant, wrapped } from '../../../src/codec/containers.js';
import { blockTransactionRules, messageRules, OWN_TRANSACTION_RULES } from '../../../src/codec/decode-rules.js';
import { JSON_ERRORS, type Json, parseJson } from '../../../src/codec/json.js';
import { READ_ERRORS, Reader } from '../../../src/codec/reader.js';
import {
  bool,
  bytes,
  fixedBytes,
  i64,
  share,
  text,
  time,
  u8,
  u16,
  u32,
  u64,
  u128,
  varint,
} from '../../../src/codec/scalars.js';
import { extension, struct } from '../../../src/codec/struct.js';
import type { AnyType } from '../../../src/codec/type.js';
import '../../../src/operations/index.js';
import { signedBlock } from '../../../src/protocol/block.js';
import { accountId, objectId } from '../../../src/protocol/ids.js';
import { blockId } from '../../../src/protocol/keys.js';
import { type Operation, operation } from '../../../src/protocol/operation-slot.js';
import { processedTransaction, type SignedTransaction, signedTransaction } from '../../../src/protocol/transaction.js';
import { NETWORK } from '../../support/network.js';
import { refused } from '../../support/refused.js';

/** Proposals in proposals: the only values that nest as deep as anybody likes. */

const TRANSFER = operation.fromJson([0, { from: '1.2.17', to: '1.2.18', amount: {} }], NETWORK) as Operation;
const EMPTY = operation.fromJson([22, {}], NETWORK) as Operation;

function nested(levels: number, inside: readonly Operation[] = []): Operation {
  let list = inside;
  let out = EMPTY;
  for (let i = 0; i < levels; i++) {
    out = [22, { ...EMPTY[1], proposed_ops: list.map((op) => ({ op })) }] as unknown as Operation;
    list = [out];
  }
  return out;
}

const transactionOf = (op: Operation): SignedTransaction => ({
  ...signedTransaction.default(),
  operations: [op],
});
const blockOf = (op: Operation) => ({
  ...signedBlock.default(),
  transactions: [{ ...transactionOf(op), operation_results: [] }],
});

const transactionMessage = struct('trx_message', { trx: signedTransaction });
const blockMessage = struct('block_message', { block: signedBlock, block_id: blockId });
const FILE_DEPTH = 999;

interface Place {
  readonly name: string;
  readonly type: AnyType;
  readonly rules: ReturnType<typeof messageRules>;
  /** Levels of proposals with nothing in the last, and with a transfer. */
  readonly levels: readonly [empty: number, transfer: number];
  readonly value: (op: Operation) => unknown;
}

const PLACES: readonly Place[] = [
  {
    name: 'a bare transaction',
    type: signedTransaction,
    rules: messageRules('new'),
    levels: [90, 89],
    value: transactionOf,
  },
  {
    name: 'a message with a transaction',
    type: transactionMessage,
    rules: messageRules('old'),
    levels: [89, 88],
    value: (op) => ({ trx: transactionOf(op) }),
  },
  {
    name: 'a message with a block',
    type: blockMessage,
    rules: messageRules('new'),
    levels: [89, 88],
    value: (op) => ({ block: blockOf(op), block_id: '00'.repeat(20) }),
  },
  {
    name: 'a file of blocks',
    type: signedBlock,
    rules: { ...messageRules('new'), depth: FILE_DEPTH },
    levels: [89, 88],
    value: blockOf,
  },
  {
    name: 'a transaction of a block',
    type: processedTransaction,
    rules: blockTransactionRules('new'),
    levels: [89, 88],
    value: (op) => ({ ...transactionOf(op), operation_results: [] }),
  },
  {
    name: 'a transaction that this node takes',
    type: processedTransaction,
    rules: OWN_TRANSACTION_RULES,
    levels: [89, 88],
    value: (op) => ({ ...transactionOf(op), operation_results: [] }),
  },
];

function deepest(t: Test, { name, type, rules, value }: Place, most: number, inside: readonly Operation[]): void {
  const read = (levels: number) => decode(type, encode(type, value(nested(levels, inside))), 'refuse', rules);
  t.doesNotThrow(() => read(most), `${name}: ${most} levels`);
  refused(t, READ_ERRORS.read_too_deep, () => read(most + 1), `${name}: ${most + 1} levels`);
}

for (const place of PLACES) {
  t.test(`proposals in ${place.name}`, async (t) => {
    deepest(t, place, place.levels[0], []);
    deepest(t, place, place.levels[1], [TRANSFER]);
  });
}

/** The smallest budget that a value can be read with. */
function least(type: AnyType, packed: Uint8Array): number {
  for (let depth = 0; ; depth++) {
    try {
      decode(type, packed, 'ignore', { column: 0, depth });
      return depth;
    } catch (error) {
      if (!(error instanceof ChainError) || error.row !== READ_ERRORS.read_too_deep) throw error;
    }
  }
}

t.test('what a value needs to be read', async (t) => {
  const leastOf = (json: Json): number => least(operation, encode(operation, operation.fromJson(json, NETWORK)));
  // variant 2, struct 4, asset 4, and its id 4.
  t.equal(leastOf([0, {}]), 14);
  t.equal(leastOf([22, {}]), 14);
  // variant 2, struct 4, abi 4, list 1, struct 4, list 1, field 4, string 2.
  t.equal(leastOf([74, { abi: { structs: [{ fields: [{}] }] } }]), 22);
  // variant 2, struct 4, parameters 4, set 1, variant 2, struct 4, list 1, pair 1, struct 4, bool 3.
  t.equal(leastOf([31, { new_parameters: { extensions: [[6, { params: [['1', {}]] }]] } }]), 26);
  // variant 2, struct 4, extension 2, variant 2, struct 4, id 4.
  t.equal(leastOf([5, { extensions: { owner_special_authority: [1, {}] } }]), 18);
  // variant 2, struct 4, optional 1, struct 4, id 4.
  t.equal(leastOf([6, { new_options: {} }]), 15);
  // variant 2, struct 4, parameters 4, wrapper 1, schedule 4, set 1, variant 2, struct 4, integer 2.
  t.equal(leastOf([31, { new_parameters: { current_fees: { parameters: [[0, {}]] } } }]), 24);
  t.equal(least(struct('none', {}), new Uint8Array(0)), 4);
});

t.test('what a leaf needs in a struct of its own', async (t) => {
  const leaves: readonly (readonly [type: AnyType, need: number])[] = [
    [u8, 2],
    [u16, 2],
    [u32, 2],
    [u64, 2],
    [i64, 2],
    [u128, 2],
    [share, 3],
    [bool, 3],
    [text, 2],
    [bytes, 1],
    [time, 0],
    [varint, 0],
    [blockId, 0],
    [fixedBytes('raw', 65), 0],
    [lazy('later', () => time), 0],
    [accountId, 4],
    [objectId, 4],
    [array(u8), 1],
    [optional(u8), 1],
    [pair(u8, u8), 3],
    [wrapped(u8), 3],
  ];
  for (const [type, need] of leaves) {
    const own = struct('own', { leaf: type });
    t.equal(least(own, encode(own, own.default())), 4 + need, type.name);
  }
  const filled: readonly (readonly [type: AnyType, value: unknown, need: number])[] = [
    [optional(u8), 1, 1 + 2],
    [array(u8), [1], 1 + 2],
    [array(u8), [1, 2], 1 + 2],
    [set(u8), [1], 1 + 2],
    [map(u8, u8), [[1, 1]], 1 + 1 + 2],
    [variant('either', [u8]), [0, 1], 2 + 2],
    [extension('more', { maybe: u8 }), { maybe: 1 }, 2 + 2],
  ];
  for (const [type, leaf, need] of filled) {
    const own = struct('own', { leaf: type });
    t.equal(least(own, encode(own, { leaf })), 4 + need, `${type.name} with something in it`);
  }
});

t.test('a message has a budget of 1000, to the unit', async (t) => {
  const [, transaction, block] = PLACES as [Place, Place, Place];
  const inLastOf88 = ({ type, value, rules }: Place, json: Json) => {
    const op = operation.fromJson(json, NETWORK) as Operation;
    return decode(type, encode(type, value(nested(88, [op]))), 'refuse', rules);
  };
  // 14 around the proposals, 11 for each of them, 18 for the operation.
  t.doesNotThrow(() => inLastOf88(block, [5, { extensions: { owner_special_authority: [1, {}] } }]));
  // 9, 968 and 24: one too many.
  const fees = { new_parameters: { current_fees: { parameters: [[0, {}]] } } };
  refused(t, READ_ERRORS.read_too_deep, () => inLastOf88(transaction, [31, fees]));
});

t.test('proposals in JSON', async (t) => {
  const request = (op: Operation): string =>
    JSON.stringify({
      id: 1,
      method: 'call',
      params: [2, 'broadcast_transaction', [signedTransaction.toJson(transactionOf(op), NETWORK)]],
    });
  t.doesNotThrow(() => parseJson(request(nested(61))));
  refused(t, JSON_ERRORS.json_too_deep, () => parseJson(request(nested(62))));
  t.doesNotThrow(() => parseJson(request(nested(60, [TRANSFER]))));
  refused(t, JSON_ERRORS.json_too_deep, () => parseJson(request(nested(61, [TRANSFER]))));
});

t.test('what stands beside a value may nest as deep as it could alone', async (t) => {
  const one = struct('one', { a: u32 });
  const types: [AnyType, unknown][] = [
    [array(u8), [1, 2, 3]],
    [array(u8), []],
    [set(u8), [1, 2]],
    [pair(u8, u8), [1, 2]],
    [array(pair(u8, one)), [1, 2, 3].map((n) => [n, { a: n }])],
    [map(u8, array(u8)), [1, 2].map((n) => [n, [n]])],
    [optional(array(u8)), [1]],
    [optional(u8), undefined],
    [variant('either', [u8, one]), [1, { a: 1 }]],
    [one, { a: 1 }],
    [extension('more', { a: u8, b: one }), { b: { a: 1 } }],
    [wrapped(one), { a: 1 }],
    [lazy('later', () => one), { a: 1 }],
  ];
  const depth = 20;
  for (const [type, value] of types) {
    const reader = new Reader(encode(type, value as never), { column: 0, depth });
    t.same(type.read(reader), value, type.name);
    t.doesNotThrow(() => reader.need(depth), type.name);
    refused(t, READ_ERRORS.read_too_deep, () => reader.need(depth + 1), type.name);
  }
});
