import { TRANSACTION_ERRORS } from '../../src/chain/apply-transaction.js';
import { CHAIN_ERRORS, Chain } from '../../src/chain/chain.js';
import { CHECKPOINT_ERRORS, Checkpoints, checkCheckpoint } from '../../src/chain/checkpoints.js';
import { DEBUG_UPDATE_ERRORS, readObjectUpdate } from '../../src/chain/debug-updates.js';
import { BlockFacts } from '../../src/chain/facts.js';
import { FORK_ERRORS } from '../../src/chain/fork-db.js';
import { GENESIS_STATE_ERRORS, GENESIS_SUPPLY_ERRORS } from '../../src/chain/genesis.js';
import { checkGenesis, GENESIS_ERRORS } from '../../src/chain/genesis-source.js';
import { HEAD_ERRORS, updateHead } from '../../src/chain/head-update.js';
import { HEADER_ERRORS } from '../../src/chain/header.js';
import { MemoryBlockStore } from '../../src/chain/memory-block-store.js';
import { PENDING_ERRORS } from '../../src/chain/pending.js';
import { PRODUCE_ERRORS } from '../../src/chain/produce.js';
import { STATE_UPDATE_ERRORS } from '../../src/chain/state-update.js';
import { encodeWith } from '../../src/codec/binary.js';
import type { Json, JsonObject } from '../../src/codec/json.js';
import { blockHeaderDigest } from '../../src/crypto/digests.js';
import type { PrivateKey } from '../../src/crypto/private-key.js';
import { SIGNATURE_ERRORS, signatureBackend } from '../../src/crypto/signature.js';
import { SKIP } from '../../src/operations/define.js';
import { emptyAuthority } from '../../src/protocol/authority.js';
import { AUTHORITY_ERRORS } from '../../src/protocol/authority-check.js';
import { blockHeader, type SignedBlock } from '../../src/protocol/block.js';
import { BLOCK_TIME_ERRORS, checkBlockTime } from '../../src/protocol/block-time.js';
import { ReadBlock } from '../../src/protocol/source-block.js';
import type { SignedTransaction } from '../../src/protocol/transaction.js';
import { dynamicGlobalPropertyObject } from '../../src/state/objects/dynamic-global-property.js';
import { inlineVerifier } from '../../src/verify/inline.js';
import { packTransaction, verifyBlock, verifyPacked } from '../../src/verify/signed.js';
import { testEngine } from '../support/engine.js';
import { core, TestWorld } from '../support/world.js';
import { accountKey, WORLD_TIME, type WorldOptions, witnessKey, worldGenesis } from '../support/world-genesis.js';
import { assertion, type Refusal } from './define.js';

/** Blocks, transactions as a whole, and the chains that they make. */

const w = new TestWorld({ accounts: { alice: 1_000_000n, bob: 0n } });
w.push('transfer', { from: 'alice', to: 'bob', amount: core(7) });
w.block();
const head = w.chain.blocks.head;
const keyOf = (witness: number): PrivateKey => witnessKey(`init${witness - 1}`);
const signed = (block: SignedBlock, key: PrivateKey): SignedBlock => ({
  ...block,
  witness_signature: signatureBackend().sign(encodeWith(blockHeader, block, blockHeaderDigest), key),
});

function unsignedBlock(world: TestWorld, change: Partial<SignedBlock> = {}): SignedBlock {
  const { queries, blocks } = world.chain;
  const block: SignedBlock = {
    previous: blocks.head.id,
    timestamp: queries.slotTime(1),
    witness: queries.scheduledWitness(1),
    transaction_merkle_root: '00'.repeat(20),
    extensions: [],
    witness_signature: new Uint8Array(65),
    transactions: [],
    ...change,
  };
  return block;
}
const nextBlock = (change: Partial<SignedBlock> = {}, world = w): SignedBlock => {
  const block = unsignedBlock(world, change);
  return signed(block, keyOf(block.witness));
};
const pushing =
  (block: SignedBlock, ...skip: number[]) =>
  () =>
    w.chain.blocks.push({ block }, ...skip);
/** As from a peer: its signature is recovered before the chain sees it. */
const verifying = (block: SignedBlock) => async () =>
  w.chain.blocks.push((await verifyBlock(inlineVerifier(), w.chain.chainId, new ReadBlock(block))).open());
const withHeader = (header: number, block: SignedBlock): SignedBlock => ({
  ...block,
  witness_signature: Uint8Array.from([header, ...block.witness_signature.subarray(1)]),
});
const scheduled = w.chain.queries.scheduledWitness(1);
const another = scheduled === 1 ? 2 : 1;

