import { ChainError } from '../../../src/base/errors.js';
import { Chain } from '../../../src/chain/chain.js';
import type { BlockFacts } from '../../../src/chain/facts.js';
import type { GenesisSource } from '../../../src/chain/genesis-source.js';
import { MemoryBlockStore } from '../../../src/chain/memory-block-store.js';
import { decode, encode } from '../../../src/codec/binary.js';
import { type Json, parseJson } from '../../../src/codec/json.js';
import { signatureBackend } from '../../../src/crypto/signature.js';
import { REPLAY_SKIP } from '../../../src/importer/recover.js';
import { openStoredChain, type StoredChain } from '../../../src/node/chain/stored-chain.js';
import { type AppliedOperation, SKIP } from '../../../src/operations/define.js';
import { OPERATIONS } from '../../../src/operations/index.js';
import { type SignedBlock, signedBlock } from '../../../src/protocol/block.js';
import { type Operation, operation as operationType } from '../../../src/protocol/operation-slot.js';
import type { ChainState } from '../../../src/state/chain-state.js';
import { accountObject } from '../../../src/state/objects/account.js';
import { committeeMemberObject } from '../../../src/state/objects/committee-member.js';
import { dynamicGlobalPropertyObject, MAINTENANCE_FLAG } from '../../../src/state/objects/dynamic-global-property.js';
import { witnessObject } from '../../../src/state/objects/witness.js';
import { parameters } from '../../../src/state/rules/parameters.js';
import { stateHash, typeDigests } from '../../../src/state/state-hash.js';
import { MemoryKv } from '../../../src/storage/memory-kv.js';
import { SeededRandom } from '../../sim/random.js';
import { silentLog } from '../../sim/silent-log.js';
import { signedTransactionOf } from '../../sim/transactions.js';
import { claimTransactions } from '../../sim/workload.js';
import { testEngine } from '../../support/engine.js';
import { MemoryFiles } from '../../support/memory-files.js';
import { NETWORK } from '../../support/network.js';
import { operationByName } from '../../support/operation-by-name.js';
import { type SupplySnapshot, supplySnapshot, supplyViolations } from '../../support/supply.js';
import { blockKeyOf, keyByPublic, keyOf } from './keys.js';
import { bend, Workload } from './kinds.js';
import { FUNDED, Memory, NAMED, Scene, USERS } from './scene.js';
import { signersOf } from './signers.js';
import { fuzzGenesis } from './world.js';

const BLOCKS_MIN = 200;
const SWITCHES_MIN = 2;
const MAINTENANCES_MIN = 4;
const OPERATIONS_MIN = 500;
const TRIES_PER_BLOCK_MAX = 10;
const LAST_SHOWN = 12;
const DAY_SEC = 86_400;
/** The peer has checked all of it; a node that applies its own log leaves out as much. */
const AS_FROM_THE_LOG = REPLAY_SKIP & ~SKIP.transactionDupeCheck;
/** Every frame is kept, so that all blocks can be undone in the end. */
const KEEP_ALL = Number.MAX_SAFE_INTEGER;

const CLEAR_POOL = operationByName('asset_update')?.tag;
const PAY_DATA = operationByName('pay_data_transaction')?.tag;
const FBA_SHARE = operationByName('fba_distribute')?.tag;
const CALL = operationByName('contract_call')?.tag;
const ORDER = operationByName('limit_order_create')?.tag;
const PLEDGE_BACK = operationByName('trust_node_pledge_withdraw')?.tag;

/** By name of the operation. */
export type Counts = Map<string, { accepted: number; refused: number }>;

export interface ChainReport {
  readonly seed: number;
  readonly how: string;
  blocks: number;
  operations: number;
  switches: number;
  restarts: number;
  maintenances: number;
  /** The chain ended early because its own rules allow no further maintenance. */
  isAtRest: boolean;
  readonly counts: Counts;
}

class FuzzFailure extends Error {
  override readonly name = 'FuzzFailure';
}

const count = (counts: Counts, [tag]: Operation, what: 'accepted' | 'refused'): void => {
  const { name } = OPERATIONS[tag] as (typeof OPERATIONS)[number];
  const entry = counts.get(name) ?? { accepted: 0, refused: 0 };
  entry[what]++;
  counts.set(name, entry);
};

