import { decode, encode, encodeWith } from '../src/codec/binary.js';
import type { Type } from '../src/codec/type.js';
import { signatureDigest, transactionId } from '../src/crypto/digests.js';
import { PrivateKey } from '../src/crypto/private-key.js';
import '../src/operations/index.js';
import { keyAuthority } from '../src/protocol/authority.js';
import { type SignedBlock, signedBlock } from '../src/protocol/block.js';
import type { Operation } from '../src/protocol/operation-slot.js';
import { VOID_RESULT } from '../src/protocol/results.js';
import { type SignedTransaction, signedTransaction, transaction } from '../src/protocol/transaction.js';
import { NETWORK } from '../test/support/network.js';
import type { Ratio } from './fixtures/ratios.js';
import { count, startStopwatch } from './fixtures/stopwatch.js';
import { recoveryUs } from './fixtures/yardstick.js';
import type { Print, Size } from './run.js';

/**
 * One type after the other, the same value again and again: everything is warm, and no collection of garbage sees anything
 * that lives.
 *
 * Estimate: a transfer has some 25 fields and 110 bytes; at 20 ns a field decoding should pass 1,000,000/s, and two
 * sha256 of one block each, at 0.5 µs, should leave more than 400,000/s. The floor for decode + digest is 150,000/s.
 */

const CHAIN_ID = '4f7d07969c446f8342033acb3ab2ae5044cbe0fde93db02de75bd17fa8fd84b8';

function transferOperation(i: number): Operation {
  const body = {
    fee: { amount: 100_000n, asset_id: 1 },
    from: 1000 + i,
    to: 2000 + i,
    amount: { amount: 123_456_789n + BigInt(i), asset_id: 1 },
    memo: undefined,
    extensions: [],
  };
  return [0, body];
}

function accountCreateOperation(): Operation {
  const key = PrivateKey.fromSeed('bench').publicKey;
  const body = {
    fee: { amount: 114_648n, asset_id: 1 },
    registrar: 17,
    referrer: 17,
    referrer_percent: 0,
    name: 'spec-user-1',
    owner: keyAuthority(key),
    active: keyAuthority(key),
    options: { memo_key: key, voting_account: 5, num_witness: 0, num_committee: 0, votes: [], extensions: [] },
    extensions: {},
  };
  return [5, body];
}

function transactionOf(operation: Operation): SignedTransaction {
  return {
    ref_block_num: 4660,
    ref_block_prefix: 305_419_896,
    expiration: 1_700_000_000,
    operations: [operation],
    extensions: [],
    signatures: [new Uint8Array(65).fill(31)],
  };
}

function blockOf(count: number): SignedBlock {
  return {
    previous: '00'.repeat(20),
    timestamp: 1_700_000_000,
    witness: 1,
    transaction_merkle_root: '00'.repeat(20),
    extensions: [],
    witness_signature: new Uint8Array(65),
    transactions: Array.from({ length: count }, (_, i) => ({
      ...transactionOf(transferOperation(i)),
      operation_results: [VOID_RESULT],
    })),
  };
}

/** Runs by the second on the clock, and the CPU microseconds of each, the collector's included. */
function measured(work: () => void, milliseconds: number): { readonly rate: string; readonly cpuUs: number } {
  for (let i = 0; i < 200; i++) work();
  const stop = startStopwatch();
  let runs = 0;
  // Once in any case: others may have the machine for longer than that.
  do {
    for (let i = 0; i < 50; i++) work();
    runs += 50;
  } while (stop().seconds * 1000 < milliseconds);
  const { seconds, cpuSeconds } = stop();
  return { rate: `${count(runs / seconds)}/s`, cpuUs: (cpuSeconds * 1e6) / runs };
}

export function run(print: Print, size: Size, ratio: Ratio): void {
  const milliseconds = size === 'full' ? 1500 : 50;
  const row = (name: string, work: () => void, more = ''): number => {
    const { rate, cpuUs } = measured(work, milliseconds);
    print([name, rate, `${cpuUs.toFixed(2)} µs CPU each`, more]);
    return cpuUs;
  };
  const both = <V>(name: string, type: Type<V>, value: V): void => {
    const bytes = encode(type, value);
    row(`encode ${name}`, () => encode(type, value), `${bytes.length} bytes`);
    row(`decode ${name}`, () => decode(type, bytes), `${bytes.length} bytes`);
  };
  const transfer = transactionOf(transferOperation(0));
  both('transfer', signedTransaction, transfer);
  both('account_create', signedTransaction, transactionOf(accountCreateOperation()));
  both('block of 500 transfers', signedBlock, blockOf(500));

  const digest = (tx: SignedTransaction): Uint8Array =>
    encodeWith(transaction, tx, (bytes) => signatureDigest(CHAIN_ID, bytes));
  const bytes = encode(signedTransaction, transfer);
  row('transaction digest', () => digest(transfer));
  const cpuUs = row('decode + digest of a transfer', () => digest(decode(signedTransaction, bytes)), 'floor 150,000/s');
  ratio('recovery of its key to decoding a transfer and its digest', recoveryUs() / cpuUs);
  const withId = (): void => {
    const tx = decode(signedTransaction, bytes);
    encodeWith(transaction, tx, (packed) => {
      signatureDigest(CHAIN_ID, packed);
      transactionId(packed);
    });
  };
  row('decode + digest + id', withId);
  const written = row('JSON of a transfer, written', () => JSON.stringify(signedTransaction.toJson(transfer, NETWORK)));
  ratio('recovery of its key to writing a transfer as JSON', recoveryUs() / written);
  const json = JSON.stringify(signedTransaction.toJson(transfer, NETWORK));
  row('JSON of a transfer, read', () => signedTransaction.fromJson(JSON.parse(json), NETWORK));
}
