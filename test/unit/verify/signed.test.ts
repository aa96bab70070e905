import t from 'tap';
import '../../../src/protocol/operations/index.js';
import { concatBytes, fromHex } from '../../../src/base/bytes.js';
import { ChainError, InvariantError } from '../../../src/base/errors.js';
import { decode, encode } from '../../../src/codec/binary.js';
import { array } from '../../../src/codec/containers.js';
import type { Json } from '../../../src/codec/json.js';
import { publicKeyToText } from '../../../src/crypto/public-key.js';
import { SIGNATURE_ERRORS } from '../../../src/crypto/signature.js';
import { blockHeader, type SignedBlock, signedBlock, signedBlockHeader } from '../../../src/protocol/block.js';
import { PackedBlock } from '../../../src/protocol/packed-block.js';
import { operationResult } from '../../../src/protocol/results.js';
import { ReadBlock } from '../../../src/protocol/source-block.js';
import { type ProcessedTransaction, type SignedTransaction, transaction } from '../../../src/protocol/transaction.js';
import { inlineVerifier } from '../../../src/verify/inline.js';
import { PoolVerifier } from '../../../src/verify/pool.js';
import { packTransaction, verifyBlock, verifyPacked } from '../../../src/verify/signed.js';
import { type SignatureVerifier, VERIFY_ERRORS } from '../../../src/verify/verify.js';
import { NETWORK } from '../../support/network.js';
import { refusedLater } from '../../support/refused.js';
import { readVectors } from '../../support/vectors.js';

interface PublishedTransaction {
  signatures: string[];
  operations: unknown[];
  operation_results: Json[];
}
interface BlockVector {
  block_id: string;
  block_num: number;
  merkle_root: string;
  recovered_signing_key: string;
  transaction_ids: string[];
  transactions_hex: string[];
  transaction_signer_keys: string[][];
  published_block: { witness_signature: string; transactions: PublishedTransaction[] };
}
const vectors = readVectors<{
  transactions: {
    name: string;
    chain_id: string;
    unsigned_hex: string;
    transaction_id: string;
    tx: { signatures: string[]; operations: unknown[] };
    recovered_public_keys: string[];
  }[];
  blocks: BlockVector[];
}>('protocol.json');
const MAINNET = '4f7d07969c446f8342033acb3ab2ae5044cbe0fde93db02de75bd17fa8fd84b8';

function transactionOf(unsignedHex: string, signatures: readonly string[]): SignedTransaction {
  return {
    ...decode(transaction, fromHex(unsignedHex)),
    signatures: signatures.map((signature) => fromHex(signature)),
  };
}

const verifiers = [inlineVerifier(), new PoolVerifier({ workers: 1 })];
t.teardown(() => Promise.all(verifiers.map((verifier) => verifier.close())));

t.test('published transactions, all in one batch', async (t) => {
  const chainId = (vectors.transactions[0] as { chain_id: string }).chain_id;
  const list = vectors.transactions.filter((tx) => tx.chain_id === chainId);
  t.ok(list.length > 1);
  for (const verifier of verifiers) {
    const verified = await verifyPacked(
      verifier,
      list.map((tx) => packTransaction(chainId, transactionOf(tx.unsigned_hex, tx.tx.signatures))),
    );
    verified.forEach((one, i) => {
      const expected = list[i] as (typeof list)[number];
      t.equal(one.id, expected.transaction_id, expected.name);
      t.equal(one.packedBytes, expected.unsigned_hex.length / 2);
      t.equal(one.keyError, undefined);
      t.same(
        one.keys.map((key) => publicKeyToText(key, NETWORK.keyPrefix)),
        expected.recovered_public_keys,
      );
    });
  }
});

function blockOf(vector: BlockVector): SignedBlock {
  const published = vector.published_block as unknown as Record<string, Json>;
  const header = blockHeader.fromJson(published);
  return {
    ...header,
    witness_signature: fromHex(vector.published_block.witness_signature),
    transactions: vector.published_block.transactions.map((tx, i) => ({
      ...transactionOf(vector.transactions_hex[i] as string, tx.signatures),
      operation_results: array(operationResult).fromJson(tx.operation_results),
    })),
  };
}

t.test('published blocks', async (t) => {
  for (const verifier of verifiers) {
    for (const vector of vectors.blocks) {
      const verified = (await verifyBlock(verifier, MAINNET, new ReadBlock(blockOf(vector)))).open();
      t.equal(verified.id, vector.block_id);
      t.equal(verified.num, vector.block_num);
      t.equal(verified.merkleRoot, vector.merkle_root);
      t.equal(publicKeyToText(verified.signingKey as string, NETWORK.keyPrefix), vector.recovered_signing_key);
      t.equal(verified.signingKeyError, undefined);
      t.same(
        verified.transactions.map((tx) => tx.id),
        vector.transaction_ids,
      );
      t.same(
        verified.transactions.map((tx) => tx.keys.map((key) => publicKeyToText(key, NETWORK.keyPrefix))),
        vector.transaction_signer_keys,
      );
    }
  }
});

