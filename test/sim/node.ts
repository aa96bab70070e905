import { armCrashPoint, type CrashPoint } from '../../src/base/crash-point.js';
import { ChainError } from '../../src/base/errors.js';
import type { Chain } from '../../src/chain/chain.js';
import { BlockFacts } from '../../src/chain/facts.js';
import { FORK_ERRORS } from '../../src/chain/fork-db.js';
import type { GenesisSource } from '../../src/chain/genesis-source.js';
import { decode, encode } from '../../src/codec/binary.js';
import { blockNumFromId } from '../../src/crypto/digests.js';
import type { PublicKey } from '../../src/crypto/public-key.js';
import { signatureBackend } from '../../src/crypto/signature.js';
import { headSigningKeys } from '../../src/node/chain/signing-keys.js';
import { flushInBackground, openStoredChain, type StoredChain } from '../../src/node/chain/stored-chain.js';
import { signedBlock } from '../../src/protocol/block.js';
import type { Instance } from '../../src/protocol/ids.js';
import { type SignedTransaction, signedTransaction } from '../../src/protocol/transaction.js';
import type { ChainState } from '../../src/state/chain-state.js';
import { decide } from '../../src/witness/decide.js';
import type { Checkers } from './checkers.js';
import type { SimulatedClock } from './clock.js';
import { ProcessDied, SimulatedDisk } from './disk.js';
import type { Message } from './network.js';
import type { SeededRandom } from './random.js';
import { type Sabotage, sabotageState } from './sabotage.js';
import { silentLog } from './silent-log.js';
import { signingKeys } from './workload.js';

/** How a process ends. */
export type Death = 'kill' | 'power';

export interface NodeParts {
  readonly index: number;
  readonly genesis: GenesisSource;
  readonly witnesses: readonly Instance[];
  readonly clock: SimulatedClock;
  readonly random: SeededRandom;
  readonly checkers: Checkers;
  readonly peers: readonly number[];
  readonly isDoubleProducer: boolean;
  /** Checks that this world leaves out, to be faster. */
  readonly skip: number;
  readonly sabotage: Sabotage | undefined;
  readonly send: (to: number, message: Message) => void;
  readonly note: (text: string) => void;
  readonly fail: (error: unknown) => void;
}

const TICK_MS = 500;
const STATUS_MS = 2000;
const BLOCKS_PER_ANSWER = 20;
const SAVE_BLOCKS_MAX = 4;
/** Starts at which an operator wants the state rebuilt from the log. */
const REPLAY_CHANCE = 0.15;
const SABOTAGE_FROM_BLOCK = 8;

/** What a node had when it was ended from outside, to be compared with what it has after its restart. */
interface Before {
  readonly head: string;
  readonly irreversible: number;
  /** Ended between two events and nothing lost: the head must be the very same. */
  readonly isExact: boolean;
}

/** A whole node without sockets: chain, storage, the decision to produce, and the simplest gossip that can work. */
export class SimulatedNode {
  readonly index: number;
  skewMs = 0;
  /** An operator's decision: go on from an old head. */
  isProductionForced = false;
  isProductionPaused = false;
  /** The next start rebuilds the state from the log. */
  isReplayWanted = false;
  isDoubleProducer: boolean;
  readonly #p: NodeParts;
  readonly #disk: SimulatedDisk;
  #stored: StoredChain | undefined;
  #isEnabled = false;
  /** Grows with every start; what belongs to older ones is ignored. */
  #life = 0;
  #isStarting = false;
  #isStopping = false;
  #irreversible = 0;
  #before: Before | undefined;
  #armed: CrashPoint | undefined;
  #relayed = new Set<string>();
  #signingKey: (witness: Instance) => PublicKey = () => '';
  counts = { produced: 0, doubled: 0, deaths: 0, starts: 0, switches: 0, refusals: 0, crashPoints: new Set<string>() };

