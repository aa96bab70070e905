import t, { type Test } from 'tap';
import '../../src/operations/index.js';
import type { ErrorRow } from '../../src/base/errors.js';
import { Chain } from '../../src/chain/chain.js';
import { newContext } from '../../src/chain/context.js';
import { BlockFacts } from '../../src/chain/facts.js';
import type { GenesisSource } from '../../src/chain/genesis-source.js';
import { MemoryBlockStore } from '../../src/chain/memory-block-store.js';
import { decode, encode } from '../../src/codec/binary.js';
import { addressOfKey } from '../../src/crypto/address.js';
import { signatureDigest, tapos } from '../../src/crypto/digests.js';
import type { PrivateKey } from '../../src/crypto/private-key.js';
import { signatureBackend } from '../../src/crypto/signature.js';
import { authoritySource, requiredAuthorities } from '../../src/operations/authorities.js';
import { SKIP } from '../../src/operations/define.js';
import { requiredFee, runOperation } from '../../src/operations/pipeline.js';
import { type Asset, makeAsset } from '../../src/protocol/asset.js';
import { type SignedBlock, signedBlock } from '../../src/protocol/block.js';
import type { ChainParameters } from '../../src/protocol/chain-parameters.js';
import { COMMITTEE_ACCOUNT, type Instance } from '../../src/protocol/ids.js';
import type { Operation, OperationBody } from '../../src/protocol/operation-slot.js';
import type { OperationResult } from '../../src/protocol/results.js';
import { type SignedTransaction, transaction } from '../../src/protocol/transaction.js';
import type { ChainState } from '../../src/state/chain-state.js';
import { type AccountObject, accountObject } from '../../src/state/objects/account.js';
import { assetObject } from '../../src/state/objects/asset.js';
import { balanceObject } from '../../src/state/objects/balance.js';
import { committeeMemberObject } from '../../src/state/objects/committee-member.js';
import { dynamicGlobalPropertyObject } from '../../src/state/objects/dynamic-global-property.js';
import { globalPropertyObject } from '../../src/state/objects/global-property.js';
import { type WitnessObject, witnessObject } from '../../src/state/objects/witness.js';
import { balanceOf } from '../../src/state/rules/balances.js';
import { stateHash } from '../../src/state/state-hash.js';
import type { ReadState } from '../../src/state/views.js';
import { testEngine } from './engine.js';
import { minimalSignatures } from './minimal-signatures.js';
import { operationByName } from './operation-by-name.js';
import { type Expected, refused } from './refused.js';
import { resolveNames } from './resolve-names.js';
import { type SupplySnapshot, supplySnapshot, supplyViolations } from './supply.js';
import { accountKey, type WorldOptions, witnessKey, witnessNames, worldGenesis } from './world-genesis.js';

export type { WorldOptions };

/** Fields of an operation; ids may be given by name or symbol, what is left out has its default. */
export type Given = Readonly<Record<string, unknown>>;

/** An amount of the core asset, in its smallest unit. */
export const core = (amount: bigint | number): Asset => makeAsset(BigInt(amount), 1);

/** Every frame is kept, so that all blocks can be undone in the end. */
const KEEP_ALL = Number.MAX_SAFE_INTEGER;
const EXPIRATION_SEC = 60;

/**
 * A chain in memory for tests: accounts with known keys, operations by name, blocks on demand. On closing, all blocks
 * are sent over the wire to a second chain and applied there, then all of them are undone here; state hashes and
 * supplies must be the same. So every test proves more than it says.
 */
export class TestWorld {
  readonly chain: Chain;
  readonly genesis: GenesisSource;
  readonly #options: WorldOptions;
  readonly #blocks: BlockFacts[] = [];
  readonly #keys = new Map<string, PrivateKey>();
  readonly #genesisHash: string;
  readonly #genesisSupply: SupplySnapshot;
  #transactions = 0;
  #hasCommittee = false;