const give = () => w.operation('transfer', { from: 'alice', to: 'bob', amount: core(1) });
const sending = (make: () => SignedTransaction) => () => w.chain.pending.push({ transaction: make() });
const sendingVerified = (make: () => SignedTransaction) => async () => {
  const [verified] = await verifyPacked(inlineVerifier(), [packTransaction(w.chain.chainId, make())]);
  w.chain.pending.push(verified as NonNullable<typeof verified>);
};
const changing = (change: Partial<SignedTransaction>) => () => w.signChanged([give()], change, ['alice']);
/** Signatures of alice and of nobody, in the order of the letters. */
const signedBy = (letters: string) => () => {
  const once = changing({})();
  const [good] = once.signatures as [Uint8Array];
  const bad = Uint8Array.from(good);
  bad[0] = 26;
  return { ...once, signatures: [...letters].map((letter) => (letter === 'A' ? good : bad)) };
};

const known = w.chain.queries.blockByNumber(head.number) as SignedBlock;
const [knownTransaction] = known.transactions as [SignedBlock['transactions'][number]];
const knownId = new BlockFacts(known).transactions[0]?.id;

const single = new TestWorld({ witnesses: 1 });
single.blocks(4);
function belowIrreversible(): void {
  const { head: newest } = single.chain.blocks;
  const { previous, witness, timestamp } = single.chain.queries.blockByNumber(newest.number) as SignedBlock;
  const sibling = nextBlock({ previous, witness, timestamp: timestamp + 3 }, single);
  single.chain.blocks.push({ block: sibling });
  const onTop = nextBlock({ previous: new BlockFacts(sibling).id, witness, timestamp: timestamp + 6 }, single);
  single.chain.blocks.push({ block: onTop });
}

function longWithoutIrreversible(): void {
  const number = (10_000).toString(16).padStart(8, '0');
  const facts = new BlockFacts(nextBlock({ previous: `${number}${'00'.repeat(16)}` }));
  w.chain.snapshots.withHeadState((state) => {
    state.openFrame();
    try {
      state.modify(dynamicGlobalPropertyObject, state.single(dynamicGlobalPropertyObject), (o) => {
        o.last_irreversible_block_num = 1;
      });
      updateHead(state, facts, SKIP.none, 0);
    } finally {
      state.undoFrame();
    }
  });
}

const producing = (change: { when?: number; witness?: number; key?: PrivateKey }) => () => {
  const key = change.key ?? keyOf(change.witness ?? scheduled);
  return w.chain.blocks.produce({
    when: change.when ?? w.chain.queries.slotTime(1),
    witness: change.witness ?? scheduled,
    signer: { publicKey: key.publicKey, sign: (digest) => signatureBackend().sign(digest, key) },
  });
};

function tooManyWait(): void {
  const wide = new TestWorld({ accounts: { alice: 100n, bob: 0n }, parameters: { maximum_block_size: 1_000_000_000 } });
  const transaction = wide.sign([wide.operation('transfer', { from: 'alice', to: 'bob', amount: core(1) })]);
  const signatures = Array.from({ length: 30_000 }, () => new Uint8Array(65));
  for (let i = 0; ; i++) {
    const one = { ...transaction, signatures, expiration: transaction.expiration + i };
    wide.chain.pending.push({ transaction: one }, SKIP.transactionSignatures);
  }
}

const ADDRESS = 'GXCLmgn91gUREYn5Ns3SqAnquu9sXDie4jMF';
const opening = (options: WorldOptions) => () =>
  new Chain({ genesis: worldGenesis(options), engine: testEngine(), blocks: new MemoryBlockStore() });
const bitasset: JsonObject = { symbol: 'CORE', issuer_name: 'init0', max_supply: 1000, is_bitasset: true };

const updating = (json: Json) => () => w.chain.debug.amendHead(readObjectUpdate(json));

const setting = (of: { readonly asset: number; readonly amount: bigint }) => () =>
  w.chain.debug.amendHead({ action: 'balance', account: 0, ...of });

const exact = (row: Refusal['row'], code: number, name: string, message: string, raise: () => unknown): Refusal => ({
  row,
  code,
  name,
  message,
  raise,
});

const BAD_HEADER = 'unspecified: unable to reconstruct public key from signature';
const TWICE = 'duplicate signature included: Duplicate Signature detected';

