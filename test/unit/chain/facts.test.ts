import t from 'tap';
import '../../../src/operations/index.js';
import { TransactionFacts } from '../../../src/chain/facts.js';
import { encode } from '../../../src/codec/binary.js';
import { VOID_RESULT } from '../../../src/protocol/results.js';
import { processedTransaction, type SignedTransaction } from '../../../src/protocol/transaction.js';
import { inlineVerifier } from '../../../src/verify/inline.js';
import { packTransaction, verifyPacked } from '../../../src/verify/signed.js';

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