  constructor(options: WorldOptions = {}) {
    this.#options = options;
    this.genesis = worldGenesis(options);
    this.chain = this.#newChain();
    this.#genesisHash = this.#atHead(stateHash);
    this.#genesisSupply = this.#atHead(supplySnapshot);
    for (const name of [...witnessNames(options), ...Object.keys(options.accounts ?? {})]) {
      this.addKey(accountKey(name));
      this.addKey(witnessKey(name));
    }
    this.#claimBalances();
    this.block();
  }

  #newChain(): Chain {
    return new Chain({
      mustRecountVotes: true,
      genesis: this.genesis,
      engine: this.#options.engine ?? testEngine(),
      blocks: new MemoryBlockStore(),
      saveBlocks: KEEP_ALL,
    });
  }

  #atHead<R>(work: (state: ChainState) => R): R {
    return this.chain.snapshots.withHeadState(work);
  }

  #claimBalances(): void {
    for (const balance of [...this.state.all(balanceObject)]) {
      const names = Object.keys(this.#options.accounts ?? {});
      const name = names.find((one) => addressOfKey(accountKey(one).publicKey) === balance.owner);
      if (name === undefined) continue;
      this.push('balance_claim', {
        fee: makeAsset(0n, 0),
        deposit_to_account: name,
        balance_to_claim: balance.id,
        balance_owner_key: accountKey(name).publicKey,
        total_claimed: balance.balance,
      });
    }
  }

  // Looking

  /** With pending transactions, as clients see it. */
  get state(): ReadState {
    return this.chain.queries.state;
  }

  get now(): number {
    return this.state.headTime;
  }

  id(name: string): Instance {
    return this.account(name).id;
  }

  account(name: string): Readonly<AccountObject> {
    const account = this.state.findBy(accountObject.by.name, name);
    if (account === undefined) throw new Error(`the world has no account ${name}`);
    return account;
  }

  witness(name: string): Readonly<WitnessObject> {
    const witness = this.state.findBy(witnessObject.by.account, this.id(name));
    if (witness === undefined) throw new Error(`${name} is no witness`);
    return witness;
  }

  asset(symbol: string): Instance {
    const asset = this.state.findBy(assetObject.by.symbol, symbol);
    if (asset === undefined) throw new Error(`the world has no asset ${symbol}`);
    return asset.id;
  }

  balance(name: string, asset: Instance | string = this.state.coreAsset): bigint {
    return balanceOf(this.state, this.id(name), typeof asset === 'string' ? this.asset(asset) : asset);
  }

  // Acting

  /** Makes a private key usable for signing. */
  addKey(key: PrivateKey): PrivateKey {
    this.#keys.set(key.publicKey, key);
    return key;
  }

  /** An operation by its name. Without a fee it gets the one that the chain asks for, in the core asset. */
  operation(name: string, given: Given): Operation {
    const definition = operationByName(name);
    if (definition === undefined) throw new Error(`there is no operation ${name}`);
    const fields = resolveNames(this.state, definition.schema, given) as Record<string, unknown>;
    const body = { ...definition.schema.default(), ...fields } as OperationBody;
    if (given.fee === undefined) {
      body.fee = makeAsset(0n, this.state.coreAsset);
      const schedule = this.state.single(globalPropertyObject).parameters.current_fees;
      body.fee = makeAsset(requiredFee(schedule, [definition.tag, body]), this.state.coreAsset);
    }
    return [definition.tag, body];
  }

  /** Signed with the fewest keys that the world has, or by the accounts or keys that are given. */
  sign(operations: readonly Operation[], signers?: readonly (string | PrivateKey)[]): SignedTransaction {
    return this.signChanged(operations, {}, signers);
  }

  /** As `sign`, with other header fields than the usual ones. */
  signChanged(
    operations: readonly Operation[],
    change: Partial<SignedTransaction>,
    signers?: readonly (string | PrivateKey)[],
  ): SignedTransaction {
    const { ref_block_num, ref_block_prefix } = tapos(this.chain.blocks.head.id);
    const unsigned = {
      ref_block_num,
      ref_block_prefix,
      // Different for each, so that equal operations are no duplicates.
      expiration: this.now + EXPIRATION_SEC + (this.#transactions++ % 1000),
      operations: [...operations],
      extensions: [],
      ...change,
    };
    const digest = signatureDigest(this.chain.chainId, encode(transaction, unsigned));
    const keys = signers?.map((signer) => (typeof signer === 'string' ? accountKey(signer) : signer));
    const chosen = keys ?? this.#fewestKeys(operations);
    return { ...unsigned, signatures: chosen.map((key) => signatureBackend().sign(digest, key)) };
  }

  #fewestKeys(operations: readonly Operation[]): PrivateKey[] {
    const atHand = { signed: [], available: [...this.#keys.keys()] };
    const keys = minimalSignatures(authoritySource(this.state), requiredAuthorities(operations), atHand);
    return keys.map((key) => this.#keys.get(key) as PrivateKey);
  }

  /** A transaction with one operation, kept for the next block. Returns the operation's result. */
  push(name: string, given: Given, signers?: readonly (string | PrivateKey)[]): OperationResult {
    const [result] = this.pushAll([this.operation(name, given)], signers);
    if (result === undefined) throw new Error(`${name} has no result`);
    return result;
  }

  pushAll(operations: readonly Operation[], signers?: readonly (string | PrivateKey)[]): OperationResult[] {
    return this.chain.pending.push({ transaction: this.sign(operations, signers) }).operation_results;
  }

  /** The id of the object that the operation creates. */
  create(name: string, given: Given, signers?: readonly (string | PrivateKey)[]): Instance {
    const result = this.push(name, given, signers);
    if (result[0] !== 1) throw new Error(`${name} creates nothing`);
    return Number(result[1] & 0xffff_ffff_ffffn);
  }

  /** The operation must be refused with exactly this row, and leave nothing behind. */
  refuse(t: Test, row: ErrorRow, name: string, given: Given, more: string | Expected = `${name}: ${row.key}`): void {
    const count = this.chain.pending.transactions.length;
    refused(t, row, () => this.push(name, given), more);
    t.equal(this.chain.pending.transactions.length, count, 'a refused transaction is not kept');
  }

  /** As `refuse`, for what the committee proposes: a proposal that fails only stays, without a word of why. */
  refuseProposed(t: Test, row: ErrorRow, name: string, given: Given, what: string = `${name}: ${row.key}`): void {
    const operation = this.operation(name, given);
    const context = newContext({
      skip: SKIP.none,
      engine: testEngine(),
      contractTimeUsMax: 0,
      blockId: (number) => this.chain.queries.blockIdOf(number),
    });
    context.proposed = true;
    this.#atHead((state) => {
      const hash = stateHash(state);
      refused(t, row, () => state.nested(() => runOperation(state, operation, context)), what);
      t.equal(stateHash(state), hash, `${what}: nothing has changed`);
    });
  }

  /** Whatever is pending goes into a block, after so many empty slots. All of it must get in. */
  block(missedSlots = 0): BlockFacts {
    const waiting = this.chain.pending.transactions.length;
    const facts = this.blockOfWhatFits(missedSlots);
    if (facts.transactions.length !== waiting) {
      throw new Error(`${facts.transactions.length} of ${waiting} pending transactions are in the block`);
    }
    return facts;
  }

  /** As `block`, for worlds whose blocks are too small for everything. */
  blockOfWhatFits(missedSlots = 0): BlockFacts {
    const { queries, blocks } = this.chain;
    const slot = missedSlots + 1;
    const witness = queries.scheduledWitness(slot);
    const account = this.state.get(accountObject, this.state.get(witnessObject, witness).witness_account);
    // A pending transaction may change the key; the block is signed with that of the head.
    const wanted = this.#atHead((state) => state.get(witnessObject, witness).signing_key);
    const key = this.#keys.get(wanted) ?? witnessKey(account.name);
    const facts = blocks.produce({
      when: queries.slotTime(slot),
      witness,
      signer: { publicKey: key.publicKey, sign: (digest) => signatureBackend().sign(digest, key) },
    });
    this.#blocks.push(facts);
    return facts;
  }

  /** Blocks that a test has pushed itself, so that they are replayed in the end. */
  adopt(blocks: readonly SignedBlock[]): void {
    for (const block of blocks) this.#blocks.push(new BlockFacts(block));
  }

  blocks(count: number): void {
    for (let i = 0; i < count; i++) this.block();
  }

  /** One block, the first whose time is at least so many seconds after the head's. */
  advance(seconds: number): BlockFacts {
    const slot = this.chain.queries.slotAt(this.now + seconds);
    const isExact = this.chain.queries.slotTime(slot) >= this.now + seconds;
    return this.block(Math.max(slot - (isExact ? 1 : 0), 0));
  }

  /** Blocks up to and including the next one that ends a maintenance interval. */
  maintenance(): BlockFacts {
    const due = this.state.single(dynamicGlobalPropertyObject).next_maintenance_time;
    return due > this.now ? this.advance(due - this.now) : this.block();
  }

  // Committee

  /** Runs an operation as the committee: elects one if there is none yet, proposes, approves. */
  asCommittee(name: string, given: Given): void {
    this.#electCommittee();
    const operation = this.operation(name, given);
    const proposal = this.create('proposal_create', {
      fee_paying_account: 'init0',
      expiration_time: this.now + 600,
      proposed_ops: [{ op: operation }],
    });
    this.push('proposal_update', {
      fee_paying_account: 'init0',
      proposal,
      active_approvals_to_add: witnessNames(this.#options),
    });
  }

  /** New parameters are in force after this. */
  changeParameters(change: Partial<ChainParameters>): void {
    const { parameters } = this.state.single(globalPropertyObject);
    this.asCommittee('committee_member_update_global_parameters', { new_parameters: { ...parameters, ...change } });
    this.block();
    this.maintenance();
  }

  /** Those with core amounts vote for all witnesses as nodes and as committee; the next maintenance seats them. */
  #electCommittee(): void {
    if (this.#hasCommittee) return;
    this.#hasCommittee = true;
    const votes = [
      ...[...this.state.all(witnessObject)].map((witness) => witness.vote_id),
      ...[...this.state.all(committeeMemberObject)].map((member) => member.vote_id),
    ];
    const names = Object.keys(this.#options.accounts ?? {}).filter((name) => this.balance(name) > 0n);
    if (names.length === 0) throw new Error('somebody needs core amounts to elect a committee');
    for (const name of names) {
      this.push('account_update', { account: name, new_options: { ...this.account(name).options, votes } });
    }
    this.block();
    this.maintenance();
    const { active } = this.state.get(accountObject, COMMITTEE_ACCOUNT);
    if (active.account_auths.length === 0) throw new Error('the election has seated nobody');
  }

  // Proving

  /** The promise that every test makes without saying so. */
  close(t: Test): void {
    this.chain.pending.clear();
    const hash = this.#atHead(stateHash);
    const supply = this.#atHead(supplySnapshot);
    if (this.#options.keepsSupply !== false) {
      t.same(supplyViolations(this.#genesisSupply, supply), [], 'amounts and supplies agree');
    }
    const second = this.#newChain();
    for (const facts of this.#blocks) {
      second.blocks.push({ block: decode(signedBlock, encode(signedBlock, facts.block)) });
    }
    t.equal(second.blocks.head.id, this.chain.blocks.head.id, 'a second chain has the same head');
    t.equal(second.snapshots.withHeadState(stateHash), hash, 'a second chain has the same state');
    this.#atHead((state) => {
      while (state.committedFrames > 0) state.popCommitted();
      t.equal(stateHash(state), this.#genesisHash, 'all blocks undone give the genesis state');
    });
  }
}

/** A test in a world of its own, which is proved when the test's own statements are done. */
export function worldTest(
  name: string,
  options: WorldOptions,
  body: (t: Test, w: TestWorld) => void | Promise<void>,
): void {
  void t.test(name, async (t) => {
    const world = new TestWorld(options);
    await body(t, world);
    world.close(t);
  });
}
