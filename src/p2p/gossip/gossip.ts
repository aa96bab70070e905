import { concatBytes, fromHex } from '../../base/bytes.js';
import { encode } from '../../codec/binary.js';
import type { BlockId, TransactionId } from '../../crypto/digests.js';
import { type SignedTransaction, signedTransaction } from '../../protocol/transaction.js';
import type { Core } from '../core.js';
import { P2P_LIMITS } from '../limits.js';
import type { Peer } from '../peer.js';
import { blockFault } from '../policy/reasons.js';
import type { BlockOutcome, GivenToPush, Ticket, TransactionOutcome } from '../ports.js';
import type { BlameSender, ReceivedBlock } from '../received-block.js';
import type { RecentBlocks } from '../sync/recent-blocks.js';
import {
  ITEM_BLOCK,
  ITEM_TRANSACTION,
  type ItemHash,
  type ItemType,
  type Message,
  messageId,
} from '../wire/messages.js';
import { HashLog } from './hash-log.js';
import { MessageCache } from './message-cache.js';
import { OwnTransactions } from './own-transactions.js';
import { WantedItems } from './wanted-items.js';

export interface GossipParts {
  readonly core: Core;
  readonly recent: RecentBlocks;
  readonly push: (block: ReceivedBlock) => void;
  readonly startSync: (peer: Peer) => void;
  /** Catching up may have waited for an answer. */
  readonly goOnWithSync: (peer: Peer) => void;
  /** What passing on something that no state could cure costs. */
  readonly blame: (peer: Peer, penalty: number, reason: string) => void;
  readonly blameSender: BlameSender;
}

interface Tried {
  readonly hash: ItemHash;
  readonly transaction: SignedTransaction;
  readonly from: number;
}

/** Cost of a transaction that no state could cure. */
const BAD_TRANSACTION_PENALTY = 20;

/** New blocks and transactions: who has them tells, who lacks them asks, and what the chain takes is told on. */
export class Gossip {
  readonly #p: GossipParts;
  readonly cache = new MessageCache();
  readonly #own = new OwnTransactions();
  readonly #wanted = new WantedItems();
  /** Told to at least one peer lately: whoever announces it has it from here or at the same time. */
  readonly #announced = new HashLog();
  /** Transactions that the chain did not take. */
  readonly #failed = new HashLog();
  /** Handed to the chain, by ticket and by hash. */
  readonly #tried = new Map<Ticket, Tried>();
  readonly #underWay = new Set<ItemHash>();
  #toPush: GivenToPush[] = [];
  /** To be told to those that do not know it yet, at the end of what is being done. */
  #news: { readonly type: ItemType; readonly hash: ItemHash }[] = [];

  constructor(parts: GossipParts) {
    this.#p = parts;
  }

  get ownTransactionBytes(): number {
    return this.#own.bytes;
  }

  get wantedCount(): number {
    return this.#wanted.size;
  }

  /** Remembered of all peers together. */
  get hashCount(): number {
    return this.#announced.size + this.#failed.size;
  }

