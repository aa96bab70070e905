import fc from 'fast-check';
import t from 'tap';
import { ChainError } from '../../src/base/errors.js';
import { decode, encode } from '../../src/codec/binary.js';
import { blockTransactionRules } from '../../src/codec/decode-rules.js';
import { type Json, parseJson } from '../../src/codec/json.js';
import { Reader } from '../../src/codec/reader.js';
import type { AnyType } from '../../src/codec/type.js';
import { OPERATIONS } from '../../src/operations/index.js';
import { abiDef } from '../../src/protocol/abi.js';
import { signedBlock } from '../../src/protocol/block.js';
import { chainParameters } from '../../src/protocol/chain-parameters.js';
import { genesisFile } from '../../src/protocol/genesis-file.js';
import { nameFromText } from '../../src/protocol/name.js';
import { operation } from '../../src/protocol/operation-slot.js';
import { operationResult } from '../../src/protocol/results.js';
import { processedTransaction } from '../../src/protocol/transaction.js';
import { OBJECTS } from '../../src/state/objects/index.js';
import { arbitraryOf } from '../support/arbitrary.js';
import { NETWORK } from '../support/network.js';

/** Whatever a type can hold survives bytes and JSON, and whatever bytes come in, the answer is a value or a coded error. */

const TYPES: readonly AnyType[] = [
  ...OPERATIONS.flatMap((definition) => [definition.schema, definition.fee.schema]),
  ...OBJECTS.map((definition) => definition.schema),
  operation,
  operationResult,
  processedTransaction,
  signedBlock,
  chainParameters,
  genesisFile,
  abiDef,
];
/** Also those that no object will ever have, which blocks can hold all the same. */
const instances = fc
  .oneof(fc.bigInt({ min: 0n, max: 300n }), fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }))
  .map((instance) => (instance <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(instance) : instance) as number);
const options = { depth: 2, nameFromText, instances };
const RUNS = 25;

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

for (const type of TYPES) {
  t.test(type.name, async (t) => {
    fc.assert(
      fc.property(arbitraryOf(type, options), (value) => {
        const bytes = encode(type, value);
        const back = decode(type, bytes);
        if (hex(encode(type, back)) !== hex(bytes)) throw new Error('bytes differ after decoding');
        const json = JSON.stringify(type.toJson(value, NETWORK));
        const again = type.fromJson(parseJson(json), NETWORK);
        if (JSON.stringify(type.toJson(again, NETWORK)) !== json) throw new Error('JSON differs after reading');
        // Names of contracts and prices apart, JSON and bytes carry the same value.
        if (hex(encode(type, again)) !== hex(bytes)) throw new Error(`bytes differ by way of JSON: ${json}`);
      }),
      { numRuns: RUNS },
    );
    t.pass('value, bytes and JSON agree');
  });
}

function answers(type: AnyType, bytes: Uint8Array): void {
  try {
    decode(type, bytes);
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
  }
}

const usual = fc.oneof({ weight: 50, arbitrary: fc.nat(2 ** 28 - 1) }, instances);

/** True where the bytes are passed: then decoders of every build have to take them, and they are written the same. */
function isPassed(type: AnyType, bytes: Uint8Array): boolean {
  const reader = new Reader(bytes);
  if (type.pass?.(reader) !== true) return false;
  const passed = bytes.subarray(0, reader.position);
  for (const build of ['new', 'old'] as const) {
    const value = decode(type, passed, 'refuse', blockTransactionRules(build));
    if (hex(encode(type, value)) !== hex(passed)) throw new Error(`${type.name} is written otherwise: ${hex(passed)}`);
  }
  return true;
}

t.test('what is passed without being read', async (t) => {
  const never: string[] = [];
  for (const type of TYPES) {
    if (!isPassed(type, encode(type, type.default()))) never.push(type.name);
    const changed = fc.record({
      value: arbitraryOf(type, { ...options, instances: usual }),
      at: fc.nat(),
      byte: fc.nat(255),
    });
    fc.assert(
      fc.property(changed, ({ value, at, byte }) => {
        const bytes = encode(type, value);
        isPassed(type, bytes);
        const mutated = Uint8Array.from(bytes);
        if (mutated.length > 0) mutated[at % mutated.length] = byte;
        isPassed(type, mutated);
      }),
      { numRuns: RUNS },
    );
  }
  t.notOk(never.includes('signed_block') || never.includes('operation'), 'blocks are');
  t.ok(never.length < TYPES.length / 10, `and nearly all else, but ${never.join()}`);
});

t.test('random and mutated bytes', async (t) => {
  const arbitrary = fc.record({
    value: arbitraryOf(signedBlock, options),
    noise: fc.uint8Array({ maxLength: 200 }),
    at: fc.nat(),
    byte: fc.nat(255),
    cut: fc.nat(),
  });
  fc.assert(
    fc.property(arbitrary, ({ value, noise, at, byte, cut }) => {
      const bytes = encode(signedBlock, value as never);
      const mutated = Uint8Array.from(bytes);
      mutated[at % mutated.length] = byte;
      answers(signedBlock, mutated);
      answers(signedBlock, bytes.subarray(0, cut % bytes.length));
      for (const type of [operation, processedTransaction, chainParameters, genesisFile, abiDef] as const) {
        answers(type, noise);
        answers(type, mutated);
      }
    }),
    { numRuns: 300 },
  );
  t.pass('only values and coded errors');
});

t.test('random JSON', async (t) => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (json) => {
      for (const type of TYPES) {
        try {
          type.fromJson(json as Json, NETWORK);
        } catch (error) {
          if (!(error instanceof ChainError)) throw error;
        }
      }
    }),
    { numRuns: 200 },
  );
  t.pass('only values and coded errors');
});
