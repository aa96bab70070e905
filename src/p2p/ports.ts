import type { ChainError } from '../base/errors.js';
import type { LogValues } from '../base/world.js';
import type { BlockId, ChainId, TransactionId } from '../crypto/digests.js';
import type { PrivateKey } from '../crypto/private-key.js';
import type { PackedBlock } from '../protocol/packed-block.js';
import type { SignedTransaction } from '../protocol/transaction.js';
import type { ReasonCode } from './policy/reasons.js';
import type { EndpointText } from './wire/endpoint.js';
import type { NodeId } from './wire/messages.js';

/** What goes into the machine and what comes out of it. It has no clock, no socket, no randomness and no chain. */

/** Two clocks, read at the same moment. */
export interface Reading {
  /** Milliseconds since 1970, UTC. */
  readonly wallMs: number;
  /** Milliseconds of a clock that never jumps: all timers go by it. */
  readonly monotonicMs: number;
}

/** The chain as the network sees it. Everything here answers at once, from memory or an index. */
export interface ChainView {
  readonly chainId: ChainId;
  readonly head: { readonly number: number; readonly id: BlockId; readonly time: number };
  /** Number of the last block that can no longer be undone. */
  readonly permanent: number;
  /** Time of block 0. */
  readonly genesisTime: number;
  readonly blockIntervalSec: number;
  /** Id of the chain's own block with this number. */
  blockIdOf(number: number): BlockId | undefined;
  /** The only id that a block of this number may have, if the operator says so. */
  checkpointOf(number: number): BlockId | undefined;
  /** True also for blocks of branches that may still become the chain. */
  isKnownBlock(id: BlockId): boolean;
  /** Where a branch that ends with this block leaves the chain, and its blocks from there on, oldest first. */
  branchTo(id: BlockId): { readonly forkNumber: number; readonly ids: readonly BlockId[] } | undefined;
  /** The packed block, of the chain or of a branch. */
  blockBytes(id: BlockId): Uint8Array | undefined;
  /** The packed transaction with its signatures, while it waits or is remembered. */
  transactionBytes(id: TransactionId): Uint8Array | undefined;
  /** Accepted, and in no block of the chain. */
  isWaiting(id: TransactionId): boolean;
}

export type ConnectionId = number;

/** Names what was handed to the chain, so that its answer finds back. */
export type Ticket = number;

export interface PushBlock {
  readonly kind: 'push_block';
  readonly ticket: Ticket;
  readonly id: BlockId;
  readonly number: number;
  /** Id, size and time are checked, nothing else. Bytes: it has to be read before the threads get its signatures. */
  readonly block: PackedBlock | Uint8Array;
  /** Who sent it, for logs. */
  readonly from: EndpointText;
  /** Part of catching up, or new. */
  readonly isSync: boolean;
}

export interface GivenToPush {
  readonly ticket: Ticket;
  readonly transaction: SignedTransaction;
}

/** Something that the world around has to do. */
export type Wish =
  | { readonly kind: 'send'; readonly connection: ConnectionId; readonly bytes: Uint8Array }
  /** `afterSending`: what was to be sent before goes out first. */
  | {
      readonly kind: 'close';
      readonly connection: ConnectionId;
      readonly reason: ReasonCode;
      readonly afterSending: boolean;
    }
  | { readonly kind: 'dial'; readonly connection: ConnectionId; readonly endpoint: EndpointText }
  | PushBlock
  | { readonly kind: 'push_transactions'; readonly transactions: readonly GivenToPush[] }
  /** The peer database has changed enough to be written. */
  | { readonly kind: 'store_peers' }
  | {
      readonly kind: 'tell';
      readonly level: 'debug' | 'info' | 'warn';
      readonly text: string;
      readonly values: LogValues;
    };

export type BlockOutcome =
  /** Part of the chain, or of a branch that is kept. */
  | { readonly kind: 'accepted' }
  | { readonly kind: 'refused'; readonly error: ChainError; readonly isUnlinkable: boolean };

export interface TransactionOutcome {
  readonly ticket: Ticket;
  readonly error: ChainError | undefined;
}

export interface MachineOptions {
  /** The node's long-lived key: who has it is this node. */
  readonly nodeKey: PrivateKey;
  /** 33 random bytes of this process. */
  readonly nodeId: NodeId;
  readonly userAgent: string;
  readonly platform: string;
  /** Port that others can dial; 0 when this node does not listen. */
  readonly listenPort: number;
  readonly acceptIncoming: boolean;
  /** What this node says of itself, where it knows better than its sockets. */
  readonly advertised?: EndpointText;
  /** Whether other nodes are told of the peers of this one. */
  readonly advertisePeers: boolean;
  /** Addresses of private ranges and of this machine are dialed and passed on like others. */
  readonly allowPrivate: boolean;
  readonly connectionsWanted: number;
  readonly connectionsMax: number;
  /** Asked for at once and by this node's own choice. */
  readonly seeds: readonly EndpointText[];
  /** Always kept, never banned. */
  readonly kept: readonly EndpointText[];
  /** Node ids that alone may connect; empty: everybody. */
  readonly allowedPeers: readonly NodeId[];
  /** Items of one type that are asked of a peer at once; the reference asks for one. */
  readonly itemsPerRequest: number;
  random(count: number): Uint8Array;
}

export interface Connected {
  readonly remote: EndpointText;
  readonly local: EndpointText;
}
