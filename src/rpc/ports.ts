import type { Cancel, Clock, Logger } from '../base/world.js';
import type { Asset } from '../protocol/asset.js';
import type { SignedBlock } from '../protocol/block.js';
import type { Operation } from '../protocol/operation-slot.js';
import type { ProcessedTransaction, SignedTransaction } from '../protocol/transaction.js';
import type { AnyObjectDef, StateObject } from '../state/define.js';
import type { ReadState } from '../state/views.js';

/** What the RPC layer needs from the rest of the node. Nothing here says how the node is built. */

export interface StoredBlock {
  readonly number: number;
  readonly id: string;
  readonly block: SignedBlock;
}

export interface ChangedObject {
  readonly definition: AnyObjectDef;
  /** The object now; of a removed one its last values. */
  readonly object: Readonly<StateObject>;
}

export interface ObjectChanges {
  readonly created: readonly ChangedObject[];
  readonly modified: readonly ChangedObject[];
  readonly removed: readonly ChangedObject[];
}

export type ChainNotice =
  | { readonly kind: 'applied'; readonly block: StoredBlock; readonly changes: ObjectChanges }
  /** A fork switch took the block back; `changes` are those of taking it back. */
  | { readonly kind: 'undone'; readonly block: StoredBlock; readonly changes: ObjectChanges }
  | { readonly kind: 'irreversible'; readonly number: number }
  /** Accepted into the pending state, also when it is accepted again after a block. */
  | { readonly kind: 'pending'; readonly id: string; readonly transaction: ProcessedTransaction };

export interface ChainPort {
  readonly chainId: string;
  /** State with the pending transactions on top. Valid until the next await. */
  readonly state: ReadState;
  blockByNumber(number: number): StoredBlock | undefined;
  blockById(id: string): StoredBlock | undefined;
  /** Recovers keys, applies to the pending state, hands to the network. Refusals are coded errors. */
  push(transaction: SignedTransaction): Promise<PushedTransaction>;
  /** As `push`, but without a trace. */
  dryRun(transaction: SignedTransaction): Promise<ProcessedTransaction>;
  pushBlock(block: SignedBlock): Promise<void>;
  /** What a contract call costs in the core asset, found by running it without a trace. */
  contractFee(operation: Operation): Asset;
  listen(listener: (notice: ChainNotice) => void): Cancel;
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

export interface NetworkPort {
  listeningOn(): string;
  nodePublicKey(): string;
  nodeId(): string;
  peers(): readonly NetworkPeer[];
  potentialPeers(): readonly Readonly<Record<string, string | number>>[];
  addNode(endpoint: string): void;
  parameters(): Readonly<Record<string, number>>;
  setParameters(parameters: Readonly<Record<string, number>>): void;
}

export interface SnapshotPort {
  create(): Promise<{ head_block_num: number; head_block_id: string; snapshot_dir: string }>;
}

/** For tests only: makes blocks at once instead of at their time. */
export interface DebugPort {
  generateBlocks(wif: string, count: number): Promise<void>;
  pushBlocks(directory: string, count: number): Promise<void>;
}

export interface ContractTablePort {
  /** Packs the arguments of an action as the contract's ABI says. */
  packArguments(abi: unknown, typeName: string, args: unknown): Uint8Array;
  /** JSON of a row as the contract's ABI says. */
  rowToJson(abi: unknown, typeName: string, bytes: Uint8Array): unknown;
}

export interface RpcPorts {
  readonly chain: ChainPort;
  readonly clock: Clock;
  readonly log: Logger;
  readonly transactions?: TransactionIndexPort;
  readonly network?: NetworkPort;
  readonly snapshots?: SnapshotPort;
  readonly debug?: DebugPort;
  /** `--rpc-mock-calc-fee`: contract calls are said to cost nothing. */
  readonly mockContractFee?: boolean;
}