  constructor(parts: NodeParts) {
    this.#p = parts;
    this.index = parts.index;
    this.isDoubleProducer = parts.isDoubleProducer;
    const { clock, random, index } = parts;
    this.#disk = new SimulatedDisk({
      clock,
      random: random.fork(),
      owner: index,
      isLying: parts.sabotage === 'lying_disk',
    });
  }

  get isUp(): boolean {
    return this.#stored !== undefined;
  }

  get chain(): Chain | undefined {
    return this.#stored?.chain;
  }

  // Life and death

  start(): void {
    if (this.#stored !== undefined || this.#isStarting || this.#isStopping) return;
    this.#isStarting = true;
    const life = ++this.#life;
    void this.#open(life).catch((error: unknown) => {
      if (this.#life !== life || error instanceof ProcessDied) return;
      this.#p.fail(error);
    });
  }

  async #open(life: number): Promise<void> {
    const { genesis, random } = this.#p;
    const disk = { files: this.#disk.files(), openKv: async () => this.#disk.keyValueStore() };
    const stored = await openStoredChain({
      dataDir: '/node',
      genesis,
      start: this.isReplayWanted || random.chance(REPLAY_CHANCE) ? 'replay' : 'normal',
      log: silentLog,
      storage: disk,
      // An event's work is done before the next event: nobody else gets a turn in between.
      monotonicMs: () => 0,
      chain: { saveBlocks: random.between(1, SAVE_BLOCKS_MAX) },
    });
    if (this.#life !== life) return;
    stored.storage.flushLimits = { blocks: random.between(1, 8), objects: 10_000 };
    this.#isStarting = false;
    this.#stored = stored;
    this.isReplayWanted = false;
    this.#isEnabled = false;
    this.#relayed = new Set();
    this.counts.starts++;
    const { chain } = stored;
    this.#p.note(
      `node ${this.index} is up, head ${chain.blocks.head.number}, applied ${stored.recovered.to - stored.recovered.from + 1}`,
    );
    this.#compareWithBefore(chain);
    this.compareJournal();
    this.#watch(stored, life);
    this.#signingKey = headSigningKeys(chain, this.#p.witnesses);
    flushInBackground(stored, (error) => {
      if (this.#life === life && !(error instanceof ProcessDied)) this.#p.fail(error);
    });
    this.#every(life, TICK_MS, () => this.#tick());
    this.#every(life, STATUS_MS, () => this.#tellStatus());
  }

  #every(life: number, ms: number, run: () => void): void {
    this.#p.clock.after(ms, this.index, () => {
      if (this.#life !== life) return;
      this.#every(life, ms, run);
      run();
    });
  }

  #compareWithBefore(chain: Chain): void {
    const before = this.#before;
    this.#before = undefined;
    const { head } = chain.blocks;
    for (let n = 1; n <= head.irreversible; n++)
      this.#p.checkers.irreversible(this.index, n, chain.queries.blockIdOf(n));
    this.#irreversible = head.irreversible;
    chain.snapshots.withHeadState((state) => this.#p.checkers.wholeState(this.index, head.number, head.id, state));
    if (before === undefined) return;
    if (before.isExact && head.id !== before.head) {
      throw new Error(`node ${this.index}: restarted at ${head.id}, it was at ${before.head}`);
    }
    if (head.number < before.irreversible) {
      throw new Error(`node ${this.index}: restarted at ${head.number}, ${before.irreversible} was irreversible`);
    }
  }

  /** All that block log and journal have. */
  compareJournal(): void {
    if (this.#stored === undefined) return;
    const { journal, log } = this.#stored.storage;
    for (let n = 1; n <= log.headNumber; n++) {
      this.#p.checkers.segment(this.index, n, log.idOf(n) ?? '', journal.segmentOf(n));
    }
  }

  #watch({ chain, storage }: StoredChain, life: number): void {
    const { checkers, fail, sabotage } = this.#p;
    const state = chain.queries.state as ChainState;
    chain.blocks.subscribe((event) => {
      if (this.#life !== life) return;
      try {
        if (event.kind === 'applied') {
          const { number, id } = event.block;
          checkers.applied(this.index, event, state);
          checkers.segment(this.index, number, id, storage.journal.segmentOf(number));
          if (event.block.number >= SABOTAGE_FROM_BLOCK) sabotageState(state, sabotage);
        } else if (event.kind === 'irreversible') {
          for (let n = this.#irreversible + 1; n <= event.number; n++) {
            checkers.irreversible(this.index, n, chain.queries.blockIdOf(n));
          }
          this.#irreversible = event.number;
        }
      } catch (error) {
        fail(error);
      }
    });
  }

  /** Ends the process here and now. Whatever it still tries fails. */
  die(how: Death, isBetweenEvents: boolean): void {
    const { chain } = this;
    const irreversible = how === 'kill' ? (this.#before?.irreversible ?? this.#irreversible) : 0;
    const head = chain?.blocks.head.id ?? '';
    this.#before = { head, irreversible, isExact: how === 'kill' && isBetweenEvents && chain !== undefined };
    if (this.#before.isExact && chain !== undefined) this.#rememberState(chain);
    this.#stored = undefined;
    this.#isStarting = false;
    this.#isStopping = false;
    this.#life++;
    this.#armed = undefined;
    this.isReplayWanted = false;
    this.counts.deaths++;
    if (how === 'kill') this.#disk.kill();
    else this.#disk.losePower();
  }

  /** So that the state after the restart has something to be equal to. */
  #rememberState(chain: Chain): void {
    const { number, id } = chain.blocks.head;
    chain.snapshots.withHeadState((state) => this.#p.checkers.wholeState(this.index, number, id, state));
  }

  /** An orderly stop: everything is written. `then` is called when it is done. */
  stop(then: () => void): void {
    const stored = this.#stored;
    if (stored === undefined) {
      then();
      return;
    }
    const { head } = stored.chain.blocks;
    this.#before = { head: head.id, irreversible: head.irreversible, isExact: true };
    this.#rememberState(stored.chain);
    const life = this.#life;
    this.#stored = undefined;
    this.#isStopping = true;
    stored
      .close()
      .then(() => {
        if (this.#life !== life) return;
        this.#life++;
        this.#isStopping = false;
        then();
      })
      .catch((error: unknown) => {
        if (this.#life === life && !(error instanceof ProcessDied)) this.#p.fail(error);
      });
  }

  /** The process ends when it next passes this point. */
  arm(point: CrashPoint): void {
    this.#armed = point;
  }

  /** Called before anything of this node runs; crash points are one per process, and here all nodes share one. */
  armPoint(crash: (point: CrashPoint) => void): void {
    const point = this.#armed;
    if (point === undefined) return;
    armCrashPoint(point, 0, () => {
      if (this.#armed === point) {
        this.counts.crashPoints.add(point);
        crash(point);
      }
      throw new ProcessDied();
    });
  }

  // Production

  get #nowSec(): number {
    return Math.floor((this.#p.clock.nowMs + this.skewMs + 500) / 1000);
  }

  #tick(): void {
    const { chain } = this;
    if (chain === undefined || this.isProductionPaused) return;
    const { queries } = chain;
    const keys = new Set(this.#p.witnesses.flatMap((witness) => signingKeys(witness).map((key) => key.publicKey)));
    const view = {
      slotTime: (slot: number) => queries.slotTime(slot),
      slotAt: (time: number) => queries.slotAt(time),
      scheduledWitness: (slot: number) => queries.scheduledWitness(slot),
      signingKey: (witness: Instance) => this.#signingKey(witness),
      participation: () => queries.participation(),
    };
    const { answer, isEnabled } = decide(view, {
      nowSec: this.#nowSec,
      isEnabled: this.#isEnabled || this.isProductionForced,
      isOurs: (witness) => this.#p.witnesses.includes(witness),
      hasKey: (key) => keys.has(key),
      participationMin: 0,
    });
    this.#isEnabled = isEnabled;
    if (answer.code !== 'produced') return;
    if (this.isDoubleProducer) this.#produceTwice(chain, answer.witness, answer.slotSec);
    else this.#tell(this.#produce(chain, answer.witness, answer.slotSec), this.#p.peers);
  }

  #produce(chain: Chain, witness: Instance, when: number): BlockFacts {
    const wanted = this.#signingKey(witness);
    const key = signingKeys(witness).find(({ publicKey }) => publicKey === wanted);
    if (key === undefined) throw new Error('a witness signs with one of its keys');
    const signer = { publicKey: key.publicKey, sign: (digest: Uint8Array) => signatureBackend().sign(digest, key) };
    const facts = chain.blocks.produce({ when, witness, signer }, this.#p.skip);
    this.counts.produced++;
    this.#relayed.add(facts.id);
    this.#p.note(
      `node ${this.index} made block ${facts.number} ${facts.id.slice(8, 16)} txs ${facts.transactions.length}`,
    );
    return facts;
  }

  /** Two blocks of one slot, each for one half of the others. */
  #produceTwice(chain: Chain, witness: Instance, when: number): void {
    const first = this.#produce(chain, witness, when);
    const { irreversible, number } = chain.blocks.head;
    const { peers } = this.#p;
    if (irreversible >= number) {
      this.#tell(first, peers);
      return;
    }
    chain.blocks.popTo(number - 1);
    // A slot lasts three seconds, and any of them will do.
    const second = this.#produce(chain, witness, when + 1);
    this.counts.doubled++;
    const half = peers.length >> 1;
    this.#tell(first, peers.slice(0, half));
    this.#tell(second, peers.slice(half));
  }

  // Gossip

  #tell(facts: BlockFacts, peers: readonly number[]): void {
    const message: Message = { kind: 'block', bytes: encode(signedBlock, facts.block) };
    for (const peer of peers) this.#p.send(peer, message);
  }

  #tellStatus(): void {
    const { chain } = this;
    if (chain === undefined) return;
    const { number, id } = chain.blocks.head;
    for (const peer of this.#p.peers) this.#p.send(peer, { kind: 'status', number, id });
  }

  receive(from: number, message: Message): void {
    const { chain } = this;
    if (chain === undefined) return;
    switch (message.kind) {
      case 'block':
        this.#takeBlock(chain, from, message.bytes, true);
        return;
      case 'transaction':
        this.submit(decode(signedTransaction, message.bytes));
        return;
      case 'status':
        if (message.number >= chain.blocks.head.number && !chain.queries.isKnownBlock(message.id))
          this.#ask(chain, from);
        return;
      case 'want':
        this.#answer(chain, from, message.ids);
        return;
      case 'blocks': {
        let taken = 0;
        for (const bytes of message.list) if (this.#takeBlock(chain, from, bytes, false)) taken++;
        if (taken > 0 && message.list.length === BLOCKS_PER_ANSWER) this.#ask(chain, from);
        return;
      }
    }
  }

  /** True when the block is new and was not refused. */
  #takeBlock(chain: Chain, from: number, bytes: Uint8Array, isNews: boolean): boolean {
    const block = decode(signedBlock, bytes);
    if (chain.queries.isKnownBlock(new BlockFacts(block).id)) return false;
    try {
      const known = chain.blocks.head.id;
      const { hasSwitched } = chain.blocks.push({ block }, this.#p.skip);
      if (hasSwitched) {
        this.counts.switches++;
        this.#p.note(`node ${this.index} switched from ${known.slice(0, 16)} to ${chain.blocks.head.id.slice(0, 16)}`);
      }
    } catch (error) {
      if (!(error instanceof ChainError)) throw error;
      this.counts.refusals++;
      const isUnlinked = error.key === FORK_ERRORS.block_unlinkable.key;
      if (isUnlinked && isNews) this.#ask(chain, from);
      if (!isUnlinked) this.#p.note(`node ${this.index} refused a block of node ${from}: ${error.key}`);
      return false;
    }
    const key = Buffer.from(block.witness_signature).toString('hex');
    if (this.#relayed.has(key)) return false;
    this.#relayed.add(key);
    if (isNews) for (const peer of this.#p.peers) if (peer !== from) this.#p.send(peer, { kind: 'block', bytes });
    return true;
  }

  #ask(chain: Chain, peer: number): void {
    const { number, irreversible } = chain.blocks.head;
    const ids: string[] = [];
    for (let step = 1, n = number; n > irreversible; n -= step, step *= 2)
      ids.push(chain.queries.blockIdOf(n) as string);
    if (irreversible > 0) ids.push(chain.queries.blockIdOf(irreversible) as string);
    this.#p.send(peer, { kind: 'want', ids });
  }

  #answer(chain: Chain, peer: number, ids: readonly string[]): void {
    const common = ids.find((id) => chain.queries.blockIdOf(blockNumFromId(id)) === id);
    const list: Uint8Array[] = [];
    for (let n = common === undefined ? 1 : blockNumFromId(common) + 1; list.length < BLOCKS_PER_ANSWER; n++) {
      const block = chain.queries.blockByNumber(n);
      if (block === undefined) break;
      list.push(encode(signedBlock, block));
    }
    if (list.length > 0) this.#p.send(peer, { kind: 'blocks', list });
  }

  /** Into the pending transactions and on to the others; false when it was refused. */
  submit(transaction: SignedTransaction): boolean {
    const { chain } = this;
    if (chain === undefined) return false;
    try {
      chain.pending.push({ transaction }, this.#p.skip);
    } catch (error) {
      if (error instanceof ChainError) return false;
      throw error;
    }
    const bytes = encode(signedTransaction, transaction);
    for (const peer of this.#p.peers) this.#p.send(peer, { kind: 'transaction', bytes });
    return true;
  }
}
