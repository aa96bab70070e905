import t from 'tap';
import { decode, encode } from '../../src/codec/binary.js';
import { messageRules } from '../../src/codec/decode-rules.js';
import { READ_ERRORS } from '../../src/codec/reader.js';
import { PROPOSAL_CREATE_ERRORS } from '../../src/operations/proposal/proposal-create.js';
import { type SignedBlock, signedBlock } from '../../src/protocol/block.js';
import { type Operation, operation } from '../../src/protocol/operation-slot.js';
import type { SignedTransaction } from '../../src/protocol/transaction.js';
import { NETWORK } from '../support/network.js';
import { nextBlock } from '../support/next-block.js';
import { refused } from '../support/refused.js';
import { TestWorld } from '../support/world.js';

/** What a peer could not decode: never taken in by this node itself, and judged by the network's rule in blocks. */

const worldOf = (decoder: 'new' | 'old'): TestWorld =>
  new TestWorld({
    accounts: { alice: 1_000_000n },
    genesis: { network: { name: 'test world', forks: 'all_active', decoder } },
  });

const cancel = (w: TestWorld): Operation =>
  w.operation('limit_order_cancel', { fee_paying_account: 'alice', order: 0 });
const cancels = (w: TestWorld, count: number): SignedTransaction =>
  w.sign(new Array<Operation>(count).fill(cancel(w)), ['alice']);

const blockOf = (w: TestWorld, transaction: SignedTransaction): SignedBlock =>
  nextBlock(w, { transactions: [{ ...transaction, operation_results: [] }] });

t.test('a transaction that a build of the reference cannot decode is not taken in', async (t) => {
  for (const decoder of ['new', 'old'] as const) {
    const w = worldOf(decoder);
    const tooMany = cancels(w, 22_216);
    const { pending } = w.chain;
    refused(t, READ_ERRORS.read_too_long, () => pending.push({ transaction: tooMany }));
    refused(t, READ_ERRORS.read_too_long, () => pending.dryRun({ transaction: tooMany }));
    const proposed_ops = new Array<object>(22_216).fill({ op: cancel(w) });
    const given = { fee_paying_account: 'alice', expiration_time: w.now + 60, proposed_ops };
    refused(t, READ_ERRORS.read_too_long, () => w.push('proposal_create', given), 'nor inside of a proposal');
    t.equal(pending.count, 0);
    w.pushAll(new Array<Operation>(22_215).fill(cancel(w)));
    const { block } = w.block();
    t.equal(block.transactions[0]?.operations.length, 22_215);
    const packed = encode(signedBlock, block);
    for (const build of ['new', 'old'] as const) {
      t.doesNotThrow(() => decode(signedBlock, packed, 'refuse', messageRules(build)), `the ${build} build takes it`);
    }
  }
});

t.test('in a block of others the rule of the network counts', async (t) => {
  const strict = worldOf('new');
  const { headNumber } = strict.state;
  const tooMany = blockOf(strict, cancels(strict, 22_216));
  refused(t, READ_ERRORS.read_too_long, () => strict.chain.blocks.push({ block: tooMany }));
  t.equal(strict.state.headNumber, headNumber);
  strict.chain.blocks.push({ block: blockOf(strict, cancels(strict, 22_215)) });
  t.equal(strict.state.headNumber, headNumber + 1);

  const live = worldOf('old');
  const more = blockOf(live, cancels(live, 23_406));
  refused(t, READ_ERRORS.read_too_long, () => live.chain.blocks.push({ block: more }));
  live.chain.blocks.push({ block: blockOf(live, cancels(live, 22_216)) });
  t.equal(live.state.headNumber, headNumber + 1);
});

t.test('nor one that nests too deep', async (t) => {
  const w = worldOf('new');
  const nested = (levels: number): Operation => {
    let inside: Operation[] = [];
    for (let i = 0; i < levels; i++) {
      const empty = operation.fromJson([22, { fee_paying_account: '1.2.9' }], NETWORK) as Operation;
      inside = [[22, { ...empty[1], proposed_ops: inside.map((op) => ({ op })) }] as unknown as Operation];
    }
    return inside[0] as Operation;
  };
  const pushed = (levels: number) => () => w.chain.pending.push({ transaction: w.sign([nested(levels)], ['alice']) });
  refused(t, READ_ERRORS.read_too_deep, pushed(90));
  refused(t, PROPOSAL_CREATE_ERRORS.proposal_empty, pushed(89), 'one level less is refused for another reason');
  const block = blockOf(w, w.sign([nested(90)], ['alice']));
  refused(t, READ_ERRORS.read_too_deep, () => w.chain.blocks.push({ block }));
});