/** One chain, from its genesis to its replay and undoing. Everything in it follows from the seed. */
export class ChainRun {
  readonly report: ChainReport;
  /** Told of the chain on which all blocks are about to be applied once more. */
  onReplay: (chain: Chain) => void = () => undefined;
  readonly #random: SeededRandom;
  readonly #genesis: GenesisSource;
  readonly #memory = new Memory();
  readonly #workload: Workload;
  readonly #files = new MemoryFiles();
  readonly #kv = new MemoryKv();
  readonly #engine = testEngine();
  /** What happened last, for whoever reads of a failure. */
  readonly #last: string[] = [];
  #stored: StoredChain | undefined;
  /** Another node, which takes every block from its bytes and makes branches of its own. */
  readonly #peer: Chain;
  #transactions = 0;
  /** Operations of each block of the node. */
  readonly #accepted: number[] = [];

  constructor(seed: number) {
    this.#random = new SeededRandom(seed);
    const { genesis, how } = fuzzGenesis(this.#random);
    this.#genesis = genesis;
    for (const name of [...FUNDED, ...NAMED]) {
      keyOf(name);
      blockKeyOf(name);
    }
    this.report = {
      seed,
      how,
      blocks: 0,
      operations: 0,
      switches: 0,
      restarts: 0,
      maintenances: 0,
      isAtRest: false,
      counts: new Map(),
    };
    this.#workload = new Workload(() => genesis.file.initial_parameters);
    this.#peer = this.#memoryChain(20);
  }

  #memoryChain(saveBlocks: number): Chain {
    return new Chain({
      mustRecountVotes: true,
      genesis: this.#genesis,
      engine: this.#engine,
      blocks: new MemoryBlockStore(),
      saveBlocks,
    });
  }

  get #chain(): Chain {
    if (this.#stored === undefined) throw new Error('the node is not open');
    return this.#stored.chain;
  }

  async run(): Promise<ChainReport> {
    try {
      await this.#live();
      this.#prove();
    } catch (error) {
      throw this.#failure(error);
    }
    return this.report;
  }

