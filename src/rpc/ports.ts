import type { devStatus, devWaiting } from '../api/dev.js';
import type { StateLostError } from '../base/errors.js';
import type { Cancel, Clock, Logger } from '../base/world.js';
import type { ChainListener } from '../chain/events.js';
import type { Json } from '../codec/json.js';
import type { ValueOf } from '../codec/type.js';
import type { Asset } from '../protocol/asset.js';
import type { SignedBlock } from '../protocol/block.js';
import type { Instance } from '../protocol/ids.js';
import type { Operation } from '../protocol/operation-slot.js';
import type { ProcessedTransaction, SignedTransaction } from '../protocol/transaction.js';
import type { ReadState } from '../state/views.js';
import type { HistorySource } from './history-source.js';

/** What the RPC layer needs from the rest of the node. Nothing here says how the node is built. */

/** A block as it lies on the disk: whoever reads it does so in pieces, see pieces/read.ts. */
export interface PackedBlock {
  readonly id: string;
  readonly bytes: Uint8Array;
}

export interface ChainPort {
  readonly chainId: string;
  /** State with the pending transactions on top. Valid until the next await. */
  readonly state: ReadState;
  /** Cheaper than the block itself, where the node knows a way. */
  blockIdOf?(number: number): string | undefined;
  packedBlock(number: number): PackedBlock | undefined;
  packedBlockById(id: string): PackedBlock | undefined;
  /** Recovers keys, applies to the pending state, hands to the network. Refusals are coded errors. */
  push(transaction: SignedTransaction): Promise<PushedTransaction>;
  /** Keys that have signed the transaction for this chain, found by the threads; refuses where a signature is bad. */
  signers(transaction: SignedTransaction): Promise<readonly string[]>;
  /** As `push`, but without a trace. */
  dryRun(transaction: SignedTransaction): Promise<ProcessedTransaction>;
  pushBlock(block: SignedBlock): Promise<void>;
  /** What a contract call costs in the asset, found by running it without a trace. */
  contractFee(operation: Operation, feeAsset: Instance): Asset;
  listen(listener: ChainListener): Cancel;
}

export interface PushedTransaction {
  readonly id: string;
  readonly transaction: ProcessedTransaction;
}

/** Where a transaction stands in the chain; the index on disk belongs to storage. */
export interface TransactionPlace {
  readonly block: number;
  readonly position: number;
}
export interface TransactionIndexPort {
  find(id: string): TransactionPlace | undefined;
}

export interface NetworkPeer {
  readonly host: string;
  readonly info: Readonly<Record<string, string | number | boolean>>;
}

/** How far catching up with the peers has come. */
export interface NetworkProgress {
  readonly blocksBehind: number;
  readonly blocksPerSec: number;
  readonly transactionsPerSec: number;
  readonly leftSec: number | undefined;
}

export interface NetworkPort {
  listeningOn(): string;
  nodePublicKey(): string;
  nodeId(): string;
  /** `unknown`, `firewalled` or `not_firewalled`. */
  firewalled(): string;
  /** Of peers that take part in everything. */
  connectionCount(): number;
  /** Each with what is known of it, for which a block may have to be read. */
  peers(): readonly NetworkPeer[];
  potentialPeers(): readonly Readonly<Record<string, string | number>>[];
  /** Addresses from which nothing is taken, with the last reason and until when. */
  bans(): readonly { readonly address: string; readonly reason: string; readonly until: string }[];
  addNode(endpoint: string): void;
  progress(): NetworkProgress;
  /** Those that this node has; of others the usual values are shown. */
  parameters(): Readonly<Record<string, number>>;
  setParameters(parameters: Readonly<Record<string, number>>): void;
}

export interface SnapshotMade {
  readonly head_block_num: number;
  readonly head_block_id: string;
  readonly snapshot_dir: string;
}

export interface SnapshotPort {
  create(): Promise<SnapshotMade>;
  /** Into a folder of its own below the data directory, which the caller removes. */
  copy(): Promise<SnapshotMade>;
}

/** For tests only: makes blocks at once instead of at their time. */
export interface DebugPort {
  /** Without a key: with those that the node was given for this. */
  generateBlocks(wif: string, count: number): Promise<void>;
  pushBlocks(directory: string, count: number): Promise<void>;
  updateObject(update: Json): void;
  /** From now on every changed object becomes a line of the file; an empty name ends it. */
  streamObjects(file: string): void;
  flushStream(): void;
}

export type DevStatus = ValueOf<typeof devStatus>;

export type DevWaiting = ValueOf<typeof devWaiting>;

/** Time and blocks of a development chain, there with `--dev` alone. */
export interface DevPort {
  status(): DevStatus;
  mine(blocks: number, secondsBetween: number): Promise<DevStatus>;
  setTime(seconds: number): DevStatus;
  increaseTime(seconds: number): DevStatus;
  /** Transactions that wait for a block, in the order in which blocks would take them. */
  pending(): DevWaiting[];
  /** How many there were. */
  dropPending(): number;
  /** Pays in the smallest unit of the core asset; answers with the transaction's id. */
  faucet(account: string, amount: bigint): string;
  setProducing(isOn: boolean): DevStatus;
  setBalance(account: string, asset: string, amount: bigint): DevStatus;
  /** All accounts that are impersonated then. */
  impersonate(account: string): Instance[];
  stopImpersonate(account: string): Instance[];
  /** False if it does not wait. */
  dropTransaction(id: string): boolean;
  /** One entry for each contract call of the transaction. */
  trace(id: string): Json[];
  contractTraces(account: string, limit: number): Json[];
  /** Its number. */
  snapshot(): number;
  revert(snapshot: number): DevStatus;
  /** How many there were. */
  dropSnapshots(): number;
  /** The whole chain as one text. */
  dumpState(): string;
  loadState(state: string): DevStatus;
}

export interface RpcPorts {
  /** A request has shown that the state in memory is lost: the node must stop. */
  onStateLost?(error: StateLostError): void;
  readonly chain: ChainPort;
  readonly clock: Clock;
  readonly log: Logger;
  /** Transactions that wait for a block, for the metrics. */
  pendingCount?(): number;
  readonly transactions?: TransactionIndexPort;
  /** Of the plugin that records it, if there is one. */
  readonly history?: HistorySource;
  readonly network?: NetworkPort;
  readonly snapshots?: SnapshotPort;
  readonly debug?: DebugPort;
  readonly dev?: DevPort;
  /** `--rpc-mock-calc-fee`: contract calls are said to cost nothing. */
  readonly mockContractFee?: boolean;
}
