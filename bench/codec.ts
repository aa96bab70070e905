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

/**
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

function rate(work: () => void, milliseconds: number): string {
  for (let i = 0; i < 200; i++) work();
  const start = performance.now();
  let runs = 0;
  while (performance.now() - start < milliseconds) {
    for (let i = 0; i < 50; i++) work();
    runs += 50;
  }
  return `${Math.round((runs * 1000) / (performance.now() - start)).toLocaleString('en-US')}/s`;
}

export function run(print: (row: string[]) => void, size: 'small' | 'full'): void {
  const milliseconds = size === 'full' ? 1500 : 50;
  const both = <V>(name: string, type: Type<V>, value: V): void => {
    const bytes = encode(type, value);
    print([`encode ${name}`, rate(() => encode(type, value), milliseconds), `${bytes.length} bytes`]);
    print([`decode ${name}`, rate(() => decode(type, bytes), milliseconds), `${bytes.length} bytes`]);
  };
  const transfer = transactionOf(transferOperation(0));
  both('transfer', signedTransaction, transfer);
  both('account_create', signedTransaction, transactionOf(accountCreateOperation()));
  both('block of 500 transfers', signedBlock, blockOf(500));

  const digest = (tx: SignedTransaction): Uint8Array =>
    encodeWith(transaction, tx, (bytes) => signatureDigest(CHAIN_ID, bytes));
  const bytes = encode(signedTransaction, transfer);
  print(['transaction digest', rate(() => digest(transfer), milliseconds)]);
  print([
    'decode + digest of a transfer',
    rate(() => digest(decode(signedTransaction, bytes)), milliseconds),
    'floor 150,000/s',
  ]);
  const withId = (): void => {
    const tx = decode(signedTransaction, bytes);
    encodeWith(transaction, tx, (packed) => {
      signatureDigest(CHAIN_ID, packed);
      transactionId(packed);
    });
  };
  print(['decode + digest + id', rate(withId, milliseconds)]);
  print([
    'JSON of a transfer, written',
    rate(() => JSON.stringify(signedTransaction.toJson(transfer, NETWORK)), milliseconds),
  ]);
  const json = JSON.stringify(signedTransaction.toJson(transfer, NETWORK));
  print(['JSON of a transfer, read', rate(() => signedTransaction.fromJson(JSON.parse(json), NETWORK), milliseconds)]);
}
