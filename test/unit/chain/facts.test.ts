import t from 'tap';
import '../../../src/operations/index.js';
import { BlockFacts, TransactionFacts } from '../../../src/chain/facts.js';
import { encode } from '../../../src/codec/binary.js';
import { NULL_BLOCK_ID } from '../../../src/crypto/digests.js';
import { type SignedBlock, signedBlock } from '../../../src/protocol/block.js';
import { VOID_RESULT } from '../../../src/protocol/results.js';
import { ReadBlock } from '../../../src/protocol/source-block.js';
import { processedTransaction, type SignedTransaction } from '../../../src/protocol/transaction.js';
import { inlineVerifier } from '../../../src/verify/inline.js';
import { packTransaction, verifyBlock, verifyPacked } from '../../../src/verify/signed.js';

const CHAIN = '00'.repeat(32);

t.test('the size is that of the packed transaction, whoever has measured its signed part', async (t) => {
  for (const signatures of [0, 1, 3, 130]) {
    const transaction: SignedTransaction = {
      ref_block_num: 1,
      ref_block_prefix: 2,
      expiration: 3,
      operations: [],
      extensions: [],
      signatures: Array.from({ length: signatures }, () => new Uint8Array(65).fill(1)),
    };
    const processed = { ...transaction, operation_results: [VOID_RESULT, VOID_RESULT] };
    const [verified] = await verifyPacked(inlineVerifier(), [packTransaction(CHAIN, transaction)]);
    const [inBlock] = await verifyPacked(inlineVerifier(), [packTransaction(CHAIN, processed)]);
    if (verified === undefined || inBlock === undefined) throw new Error('each one has an answer');
    const size = encode(processedTransaction, { ...transaction, operation_results: [] }).length;
    t.equal(TransactionFacts.of(verified, CHAIN).size, size);
    t.equal(TransactionFacts.of({ transaction }, CHAIN).size, size);
    t.equal(TransactionFacts.of(inBlock, CHAIN).size, encode(processedTransaction, processed).length);
    const kept = TransactionFacts.of(verified, CHAIN).withResults(CHAIN, processed.operation_results);
    t.equal(kept.size, encode(processedTransaction, processed).length, 'results count once they are there');
    t.same(kept.leaf, new TransactionFacts(processed).leaf);
    t.equal(kept.id, new TransactionFacts(processed).id);
  }
});

const blockOf = (transactions: number): SignedBlock => ({
  previous: NULL_BLOCK_ID,
  timestamp: 5,
  witness: 1,
  transaction_merkle_root: '11'.repeat(20),
  extensions: [],
  witness_signature: new Uint8Array(65).fill(2),
  transactions: Array.from({ length: transactions }, (_, i) => ({
    ref_block_num: i % 65_536,
    ref_block_prefix: 2,
    expiration: 3,
    operations: [],
    extensions: [],
    signatures: i % 7 === 0 ? [] : [new Uint8Array(65).fill(i)],
    operation_results: i % 5 === 0 ? [VOID_RESULT] : [],
  })),
});

t.test('a block is packed where its signatures are looked at, and not again for the log', async (t) => {
  // Without transactions, in one turn, in several.
  for (const transactions of [0, 8, 600]) {
    const block = blockOf(transactions);
    const packed = encode(signedBlock, block);
    const verified = (await verifyBlock(inlineVerifier(), CHAIN, new ReadBlock(block))).open();
    t.strictSame(verified.bytes, packed);
    t.equal(verified.id, new BlockFacts(block).id);
    const facts = BlockFacts.of(verified, CHAIN);
    t.equal(facts.size, packed.length);
    const handed: Uint8Array[] = [];
    facts.withBytes((bytes) => handed.push(bytes));
    t.equal(handed[0], verified.bytes, 'the same bytes');
    t.equal(facts.size, packed.length);
    t.not(facts.bytes, verified.bytes, 'which nothing keeps once the log has them');
    t.strictSame(facts.bytes, packed);
    t.equal(BlockFacts.of(verified, CHAIN).bytes, verified.bytes, 'whoever asks before gets them too');
  }
});

t.test('the next block does not overwrite the bytes of one that waits', async (t) => {
  const [first, second] = [blockOf(8), { ...blockOf(8), timestamp: 8 }];
  const recovered = await Promise.all(
    [first, second].map((block) => verifyBlock(inlineVerifier(), CHAIN, new ReadBlock(block))),
  );
  const verified = recovered.map((one) => one.open());
  t.strictSame(verified[0]?.bytes, encode(signedBlock, first));
  t.strictSame(verified[1]?.bytes, encode(signedBlock, second));
});