  get #ms(): number {
    return this.#p.core.now.monotonicMs;
  }

  /** An item is forgotten by those who have announced it after a few blocks. */
  get #wantedMs(): number {
    return P2P_LIMITS.wanted_intervals * 1000 * this.#p.core.chain.blockIntervalSec;
  }

  inventoryCame(peer: Peer, { item_type, item_hashes_available: hashes }: Message<'item_ids_inventory'>): void {
    if (item_type !== ITEM_TRANSACTION && item_type !== ITEM_BLOCK) {
      this.#p.core.close(peer, 'item_type_unknown');
      return;
    }
    peer.gossip.dropBefore(this.#ms - P2P_LIMITS.inventory_ms);
    const { offered } = peer.gossip;
    const max = this.#inventoryMax();
    for (const hash of hashes) {
      if (this.#announced.has(hash)) continue;
      // Blocks always find room.
      if (offered.size >= max) {
        if (item_type === ITEM_TRANSACTION) break;
        offered.keep(max - 1);
      }
      const isNew = !offered.has(hash);
      offered.add(hash, this.#ms);
      this.#want(peer, item_type, hash, isNew);
    }
    this.fetch();
  }

  #inventoryMax(): number {
    const { inventory_per_peer_min, inventory_per_peer_max, inventory_total_max } = P2P_LIMITS;
    const share = Math.floor(inventory_total_max / Math.max(1, this.#p.core.peers.size));
    return Math.max(inventory_per_peer_min, Math.min(share, inventory_per_peer_max));
  }

  #want(peer: Peer, type: ItemType, hash: ItemHash, isNew: boolean): void {
    if (this.cache.has(hash) || this.#failed.has(hash) || this.#underWay.has(hash)) return;
    const known = this.#wanted.get(hash);
    if (known !== undefined) {
      known.atMs = this.#ms;
      // Its place in the queue of this peer it has already.
      if (!isNew) return;
    } else if (!this.#wanted.add(type, hash, peer.gossip.wanted, this.#ms)) return;
    peer.gossip.queues[type].put(hash, this.#inventoryMax());
  }

  /** Asks everybody who has nothing else to do for what only they and others like them have. */
  fetch(): void {
    for (const peer of this.#p.core.activePeers()) if (peer.isIdle) this.#fetchFrom(peer);
  }

  #fetchFrom(peer: Peer): void {
    const { core } = this.#p;
    for (const type of [ITEM_BLOCK, ITEM_TRANSACTION] as const) {
      const max = type === ITEM_BLOCK ? 1 : core.options.itemsPerRequest;
      const chosen: ItemHash[] = [];
      while (chosen.length < max) {
        const hash = peer.gossip.queues[type].take();
        if (hash === undefined) break;
        const wanted = this.#wanted.get(hash);
        if (wanted === undefined || wanted.askedOf !== undefined) continue;
        if (this.#ms - wanted.atMs > this.#wantedMs) {
          this.#wanted.delete(hash);
          continue;
        }
        wanted.askedOf = peer.id;
        peer.gossip.requests.set(hash, { type, atMs: this.#ms });
        chosen.push(hash);
      }
      if (chosen.length === 0) continue;
      core.send(peer, 'fetch_items', { item_type: type, items_to_fetch: chosen });
      return;
    }
  }

  /** Hashes the block only where something new was asked for. */
  isExpected({ gossip }: Peer, block: ReceivedBlock): boolean {
    return gossip.requests.size > 0 && gossip.requests.has(block.messageId);
  }

  #arrived(peer: Peer, hash: ItemHash): void {
    peer.gossip.requests.delete(hash);
    this.#wanted.delete(hash);
  }

  transactionCame(peer: Peer, hash: ItemHash, transaction: SignedTransaction): void {
    this.#arrived(peer, hash);
    const ticket = this.#p.core.ticket();
    this.#tried.set(ticket, { hash, transaction, from: peer.id });
    this.#underWay.add(hash);
    this.#toPush.push({ ticket, transaction });
    this.#goOn(peer);
  }

  blockCame(peer: Peer, block: ReceivedBlock): void {
    const { core, recent, push } = this.#p;
    this.#arrived(peer, block.messageId);
    if (block.id !== block.claimedId) {
      core.close(peer, 'block_forged');
      return;
    }
    if (!core.chain.isKnownBlock(block.id)) {
      this.#underWay.add(block.messageId);
      push(block);
    } else if (!recent.has(block.id) && block.number <= core.chain.permanent) {
      core.close(peer, 'block_too_old');
      return;
    }
    this.#goOn(peer);
  }

  notAvailable(peer: Peer, hash: ItemHash): void {
    if (!peer.gossip.requests.delete(hash)) return;
    peer.gossip.offered.delete(hash);
    this.#askAnother(hash);
    this.#goOn(peer);
    this.fetch();
  }

  /** When a peer may have sent what it owed. What it lists of the chain goes first, as it does among blocks of the chain. */
  #goOn(peer: Peer): void {
    if (peer.isIdle) this.#p.goOnWithSync(peer);
    if (peer.isActive && peer.isIdle) this.#fetchFrom(peer);
  }

  /** Back to those who have announced it too. */
  #askAnother(hash: ItemHash): void {
    const wanted = this.#wanted.get(hash);
    if (wanted === undefined) return;
    wanted.askedOf = undefined;
    let isOffered = false;
    for (const other of this.#p.core.activePeers()) {
      if (!other.gossip.offered.has(hash)) continue;
      other.gossip.queues[wanted.type].put(hash, this.#inventoryMax());
      isOffered = true;
    }
    if (!isOffered) this.#wanted.delete(hash);
  }

  /** The chain has said what it makes of a new block. */
  blockDecided(block: ReceivedBlock, outcome: BlockOutcome): void {
    const { core, blameSender, startSync } = this.#p;
    this.#underWay.delete(block.messageId);
    if (outcome.kind === 'accepted') {
      this.#blockAccepted(block);
      return;
    }
    const { error, isUnlinkable } = outcome;
    const { sender } = block;
    if (isUnlinkable) {
      const source = core.peers.get(sender.id);
      if (source?.isActive === true) startSync(source);
      return;
    }
    if (error.kind !== 'invalid') return;
    const values = { block: block.id, error: error.key };
    // An id covers the header alone: who lists a block need not have the one that was refused for its bytes.
    if (blockFault(error) !== 'forged') {
      for (const peer of core.activePeers()) {
        const isFollower = peer.id !== sender.id && peer.sync.pending[0] === block.id;
        if (isFollower) core.close(peer, 'invalid_block_listed', values);
      }
    }
    blameSender(sender, `block_${blockFault(error)}`, values);
  }

  #blockAccepted(block: ReceivedBlock): void {
    const { core } = this.#p;
    for (const { sync, gossip } of core.activePeers()) {
      if (!gossip.offered.has(block.messageId)) continue;
      sync.reference = block.id;
      sync.referenceTime = block.time;
    }
    this.cache.addBlock(block.messageId, concatBytes(block.bytes, fromHex(block.id)));
    this.cache.grow(this.#ms, this.#wantedMs);
    this.#news.push({ type: ITEM_BLOCK, hash: block.messageId });
  }

  /** A block that this node has made, or that came another way than from a peer. */
  publishBlock(id: BlockId, bytes: Uint8Array): void {
    const payload = concatBytes(bytes, fromHex(id));
    const hash = messageId(payload);
    if (this.cache.has(hash)) return;
    this.cache.addBlock(hash, payload);
    this.#news.push({ type: ITEM_BLOCK, hash });
  }

  /** A transaction that came another way than from a peer, and was accepted. */
  publishTransaction(id: TransactionId, transaction: SignedTransaction): void {
    const { hash, payload } = this.#tellTransaction(transaction);
    this.#own.add(id, { hash, payload, expiration: transaction.expiration });
  }

  #tellTransaction(transaction: SignedTransaction): { readonly hash: ItemHash; readonly payload: Uint8Array } {
    // The operation results that the chain has added, and whatever stood behind the message, are not part of it.
    const payload = encode(signedTransaction, transaction);
    const hash = messageId(payload);
    if (!this.cache.has(hash)) {
      this.cache.addTransaction(hash, payload, this.#ms);
      this.#news.push({ type: ITEM_TRANSACTION, hash });
    }
    return { hash, payload };
  }

  /** Tells of what still waits those that were not there, or have not heard of it for long. */
  #tellAgain(): void {
    const { core } = this.#p;
    const levelPeers = [...core.activePeers()].filter(({ sync }) => !sync.peerNeeds);
    if (levelPeers.length === 0) return;
    const again: { readonly type: ItemType; readonly hash: ItemHash }[] = [];
    for (const { hash, payload } of this.#own.waiting((id) => core.chain.isWaiting(id))) {
      // Whoever hears of it will ask for it.
      this.cache.addTransaction(hash, payload, this.#ms);
      again.push({ type: ITEM_TRANSACTION, hash });
    }
    if (again.length > 0) for (const peer of levelPeers) this.#tell(peer, again);
  }

  transactionsDecided(outcomes: readonly TransactionOutcome[]): void {
    for (const { ticket, error } of outcomes) {
      const tried = this.#tried.get(ticket);
      if (tried === undefined) continue;
      this.#tried.delete(ticket);
      this.#underWay.delete(tried.hash);
      if (error === undefined) {
        this.#tellTransaction(tried.transaction);
        continue;
      }
      if (error.kind !== 'invalid') continue;
      this.#failed.add(tried.hash, this.#ms);
      const source = this.#p.core.peers.get(tried.from);
      if (error.isStateless && source !== undefined) this.#p.blame(source, BAD_TRANSACTION_PENALTY, error.key);
    }
    this.#failed.keep(P2P_LIMITS.failed_max);
  }

  /** Says what is new to those who do not know it, and hands on what came: once for all that came together. */
  flush(): void {
    const { core } = this.#p;
    if (this.#toPush.length > 0) {
      core.wish({ kind: 'push_transactions', transactions: this.#toPush });
      this.#toPush = [];
    }
    if (this.#news.length === 0) return;
    const news = this.#news;
    this.#news = [];
    for (const peer of core.activePeers()) {
      if (!peer.sync.peerNeeds) this.#tell(peer, news);
    }
    this.#announced.keep(P2P_LIMITS.inventory_per_peer_max);
  }

  #tell(peer: Peer, news: readonly { readonly type: ItemType; readonly hash: ItemHash }[]): void {
    const { offered, told } = peer.gossip;
    for (const type of [ITEM_BLOCK, ITEM_TRANSACTION] as const) {
      const hashes: ItemHash[] = [];
      for (const item of news) {
        if (item.type !== type || offered.has(item.hash) || told.has(item.hash)) continue;
        told.add(item.hash, this.#ms);
        this.#announced.add(item.hash, this.#ms);
        hashes.push(item.hash);
      }
      if (hashes.length === 0) continue;
      const lane = type === ITEM_BLOCK ? 'live' : 'bulk';
      this.#p.core.send(peer, 'item_ids_inventory', { item_type: type, item_hashes_available: hashes }, lane);
    }
    told.keep(this.#inventoryMax());
  }

  forget(peer: Peer): void {
    const hashes = [...peer.gossip.requests.keys()];
    peer.gossip.requests.clear();
    for (const hash of hashes) this.#askAnother(hash);
    this.fetch();
  }

  watch(peer: Peer): void {
    for (const { atMs } of peer.gossip.requests.values()) {
      if (this.#ms - atMs <= P2P_LIMITS.item_reply_ms) continue;
      this.#p.core.close(peer, 'item_late');
      return;
    }
  }

  /** What is old enough to be forgotten. */
  tidy(): void {
    const ms = this.#ms - P2P_LIMITS.inventory_ms;
    this.#announced.dropBefore(ms);
    // Also of those that announce nothing themselves.
    for (const peer of this.#p.core.activePeers()) peer.gossip.dropBefore(ms);
    this.#failed.dropBefore(this.#ms - P2P_LIMITS.failed_ms);
    this.#wanted.dropBefore(this.#ms - this.#wantedMs);
    this.#own.dropExpired(Math.floor(this.#p.core.now.wallMs / 1000));
    this.#tellAgain();
  }
}