  #failure(error: unknown): FuzzFailure {
    const told =
      error instanceof ChainError
        ? `refused: ${error.key}: ${error.message} ${JSON.stringify(error.context, bigText)}`
        : String((error as Error).stack ?? error);
    const { seed, how } = this.report;
    const lines = [
      `seed ${seed} (${how}), block ${this.#stored?.chain.blocks.head.number ?? 0}: ${told}`,
      'last events:',
      ...this.#last.map((line) => `  ${line}`),
    ];
    return new FuzzFailure([...lines, `replay: npm run fuzz -- chain --seed ${seed} --chains 1`].join('\n'), {
      cause: error,
    });
  }

  #note(line: string): void {
    this.#last.push(line.length > 2500 ? `${line.slice(0, 2500)}…` : line);
    if (this.#last.length > LAST_SHOWN) this.#last.shift();
  }

  // Life

  async #live(): Promise<void> {
    await this.#open('normal');
    this.#begin();
    const random = this.#random;
    const length = BLOCKS_MIN + random.below(30);
    const restartAt = random.between(40, length - 20);
    const { report } = this;
    const accepted = (): number => this.#accepted.reduce((sum, count) => sum + count, 0);
    const isDone = (): boolean =>
      this.#chain.blocks.head.number >= length &&
      accepted() >= OPERATIONS_MIN &&
      report.switches >= SWITCHES_MIN &&
      report.maintenances >= MAINTENANCES_MIN;
    try {
      while (!isDone()) {
        if (report.restarts === 0 && this.#chain.blocks.head.number >= restartAt) await this.#restart();
        if (random.chance(0.03) || (report.switches < SWITCHES_MIN && random.chance(0.1))) this.#branch();
        this.#push(this.#chain, random.between(1, TRIES_PER_BLOCK_MAX));
        this.#extend(this.#produce(this.#chain, this.#missed()));
        if (this.#chain.blocks.head.number > 4 * BLOCKS_MIN) throw new Error('the chain does not come to its end');
      }
    } catch (error) {
      if (!this.#isAtRest(error)) throw error;
      report.isAtRest = true;
    }
    this.#chain.pending.clear();
    this.#peer.pending.clear();
  }

  /** By rules of the chain itself no maintenance is possible any more; see docs/decisions/invariants.md. */
  #isAtRest(error: unknown): boolean {
    if (!(error instanceof ChainError) || error.key !== 'integer_overflow') return false;
    return error.stack?.includes('/maintenance/') === true;
  }

  /** Balances change hands, and who has money votes, so that there is a committee soon. */
  #begin(): void {
    for (const transaction of claimTransactions(this.#chain.queries, FUNDED)) this.#chain.pending.push({ transaction });
    this.#extend(this.#produce(this.#chain, 0));
    for (const transaction of claimTransactions(this.#chain.queries, FUNDED)) this.#chain.pending.push({ transaction });
    const { state } = this.#chain.queries;
    const scene = this.#scene(this.#chain);
    const votes = [...state.all(witnessObject), ...state.all(committeeMemberObject)]
      .map((one) => one.vote_id)
      .sort((a, b) => a - b);
    for (const name of USERS) {
      const account = state.get(accountObject, scene.idOf(name));
      this.#try(this.#chain, [
        scene.op('account_update', { account: account.id, new_options: { ...account.options, votes } }),
      ]);
    }
    for (const witness of [...state.all(witnessObject)]) {
      const given = { owner: scene.user(), trust_node: witness.id, amount: { amount: 1_000_000_000n, asset_id: 1 } };
      this.#try(this.#chain, [scene.op('staking_create', { ...given, program_id: '1', weight: 1, staking_days: 0 })]);
    }
    this.#extend(this.#produce(this.#chain, 0));
  }

  async #open(start: 'normal' | 'replay'): Promise<void> {
    this.#stored = await openStoredChain({
      dataDir: '/node',
      genesis: this.#genesis,
      start,
      log: silentLog,
      storage: { files: this.#files, openKv: async () => this.#kv },
      chain: { saveBlocks: this.#random.between(1, 8) },
    });
    this.#stored.chain.blocks.subscribe((event) => {
      if (event.kind === 'applied') this.#accepted[event.block.number] = event.operations.length;
      if (event.kind === 'undone') this.#note(`block ${event.block.number} is undone`);
    });
  }

  /** An orderly one, or the end of a process that had no time; what was not written is applied again from the log. */
  async #restart(): Promise<void> {
    const stored = this.#stored as StoredChain;
    const { head } = stored.chain.blocks;
    stored.chain.pending.clear();
    const hash = this.#random.chance(0.3) ? stored.chain.snapshots.withHeadState(stateHash) : undefined;
    const isOrderly = this.#random.chance(0.5);
    this.#note(`${isOrderly ? 'orderly' : 'sudden'} restart at block ${head.number}`);
    if (isOrderly) await stored.close();
    else await stored.storage.abandon();
    await this.#open(this.#random.chance(0.5) ? 'normal' : 'replay');
    const after = this.#chain.blocks.head;
    if (after.id !== head.id)
      throw new Error(`restarted at ${after.number} ${after.id}, it was at ${head.number} ${head.id}`);
    if (hash !== undefined && this.#chain.snapshots.withHeadState(stateHash) !== hash)
      throw new Error('the state is another after the restart');
    this.report.restarts++;
  }

  #missed(): number {
    const random = this.#random;
    if (random.chance(0.85)) return 0;
    if (random.chance(0.9)) return random.between(1, 4);
    const { block_interval } = parameters(this.#chain.queries.state);
    return random.chance(0.6) ? random.below(40) : Math.ceil((DAY_SEC * random.between(1, 3)) / block_interval);
  }

  // Blocks

  #produce(chain: Chain, missed: number): BlockFacts {
    const { queries } = chain;
    const slot = missed + 1;
    const witness = queries.scheduledWitness(slot);
    // A pending transaction may change the key; the block is signed with that of the head.
    const found = (queries.state as ChainState).committed(witnessObject, witness);
    const key = keyByPublic(found?.signing_key ?? '');
    if (key === undefined) throw new Error(`nobody has the key of witness ${witness}`);
    const signer = { publicKey: key.publicKey, sign: (digest: Uint8Array) => signatureBackend().sign(digest, key) };
    const facts = chain.blocks.produce({ when: queries.slotTime(slot), witness, signer });
    this.#note(`block ${facts.number} of ${facts.block.timestamp} with ${facts.transactions.length} transactions`);
    if ((queries.state.single(dynamicGlobalPropertyObject).dynamic_flags & MAINTENANCE_FLAG) !== 0)
      this.report.maintenances++;
    return facts;
  }

  /** From its bytes or from its JSON: it is the same block, or the other node refuses it. */
  #send(to: Chain, { number, block }: BlockFacts): void {
    const isPacked = number % 2 === 0;
    to.blocks.push({ block: isPacked ? decode(signedBlock, encode(signedBlock, block)) : fromItsJson(block) });
  }

  #extend(facts: BlockFacts): void {
    this.#send(this.#peer, facts);
  }

  /** Two nodes go on without each other, and then hear of each other: the shorter branch is left. */
  #branch(): void {
    const random = this.#random;
    const [own, peer] = [this.#chain, this.#peer];
    own.pending.clear();
    const base = own.blocks.head.number;
    const short = random.between(1, 3);
    const isOwnLonger = random.chance(0.4);
    const lengths = isOwnLonger ? [short + random.between(1, 2), short] : [short, short + random.between(1, 2)];
    this.#note(`branches of ${lengths.join(' and ')} blocks from block ${base}`);
    const ownBlocks = this.#grow(own, lengths[0] as number, 0);
    const peerBlocks = this.#grow(peer, lengths[1] as number, 1);
    const wins = isOwnLonger ? peer : own;
    const isPossible = own.blocks.head.irreversible <= base && peer.blocks.head.irreversible <= base;
    if (!isPossible) throw new Error('a branch became irreversible by itself');
    for (const block of isOwnLonger ? ownBlocks : peerBlocks) this.#send(wins, block);
    // The loser's blocks come late, and change nothing.
    for (const block of isOwnLonger ? peerBlocks : ownBlocks) this.#send(isOwnLonger ? own : peer, block);
    if (own.blocks.head.id !== peer.blocks.head.id) throw new Error('the nodes did not agree on a branch');
    peer.pending.clear();
    this.report.switches++;
  }

  #grow(chain: Chain, length: number, missed: number): BlockFacts[] {
    return Array.from({ length }, (_, i) => {
      this.#push(chain, this.#random.between(0, TRIES_PER_BLOCK_MAX));
      return this.#produce(chain, i === 0 ? missed : 0);
    });
  }

  // Transactions

  #scene(chain: Chain): Scene {
    return new Scene(chain.queries.state, this.#random, this.#memory);
  }

  #push(chain: Chain, tries: number): void {
    const scene = this.#scene(chain);
    for (let i = 0; i < tries; i++) {
      const operations = this.#made(scene);
      if (operations.length === 0) continue;
      if (this.#random.chance(0.4)) this.#tryBent(chain, scene, operations);
      this.#try(chain, operations);
    }
  }

  /** As if anybody could act for everybody, with values that are more than nearly good; it leaves no trace. */
  #tryBent(chain: Chain, scene: Scene, operations: readonly Operation[]): void {
    let bent = [...operations];
    for (let i = this.#random.between(1, 3); i > 0; i--) bent = bent.map((operation) => bend(operation, scene));
    const { head } = chain.queries;
    this.#note(
      `bent: ${JSON.stringify(
        bent.map((operation) => operationType.toJson(operation, NETWORK) as Json),
        bigText,
      )}`,
    );
    const input = { operations: bent, keys: [], expiration: head.time + 20, reference: head.id };
    try {
      const transaction = signedTransactionOf(chain.queries, input);
      chain.pending.dryRun({ transaction }, SKIP.transactionSignatures | SKIP.authorityCheck);
    } catch (error) {
      if (!(error instanceof ChainError)) throw error;
    }
  }

  /** Whoever looks for what is possible may be refused an answer. */
  #made(scene: Scene): readonly Operation[] {
    try {
      return this.#workload.make(scene);
    } catch (error) {
      if (!(error instanceof ChainError)) throw error;
      return [];
    }
  }

  #try(chain: Chain, operations: readonly Operation[]): void {
    const { queries } = chain;
    const { maximum_time_until_expiration } = parameters(queries.state);
    const lifetime = Math.min(20 + (this.#transactions++ % 500), maximum_time_until_expiration);
    this.#note(
      JSON.stringify(
        operations.map((operation) => operationType.toJson(operation, NETWORK) as Json),
        bigText,
      ),
    );
    try {
      const transaction = signedTransactionOf(queries, {
        operations,
        keys: signersOf(queries.state as ChainState, operations),
        expiration: queries.head.time + lifetime,
        reference: queries.head.id,
      });
      chain.pending.push({ transaction });
    } catch (error) {
      if (!(error instanceof ChainError)) throw error;
      for (const operation of operations) count(this.report.counts, operation, 'refused');
    }
  }

  // Proof

  /** All blocks from their bytes on a new chain, and back again. */
  #prove(): void {
    const { report } = this;
    const replayed = this.#memoryChain(KEEP_ALL);
    const genesisHash = replayed.snapshots.withHeadState(stateHash);
    const last = this.#chain.blocks.head.number;
    const supply = new SupplyWatch(replayed);
    this.onReplay(replayed);
    replayed.blocks.subscribe((event) => {
      if (event.kind !== 'applied') return;
      report.operations += event.operations.length;
      for (const { operation } of event.operations) count(report.counts, operation, 'accepted');
      supply.after(event.block.number, event.operations);
    });
    for (let number = 1; number <= last; number++) {
      const block = this.#chain.queries.blockByNumber(number);
      if (block === undefined) throw new Error(`block ${number} is missing`);
      replayed.blocks.push({ block: decode(signedBlock, encode(signedBlock, block)) }, AS_FROM_THE_LOG);
    }
    if (supply.violations.length > 0) throw new Error(supply.violations.join('; '));
    report.blocks = last;
    const wanted = digestsOf(this.#chain);
    const isPeerThere = this.#peer.blocks.head.id === this.#chain.blocks.head.id;
    if (!isPeerThere && !report.isAtRest) throw new Error('the peer has another head');
    const others: [string, Chain][] = [['the replay', replayed]];
    if (isPeerThere) others.push(['the peer', this.#peer]);
    for (const [name, chain] of others) {
      const found = digestsOf(chain);
      const different = [...wanted].filter(([type, digest]) => found.get(type) !== digest).map(([type]) => type);
      if (different.length > 0) throw new Error(`the state of ${name} differs: ${different.join(', ')}`);
    }
    if (report.operations < OPERATIONS_MIN && !report.isAtRest)
      throw new Error(`only ${report.operations} operations were accepted`);
    replayed.snapshots.withHeadState((state) => {
      while (state.committedFrames > 0) state.popCommitted();
      if (stateHash(state) !== genesisHash) throw new Error('all blocks undone do not give the genesis state');
    });
  }
}

const fromItsJson = (block: SignedBlock): SignedBlock =>
  signedBlock.fromJson(parseJson(JSON.stringify(signedBlock.toJson(block, NETWORK))), NETWORK);

const bigText = (_key: string, value: unknown): unknown => (typeof value === 'bigint' ? value.toString() : value);

const digestsOf = (chain: Chain): Map<string, string> =>
  chain.snapshots.withHeadState(
    (state) => new Map(typeDigests(state).map(({ definition, digest }) => [definition.name, digest])),
  );

/** Compares amounts and supplies after every block, but for what the chain's own quirks move. */
class SupplyWatch {
  readonly violations: string[] = [];
  readonly #state: ChainState;
  #before: SupplySnapshot;

  constructor(chain: Chain) {
    this.#state = chain.queries.state as ChainState;
    this.#before = supplySnapshot(this.#state);
  }

  after(number: number, operations: readonly AppliedOperation[]): void {
    const now = supplySnapshot(this.#state);
    const excused = this.#excused(operations);
    const starts = [...excused].map((asset) => `1.3.${asset}:`);
    if (excused.size > 0) starts.push('core assets:');
    const found = supplyViolations(this.#before, now).filter((text) => !starts.some((start) => text.startsWith(start)));
    for (const text of found) this.violations.push(`block ${number}: ${text}`);
    this.#before = now;
  }

  #excused(operations: readonly AppliedOperation[]): Set<number> {
    const excused = new Set<number>();
    for (const { operation } of operations) {
      const [tag, body] = operation;
      // Paid in another asset, it deposits the price in the core asset whatever the asset's pool has given for it.
      if (tag === CALL && body.fee.asset_id !== this.#state.coreAsset) excused.add(this.#state.coreAsset);
      // Its fee was converted by the pool of its asset, and never taken from anybody.
      if (tag === ORDER) excused.add(body.fee.asset_id).add(this.#state.coreAsset);
      if (tag === CLEAR_POOL || tag === FBA_SHARE) excused.add(this.#state.coreAsset);
      if (tag === FBA_SHARE || tag === PAY_DATA) excused.add(0);
      // Pledges are of 1.3.1 and come back in the core asset, whatever that is.
      if (tag === PLEDGE_BACK && this.#state.coreAsset === 0) excused.add(0).add(1);
      if (tag === PAY_DATA) excused.add((body as unknown as { amount: { asset_id: number } }).amount.asset_id);
    }
    return excused;
  }
}