t.test('a packed block need not be read before its turn', async (t) => {
  for (const verifier of verifiers) {
    for (const vector of vectors.blocks) {
      const block = blockOf(vector);
      const packed = PackedBlock.scan(encode(signedBlock, block));
      if (packed === undefined) throw new Error(`block ${vector.block_num} was not taken`);
      t.same(
        [packed.id, packed.number, packed.previous, packed.timestamp, packed.count],
        [vector.block_id, vector.block_num, block.previous, block.timestamp, block.transactions.length],
      );
      const opened = (await verifyBlock(verifier, MAINNET, packed)).open();
      t.strictSame(opened, (await verifyBlock(verifier, MAINNET, new ReadBlock(block))).open());
    }
  }
});

t.test('one that cannot stay as it is', async (t) => {
  const block = blockOf(vectors.blocks.find((entry) => entry.transactions_hex.length === 3) as BlockVector);
  const bytes = encode(signedBlock, block);
  const head = encode(signedBlockHeader, block).length;
  const rest = bytes.subarray(head + 1);
  t.equal(bytes[head], 3);
  t.ok(PackedBlock.scan(bytes));
  const others: readonly [string, Uint8Array][] = [
    ['a number in a longer form has another hash than is reckoned with', Uint8Array.of(0x83, 0)],
    ['fewer transactions than there are bytes', Uint8Array.of(2)],
    ['more', Uint8Array.of(4)],
  ];
  for (const [name, count] of others) {
    t.equal(PackedBlock.scan(concatBytes(bytes.subarray(0, head), count, rest)), undefined, name);
  }
  for (let end = 0; end < bytes.length; end++) {
    if (PackedBlock.scan(bytes.subarray(0, end)) !== undefined) t.fail(`${end} of ${bytes.length} bytes were taken`);
  }
  const large = { ...block, transactions: Array.from({ length: 100 }, () => block.transactions).flat() };
  t.equal(PackedBlock.scan(encode(signedBlock, large)), undefined, 'a large one is looked at in several turns');
  const last = block.transactions.at(-1) as ProcessedTransaction;
  const [first] = last.signatures as [Uint8Array];
  last.signatures = Array.from({ length: 20_000 }, () => first);
  t.equal(
    PackedBlock.scan(encode(signedBlock, block)),
    undefined,
    'nor is one with more signatures than anybody needs',
  );
});

t.test('a block is opened once, and holds nothing afterwards', async (t) => {
  const [verifier] = verifiers as [SignatureVerifier];
  const small = blockOf(vectors.blocks.find((entry) => entry.transactions_hex.length === 3) as BlockVector);
  const transactions = Array.from({ length: 100 }, () => small.transactions).flat();
  for (const block of [small, { ...small, transactions }]) {
    const recovered = await verifyBlock(verifier, MAINNET, new ReadBlock(block));
    const opened = recovered.open();
    t.strictSame(opened.block, block);
    t.equal(opened.transactions.length, block.transactions.length);
    t.throws(() => recovered.open(), InvariantError);
  }
});

t.test('a bad signature is the matter of its own transaction', async (t) => {
  const vector = vectors.blocks.find((entry) => entry.transactions_hex.length === 3) as BlockVector;
  const block = blockOf(vector);
  const [first, second] = block.transactions as SignedTransaction[] as [SignedTransaction, SignedTransaction];
  const good = first.signatures[0] as Uint8Array;
  first.signatures = [good, concatBytes(Uint8Array.of(1), good.subarray(1))];
  second.signatures = [];
  block.witness_signature = new Uint8Array(65).fill(31);
  block.witness_signature[1] = 0x80;
  for (const verifier of verifiers) {
    const verified = (await verifyBlock(verifier, MAINNET, new ReadBlock(block))).open();
    t.equal(verified.signingKey, undefined);
    t.equal(verified.signingKeyError?.key, SIGNATURE_ERRORS.signature_not_canonical.key);
    const [bad, unsigned, untouched] = verified.transactions;
    t.ok(bad?.keyError instanceof ChainError);
    t.equal(bad?.keyError?.key, SIGNATURE_ERRORS.signature_header_invalid.key);
    t.equal(bad?.keys.length, 1, 'with the keys of those before it');
    t.same([unsigned?.keys, unsigned?.keyError], [[], undefined], 'none asked, none missing');
    t.equal(
      publicKeyToText(untouched?.keys[0] as string, NETWORK.keyPrefix),
      (vector.transaction_signer_keys[2] as string[])[0],
    );
    t.not(verified.merkleRoot, vector.merkle_root, 'signatures are part of the leaves');
  }
});

t.test('nothing to verify, and nobody to do it', async (t) => {
  const verifier = inlineVerifier();
  t.same(await verifyPacked(verifier, []), []);
  await verifier.close();
  await refusedLater(t, VERIFY_ERRORS.verifier_closed, verifyPacked(verifier, []));
});