export const refusals: readonly Refusal[] = [
  // Blocks that do not fit
  assertion(
    HEADER_ERRORS.block_merkle_root,
    '(skip & skip_merkle_check) || next_block.transaction_merkle_root == next_block.calculate_merkle_root(): ',
    pushing(nextBlock({ transaction_merkle_root: '11'.repeat(20) })),
  ),
  assertion(
    HEADER_ERRORS.block_previous,
    'head_block_id() == next_block.previous: ',
    pushing(nextBlock({ previous: known.previous }), SKIP.forkDb),
  ),
  assertion(
    HEADER_ERRORS.block_time,
    'head_block_time() < next_block.timestamp: ',
    pushing(nextBlock({ timestamp: head.time })),
  ),
  assertion(
    HEADER_ERRORS.block_signature,
    'next_block.validate_signee( witness.signing_key ): ',
    pushing(signed(unsignedBlock(w), keyOf(another))),
  ),
  assertion(HEADER_ERRORS.block_slot, 'slot_num > 0: ', pushing(nextBlock({ timestamp: head.time + 1 }))),
  assertion(
    HEADER_ERRORS.block_witness,
    'next_block.witness == scheduled_witness: Witness produced block at wrong time',
    pushing(nextBlock({ witness: another })),
  ),
  exact(SIGNATURE_ERRORS.signature_header_invalid, 0, 'exception', BAD_HEADER, pushing(withHeader(26, nextBlock()))),
  exact(SIGNATURE_ERRORS.signature_header_invalid, 0, 'exception', BAD_HEADER, verifying(withHeader(35, nextBlock()))),
  assertion(
    CHECKPOINT_ERRORS.block_not_checkpoint,
    'next_block.id() == itr->second: Block did not match checkpoint',
    () => {
      const facts = new BlockFacts(nextBlock());
      checkCheckpoint(new Checkpoints(new Map([[facts.number, '11'.repeat(20)]])), facts);
    },
  ),
  assertion(
    FORK_ERRORS.block_too_old,
    'item->num > std::max<int64_t>( 0, int64_t(_head->num) - (_max_size) ): attempting to push a block that is too old',
    // The number behind the last one of 32 bits is 0.
    pushing(nextBlock({ previous: 'ff'.repeat(20) })),
  ),
  exact(
    FORK_ERRORS.block_unlinkable,
    3080000,
    'unlinkable_block_exception',
    'unlinkable block: block does not link to known chain',
    pushing(nextBlock({ previous: `${head.id.slice(0, 8)}${'11'.repeat(16)}` })),
  ),
  assertion(
    FORK_ERRORS.block_below_irreversible,
    'the branch leaves the chain at block 4, before the last irreversible block 5',
    belowIrreversible,
  ),
  exact(
    HEAD_ERRORS.undo_history_full,
    3070000,
    'undo_database_exception',
    'undo database exception: The database does not have enough undo history to support a blockchain with so many missed blocks. Please add a checkpoint if you would like to continue applying blocks beyond this point.',
    longWithoutIrreversible,
  ),
  assertion(
    BLOCK_TIME_ERRORS.block_in_future,
    'Rejecting block with timestamp in the future: 2023-11-14T22:13:25',
    () => checkBlockTime(WORLD_TIME + 5, WORLD_TIME * 1000),
  ),
  // Transactions as a whole
  assertion(
    TRANSACTION_ERRORS.transaction_empty,
    'operations.size() > 0: A transaction must have at least one operation',
    sending(() => w.sign([], ['alice'])),
  ),
  assertion(
    TRANSACTION_ERRORS.transaction_duplicate,
    `(skip & skip_transaction_dupe_check) || trx_idx.indices().get<by_trx_id>().find(trx_id) == trx_idx.indices().get<by_trx_id>().end(): duplicated trx, trx_id ${knownId}`,
    sending(() => knownTransaction),
  ),
  assertion(
    TRANSACTION_ERRORS.transaction_reference,
    'trx.ref_block_prefix == tapos_block_summary.block_id._hash[1]: ',
    sending(changing({ ref_block_prefix: 1 })),
  ),
  assertion(
    TRANSACTION_ERRORS.transaction_expires_too_late,
    'trx.expiration <= now + chain_parameters.maximum_time_until_expiration: ',
    sending(changing({ expiration: head.time + 86_401 })),
  ),
  assertion(
    TRANSACTION_ERRORS.transaction_expired,
    'now <= trx.expiration: ',
    sending(changing({ expiration: head.time - 1 })),
  ),
  assertion(
    TRANSACTION_ERRORS.temp_account_not_empty,
    'b.balance == 0: ',
    sending(() => w.sign([w.operation('transfer', { from: 'alice', to: 'temp-account', amount: core(5) })])),
  ),
  exact(SIGNATURE_ERRORS.signature_header_invalid, 0, 'exception', BAD_HEADER, sending(signedBy('AB'))),
  exact(SIGNATURE_ERRORS.signature_header_invalid, 0, 'exception', BAD_HEADER, sendingVerified(signedBy('ABA'))),
  // Keys are compared while they are recovered, so a bad signature behind two equal ones is never looked at.
  exact(AUTHORITY_ERRORS.signature_duplicate, 3030005, 'tx_duplicate_sig', TWICE, sending(signedBy('AAB'))),
  exact(AUTHORITY_ERRORS.signature_duplicate, 3030005, 'tx_duplicate_sig', TWICE, sendingVerified(signedBy('AAB'))),
  // This node's own bounds
  assertion(
    PENDING_ERRORS.pending_full,
    'this node holds 34 transactions with 66301360 bytes that wait for a block and takes no more',
    tooManyWait,
  ),
  assertion(
    PENDING_ERRORS.pending_size,
    'the transaction has 271 bytes, which no block has room for: its limit is 205',
    () => {
      const narrow = new TestWorld({ accounts: { alice: 100n, bob: 0n }, parameters: { maximum_block_size: 320 } });
      narrow.pushAll(
        [1, 2, 3, 4, 5, 6, 7, 8].map((n) =>
          narrow.operation('transfer', { from: 'alice', to: 'bob', amount: core(n) }),
        ),
      );
    },
  ),
  assertion(
    PENDING_ERRORS.pending_commitments,
    'this node takes transactions with at most 128 commitments, those in proposals counted, not 129',
    () => {
      const world = new TestWorld({ accounts: { alice: 100n } });
      const outputs = Array.from({ length: 129 }, (_, i) => ({
        commitment: `02${i.toString(16).padStart(64, '0')}`,
        range_proof: new Uint8Array(0),
        owner: emptyAuthority(),
        stealth_memo: undefined,
      }));
      const hide = { amount: core(1), from: 'alice', blinding_factor: '01'.repeat(32), outputs };
      const op = world.operation('transfer_to_blind', hide);
      const propose = { fee_paying_account: 'alice', expiration_time: world.now + 60, proposed_ops: [{ op }] };
      world.push('proposal_create', { ...propose, review_period_seconds: undefined });
    },
  ),
  assertion(
    PENDING_ERRORS.pending_held_signatures,
    'this node takes transactions whose operations hold at most 500 signatures, those in proposals counted, not 501',
    () => {
      const world = new TestWorld({ accounts: { alice: 100n, bob: 0n } });
      const signatures = Array.from({ length: 501 }, () => new Uint8Array(65));
      const parties = { from: world.id('alice'), to: world.id('bob'), proxy_account: world.id('alice') };
      const rest = { amount: core(1), percentage: 0, memo: '', expiration: world.now + 60, signatures };
      const op = world.operation('proxy_transfer', { proxy_memo: 'much', request_params: { ...parties, ...rest } });
      const propose = { fee_paying_account: 'alice', expiration_time: world.now + 60, proposed_ops: [{ op }] };
      world.push('proposal_create', { ...propose, review_period_seconds: undefined });
    },
  ),
  assertion(
    PENDING_ERRORS.pending_league_members,
    'this node takes transactions that give leagues at most 1000 members, those in proposals counted, not 1001',
    () => {
      const world = new TestWorld({ accounts: { alice: 100n } });
      const members = (count: number) => new Array<string>(count).fill('alice');
      const lists = { new_members: members(600), new_data_products: [] };
      const update = world.operation('league_update', { league: 0, ...lists });
      const proposed_ops = [{ op: update }];
      const propose = { fee_paying_account: 'alice', expiration_time: world.now + 60, proposed_ops };
      world.pushAll([
        world.operation('league_create', { issuer: 'alice', members: members(401) }),
        world.operation('proposal_create', { ...propose, review_period_seconds: undefined }),
      ]);
    },
  ),
  // Making blocks
  assertion(PRODUCE_ERRORS.produce_slot, 'slot_num > 0: ', producing({ when: head.time })),
  assertion(PRODUCE_ERRORS.produce_witness, 'scheduled_witness == witness_id: ', producing({ witness: another })),
  assertion(
    PRODUCE_ERRORS.produce_key,
    'witness_obj.signing_key == block_signing_private_key.get_public_key(): ',
    producing({ key: accountKey('alice') }),
  ),
  assertion(
    PRODUCE_ERRORS.produce_block_size,
    'fc::raw::pack_size(pending_block) <= get_global_properties().parameters.maximum_block_size: ',
    () => new TestWorld({ parameters: { maximum_block_size: 100 } }),
  ),
  // Chains
  exact(
    GENESIS_ERRORS.genesis_field,
    5,
    'invalid_arg_exception',
    'Invalid Argument: genesis file, initial_timestamp: must be divisible by 5 seconds',
    () => checkGenesis(worldGenesis({ time: WORLD_TIME + 1 })),
  ),
  assertion(
    GENESIS_STATE_ERRORS.genesis_core_asset_missing,
    'genesis file, initial_assets: the first one becomes the core asset 1.3.1 of a chain that begins after fork 1008',
    opening({ genesis: { initial_assets: [] } }),
  ),
  assertion(
    GENESIS_SUPPLY_ERRORS.genesis_debt,
    'genesis file, initial_balances: 7 of CORE are in circulation, collateral covers 0',
    opening({
      genesis: {
        initial_assets: [bitasset],
        initial_balances: [{ owner: ADDRESS, asset_symbol: 'CORE', amount: 7 }],
      },
    }),
  ),
  assertion(
    CHAIN_ERRORS.state_other_chain,
    `the stored state belongs to chain ${single.chain.chainId}, the genesis file begins chain ${w.chain.chainId}`,
    () => {
      const genesis = worldGenesis({ accounts: { alice: 1_000_000n, bob: 0n } });
      single.chain.snapshots.withHeadState(
        (state) => new Chain({ genesis, state, engine: testEngine(), blocks: new MemoryBlockStore() }),
      );
    },
  ),
  assertion(CHAIN_ERRORS.pop_irreversible, 'block 5 is irreversible and cannot be undone', () =>
    single.chain.blocks.popTo(4),
  ),
  // Changes by hand
  assertion(
    DEBUG_UPDATE_ERRORS.debug_update_object,
    'an update is an object with the id of what it changes',
    updating({ url: 'x' }),
  ),
  assertion(
    DEBUG_UPDATE_ERRORS.debug_update_action,
    '_action create is none of write, update, delete',
    updating({ id: '1.6.1', _action: 'create' }),
  ),
  assertion(
    DEBUG_UPDATE_ERRORS.debug_update_type,
    '1.99.0: there are no such objects',
    updating({ id: '1.99.0', url: '' }),
  ),
  assertion(DEBUG_UPDATE_ERRORS.debug_update_single, '2.0.0 exists once and is not deleted', updating({ id: '2.0.0' })),
  assertion(
    DEBUG_UPDATE_ERRORS.debug_update_fixed,
    '1.2.6: objects are found by name, which never changes',
    updating({ id: '1.2.6', _action: 'update', name: 'other' }),
  ),
  assertion(
    DEBUG_UPDATE_ERRORS.debug_update_head,
    '2.1.0: head_block_number says which block the state belongs to and is not changed',
    updating({ id: '2.1.0', _action: 'update', head_block_number: 7 }),
  ),
  assertion(
    DEBUG_UPDATE_ERRORS.debug_update_interval,
    '2.0.0: with a block_interval of 0 there is no next block',
    updating({ id: '2.0.0', _action: 'update', parameters: { block_interval: 0 } }),
  ),
  assertion(
    DEBUG_UPDATE_ERRORS.debug_update_no_block,
    'a change of an object belongs to a block, and there is none yet',
    () => opening({})().debug.amendHead(readObjectUpdate({ id: '1.6.1', _action: 'update', url: 'x' })),
  ),
  assertion(
    STATE_UPDATE_ERRORS.dev_balance_negative,
    'a balance is not negative, as -1 is',
    setting({ asset: 0, amount: -1n }),
  ),
  assertion(
    STATE_UPDATE_ERRORS.dev_balance_supply,
    'with that, the supply of GXC would be 9000000000000000000: its maximum is 100000000000000000',
    setting({ asset: 0, amount: 9_000_000_000_000_000_000n }),
  ),
  // Ways back
  assertion(CHAIN_ERRORS.mark_gone, 'the chain was taken back before this mark, or it was forgotten', () => {
    const { returns } = opening({})();
    const mark = returns.mark();
    returns.forgetMarks();
    returns.backTo(mark);
  }),
];
