import type { ChainError } from '../../base/errors.js';
import { type BlockId, blockNumFromId, NULL_BLOCK_ID } from '../../crypto/digests.js';
import type { Core } from '../core.js';
import { P2P_LIMITS } from '../limits.js';
import type { Peer } from '../peer.js';
import { blockFault } from '../policy/reasons.js';
import type { BlockOutcome, ChainView } from '../ports.js';
import type { BlameSender, ReceivedBlock } from '../received-block.js';
import { ITEM_BLOCK, type Message } from '../wire/messages.js';
import { GivenBlocks } from './given-blocks.js';
import type { RecentBlocks } from './recent-blocks.js';
import { replyFrom, synopsisNumbers } from './synopsis.js';
import { WaitingBlocks } from './waiting-blocks.js';

export interface SyncParts {
  readonly core: Core;
  readonly recent: RecentBlocks;
  readonly push: (block: ReceivedBlock) => void;
  readonly blameSender: BlameSender;
}

/**
 * Catching up, in both directions: each peer is asked where its chain goes on from what is common, the blocks are
 * fetched from all of them at once, each one once, and go to the chain in their order.
 */
export class Sync {
  readonly #p: SyncParts;
  readonly #waiting = new WaitingBlocks();
  /** Blocks that were asked for, with the peer that owes them. */
  readonly #owed = new Map<BlockId, number>();
  readonly #processing = new GivenBlocks();
  /** Blocks that may be good and were not taken all the same: those behind them cannot link, and need not be bad. */
  readonly #lost = new Set<BlockId>();
  /** How often blocks were given up that somebody had been asked for: as long as none was, nothing new is to be asked for. */
  #givenUp = 0;

  constructor(parts: SyncParts) {
    this.#p = parts;
  }

  /** Blocks that peers have listed and that are not part of the chain yet. */
  get behind(): number {
    let most = 0;
    for (const { sync } of this.#p.core.activePeers()) {
      most = Math.max(most, sync.pending.length + sync.processing.size + sync.unlisted);
    }
    return most;
  }

  get waitingBytes(): number {
    return this.#waiting.bytes;
  }

  /** From the beginning with this peer: what it may have is asked anew. */
  start(peer: Peer): void {
    this.#reset(peer);
    this.#ask(peer);
  }

  #reset({ sync }: Peer): void {
    const hasListed = sync.pending.length > 0;
    sync.reset();
    if (hasListed) this.#forgetUnlisted();
  }

  #ask(peer: Peer): void {
    const { core } = this.#p;
    const chosen = this.#synopsis(peer);
    if (chosen === undefined) {
      core.close(peer, 'fork_unreachable');
      return;
    }
    // While every block can still be undone the chains may have nothing in common but the genesis.
    const synopsis = core.chain.permanent === 0 && chosen.length > 0 ? [NULL_BLOCK_ID, ...chosen] : chosen;
    peer.sync.idRequests.push({ synopsis, atMs: core.now.monotonicMs });
    core.send(peer, 'fetch_blockchain_item_ids', { item_type: ITEM_BLOCK, blockchain_synopsis: synopsis });
  }

  /** Undefined: the peer follows a branch that leaves the chain before what can still be undone. */
  #synopsis({ sync }: Peer): BlockId[] | undefined {
    const { chain } = this.#p.core;
    const { reference, pending } = sync;
    const pendingFirst = pending.length === 0 ? 0 : blockNumFromId(pending[0] as BlockId);
    const numbers = (high: number, low: number) =>
      synopsisNumbers({ high, low, pendingFirst, pendingCount: pending.length });
    const ids = (own: readonly (BlockId | undefined)[], listed: readonly number[]): BlockId[] =>
      [...own, ...listed.map((position) => pending[position])].filter((id): id is BlockId => id !== undefined);

    const number = blockNumFromId(reference);
    const branch =
      reference === NULL_BLOCK_ID || chain.blockIdOf(number) === reference ? undefined : chain.branchTo(reference);
    if (branch !== undefined) {
      const { forkNumber, ids: side } = branch;
      if (forkNumber < chain.permanent) return undefined;
      const chosen = numbers(forkNumber + side.length, chain.permanent);
      const idOf = (l: number) => (l <= forkNumber ? chain.blockIdOf(l) : side[l - forkNumber - 1]);
      return ids(chosen.own.map(idOf), chosen.pending);
    }
    // One that is not known any more says nothing.
    const isOnChain = reference !== NULL_BLOCK_ID && chain.blockIdOf(number) === reference;
    const high = isOnChain ? number : chain.head.number;
    const chosen = numbers(high, Math.min(chain.permanent, high));
    return ids(
      chosen.own.map((l) => chain.blockIdOf(l)),
      chosen.pending,
    );
  }

  /** A peer asks where this node's chain goes on. Answered at once, from ids alone. */
  requestCame(peer: Peer, { item_type, blockchain_synopsis: synopsis }: Message<'fetch_blockchain_item_ids'>): void {
    const { core } = this.#p;
    const { chain } = core;
    const last = synopsis[synopsis.length - 1];
    // It has something that this node lacks.
    if (peer.isActive && !peer.sync.needsFromPeer && last !== undefined && !chain.isKnownBlock(last)) this.start(peer);
    const start = this.#commonStart(synopsis);
    const { ids, remaining } =
      start === undefined
        ? { ids: [], remaining: 0 }
        : replyFrom(start, chain.head.number, P2P_LIMITS.ids_per_reply_max, (number) => chain.blockIdOf(number));
    core.send(peer, 'blockchain_item_ids_inventory', {
      total_remaining_item_count: remaining,
      item_type,
      item_hashes_available: ids,
    });
    const hasAll = ids.length === 0 || (ids.length === 1 && synopsis.includes(ids[0] as BlockId));
    peer.sync.peerNeeds = !hasAll;
    if (ids.length === 1 && hasAll && peer.sync.isInhibited) core.close(peer, 'fork_unreachable');
  }

  /** Number of the first block to list; undefined where nothing is common. */
  #commonStart(synopsis: readonly BlockId[]): number | undefined {
    const { chain } = this.#p.core;
    if (chain.head.number === 0) return undefined;
    if (synopsis.length === 0) return 1;
    for (let i = synopsis.length - 1; i >= 0; i--) {
      const id = synopsis[i] as BlockId;
      if (id === NULL_BLOCK_ID) return 1;
      if (chain.blockIdOf(blockNumFromId(id)) === id) return blockNumFromId(id);
    }
    return undefined;
  }

  idsCame(peer: Peer, message: Message<'blockchain_item_ids_inventory'>): void {
    const { core } = this.#p;
    const { sync } = peer;
    const idRequest = sync.idRequests.shift();
    // Nobody has asked, or the question has been put anew in the meantime.
    if (idRequest === undefined || sync.idRequests.length > 0) return;
    const { item_hashes_available: ids, total_remaining_item_count: remaining } = message;
    if (ids.length > P2P_LIMITS.ids_per_reply_max || !isAnswer(ids, idRequest.synopsis)) {
      core.close(peer, 'ids_invalid');
      return;
    }
    const other = ids.find((id) => isRuledOut(core.chain, id));
    if (other !== undefined) {
      core.close(peer, 'checkpoint_mismatch', {
        block: other,
        checkpoint: core.chain.checkpointOf(blockNumFromId(other)),
      });
      return;
    }
    const listsNothing = sync.pending.length === 0 && sync.unlisted === 0;
    if (remaining === 0 && this.#saysNothingNew(ids, idRequest.synopsis) && listsNothing) {
      sync.needsFromPeer = false;
      return;
    }
    sync.unlisted = remaining;
    const listed = sync.pending.length;
    const fresh = this.#newOf(peer, ids);
    const hasChangedBranch = sync.pending.length < listed;
    if (this.#isTooMany(peer, remaining + fresh.length)) {
      // Where a block of this node's own lies in the future, its clock is wrong and nobody has promised too much.
      core.close(peer, this.#isAheadOfClock(peer) ? 'block_of_the_future' : 'ids_too_many');
      return;
    }
    sync.emptyReplies = remaining > 0 && fresh.length === 0 ? sync.emptyReplies + 1 : 0;
    if (sync.emptyReplies > P2P_LIMITS.ids_empty_replies_max) {
      core.close(peer, 'ids_without_end');
      return;
    }
    for (const id of fresh) sync.pending.push(id);
    sync.allTakenAt = undefined;
    if (hasChangedBranch) this.#forgetUnlisted();
    const wantsMore = remaining > 0 && sync.pending.length <= P2P_LIMITS.ids_before_blocks;
    if (wantsMore || sync.pending.length === 0) this.#ask(peer);
    else this.schedule();
    this.#handOver();
  }

  /**
   * The peer's head is the one that it was asked with: it takes this node for one that needs nothing more, too. Another
   * branch that begins at the genesis may be one known block as well; then it waits to be asked with that one.
   */
  #saysNothingNew(ids: readonly BlockId[], synopsis: readonly BlockId[]): boolean {
    const [only, ...more] = ids;
    if (only === undefined) return true;
    return more.length === 0 && this.#p.core.chain.isKnownBlock(only) && synopsis.includes(only);
  }

  /** The ids of a list that are new: not in the peer's earlier lists, and not known here. Moves the peer's reference on. */
  #newOf(peer: Peer, ids: readonly BlockId[]): readonly BlockId[] {
    const { core } = this.#p;
    const { sync } = peer;
    const first = ids[0];
    if (first === undefined) return ids;
    if (sync.pending.length === 0) {
      let known = 0;
      if (!this.#isNextOfAnother(peer, first)) {
        while (known < ids.length && core.chain.isKnownBlock(ids[known] as BlockId)) known++;
      }
      if (known > 0) this.#moveReference(peer, ids[known - 1] as BlockId);
      return ids.slice(known);
    }
    while (sync.pending.length > 0 && sync.pending[sync.pending.length - 1] !== first) sync.pending.pop();
    // The list goes on elsewhere than the last one: the peer has changed over to another branch.
    if (sync.pending.length === 0) this.#moveReference(peer, first);
    return ids.slice(1);
  }

  #isNextOfAnother(peer: Peer, id: BlockId): boolean {
    for (const other of this.#p.core.activePeers()) if (other !== peer && other.sync.pending[0] === id) return true;
    return false;
  }

  #moveReference({ sync }: Peer, id: BlockId, time?: number): void {
    sync.reference = id;
    const { chain } = this.#p.core;
    sync.referenceTime = time ?? (id === chain.head.id ? chain.head.time : 0);
  }

  /** No chain has more blocks than seconds since its beginning, or since a block that is known. */
  #isTooMany({ sync }: Peer, count: number): boolean {
    const { now, chain } = this.#p.core;
    const begin = Math.max(sync.referenceTime, chain.genesisTime);
    return begin + count > Math.floor(now.wallMs / 1000) + P2P_LIMITS.future_blocks_sec;
  }

  /** What is common with the peer has a time that this node's clock has not reached. */
  #isAheadOfClock({ sync }: Peer): boolean {
    const { now } = this.#p.core;
    return sync.referenceTime > Math.floor(now.wallMs / 1000) + P2P_LIMITS.block_ahead_sec;
  }

  /** Asks idle peers for blocks that they have listed, as many as there is room for. */
  schedule(): void {
    const { core } = this.#p;
    for (const peer of core.activePeers()) {
      const { sync } = peer;
      if (!sync.needsFromPeer || !peer.isIdle || sync.restAfterMs !== undefined) continue;
      if (sync.isInhibited || sync.isSlow) continue;
      const next = sync.pending[0];
      // Whatever was said of the others: on the next one everything else waits.
      if (next === undefined || (sync.allTakenAt === this.#givenUp && this.#isTaken(next))) continue;
      const room = Math.min(this.#waiting.room(this.#owed.size, peer.id), P2P_LIMITS.blocks_per_request_max);
      const chosen: BlockId[] = [];
      let isThrough = true;
      for (const id of sync.pending) {
        // The next one of a peer is what everything else waits for: it is asked for whatever the room.
        isThrough = chosen.length < room || (chosen.length === 0 && id === next);
        if (!isThrough) break;
        if (this.#isTaken(id)) continue;
        chosen.push(id);
      }
      // Not looked through again for each block that comes: the lists of many peers are hundreds of thousands of ids.
      if (isThrough) sync.allTakenAt = this.#givenUp;
      if (chosen.length === 0) continue;
      for (const id of chosen) {
        sync.requests.add(id);
        this.#owed.set(id, peer.id);
      }
      sync.requestMs = core.now.monotonicMs;
      core.send(peer, 'fetch_items', { item_type: ITEM_BLOCK, items_to_fetch: chosen });
    }
  }

  #isTaken(id: BlockId): boolean {
    return this.#owed.has(id) || this.#waiting.has(id) || this.#processing.has(id);
  }

  /** Whether it is one that catching up has asked for. */
  isExpected({ sync }: Peer, claimedId: BlockId): boolean {
    return sync.requests.has(claimedId) || sync.late.has(claimedId);
  }

  blockCame(peer: Peer, block: ReceivedBlock): void {
    const { sync } = peer;
    this.#received(peer, block.claimedId);
    if (block.id !== block.claimedId) {
      this.#p.core.close(peer, 'sync_block_forged');
      return;
    }
    if (this.#listed()(block.id) && !this.#processing.has(block.id)) this.#keep(block);
    if (this.#p.recent.has(block.id)) this.#moveReference(peer, block.id, block.time);
    this.#handOver();
    this.goOn(peer);
    sync.requestMs = this.#p.core.now.monotonicMs;
  }

  #keep(block: ReceivedBlock): void {
    if (!this.#waiting.add(block, () => this.#nexts())) this.#givenUp++;
  }

  #received({ sync }: Peer, id: BlockId): void {
    if (sync.late.delete(id) && sync.late.size === 0) sync.isSlow = false;
    if (sync.requests.delete(id)) this.#owed.delete(id);
  }

  /** Says of a block whether somebody has listed it who may still send it. */
  #listed(): (id: BlockId) => boolean {
    const lists: { readonly first: number; readonly pending: readonly BlockId[] }[] = [];
    for (const pending of this.#lists()) lists.push({ first: blockNumFromId(pending[0] as BlockId), pending });
    return (id) => {
      const number = blockNumFromId(id);
      return lists.some(({ first, pending }) => pending[number - first] === id);
    };
  }

  /** The blocks on which all others wait, one of each branch. */
  #nexts(): ReadonlySet<BlockId> {
    const nexts = new Set<BlockId>();
    for (const [first] of this.#lists()) nexts.add(first as BlockId);
    return nexts;
  }

  /** What those have listed who may still send it; none is empty. */
  *#lists(): Iterable<readonly BlockId[]> {
    for (const { sync } of this.#p.core.activePeers()) {
      if (sync.pending.length > 0 && !sync.isInhibited) yield sync.pending;
    }
  }

  /** What can not become part of the chain any more takes no room. */
  #forgetUnlisted(): void {
    if (this.#waiting.count === 0) return;
    this.#waiting.keep(this.#listed());
    this.#givenUp++;
  }

  /** When a peer has sent what it owed, of whatever kind: more ids, or more blocks. */
  goOn(peer: Peer): void {
    const { sync } = peer;
    if (!peer.isActive || !peer.isIdle || !sync.needsFromPeer) return;
    if (sync.unlisted > 0 && sync.pending.length < P2P_LIMITS.ids_before_blocks) this.#ask(peer);
    else this.schedule();
  }

  notAvailable(peer: Peer, id: BlockId): void {
    if (!this.isExpected(peer, id)) return;
    this.#received(peer, id);
    this.#givenUp++;
    if (!peer.sync.peerNeeds) {
      this.#p.core.close(peer, 'block_withheld');
      return;
    }
    peer.sync.isInhibited = true;
    this.#forgetUnlisted();
    this.schedule();
  }

  /** Gives the chain every block whose turn has come for some peer. */
  #handOver(): void {
    for (let isDone = false; !isDone; ) {
      isDone = true;
      for (const peer of this.#p.core.activePeers()) {
        const id = peer.sync.pending[0];
        if (id === undefined || peer.sync.restAfterMs !== undefined) continue;
        const block = this.#waiting.get(id);
        if (this.#processing.has(id)) {
          this.#join(peer, id);
          isDone = false;
        } else if (block !== undefined) {
          // Where there is none it is asked again for the next decision, and that is nearly always so.
          if (!this.#processing.hasRoomFor(block)) continue;
          this.#waiting.take(id);
          this.#processing.add(block);
          this.#join(peer, id);
          this.#decideOrPush(block);
          isDone = false;
        } else if (this.#p.core.chain.isKnownBlock(id) && !this.#owed.has(id)) {
          // It came another way in the meantime.
          peer.sync.pending.shift();
          this.#moveReference(peer, id);
          if (this.#hasNothingLeft(peer)) this.#ask(peer);
          isDone = false;
        }
      }
    }
  }

  #join({ sync }: Peer, id: BlockId): void {
    sync.pending.shift();
    sync.processing.add(id);
  }

  #decideOrPush(block: ReceivedBlock): void {
    // One that was taken may be lost again: popped, or with a branch that came to nothing.
    const { recent, core, push } = this.#p;
    if (recent.has(block.id) && core.chain.isKnownBlock(block.id)) this.#accepted(block);
    else push(block);
  }

  #hasNothingLeft({ sync }: Peer): boolean {
    return (
      sync.needsFromPeer &&
      sync.pending.length === 0 &&
      sync.processing.size === 0 &&
      sync.unlisted === 0 &&
      sync.idRequests.length === 0
    );
  }

  /** The chain has said what it makes of a block. */
  decided(block: ReceivedBlock, outcome: BlockOutcome): void {
    if (outcome.kind === 'accepted') this.#accepted(block);
    else this.#refused(block, outcome);
    if (this.#processing.count === 0) this.#lost.clear();
    this.#handOver();
    this.schedule();
  }

  #accepted(block: ReceivedBlock): void {
    const { core } = this.#p;
    this.#processing.delete(block.id);
    this.#lost.delete(block.id);
    const bystanders: Peer[] = [];
    for (const peer of core.activePeers()) {
      const { sync } = peer;
      if (sync.processing.delete(block.id)) {
        this.#moveReference(peer, block.id, block.time);
        if (this.#hasNothingLeft(peer)) this.#ask(peer);
      } else if (peer.isInSyncBothWays && peer.isIdle && !peer.gossip.offered.has(block.messageId)) {
        bystanders.push(peer);
      }
    }
    // Blocks of a synchronization are not announced: whoever thought to be level with this node learns it this way.
    for (const peer of bystanders) this.start(peer);
  }

  #refused(block: ReceivedBlock, { error, isUnlinkable }: BlockOutcome & { kind: 'refused' }): void {
    this.#processing.delete(block.id);
    this.#givenUp++;
    if (isUnlinkable && this.#lost.has(block.previous)) this.#keepForLater(block);
    else if (error.kind !== 'invalid') this.#restAfter(block);
    else if (blockFault(error) === 'forged') this.#forged(block, error.key);
    else this.#invalid(block, error, isUnlinkable);
  }

  /** It came behind one that was lost. */
  #keepForLater(block: ReceivedBlock): void {
    this.#lost.add(block.id);
    for (const peer of this.#p.core.activePeers()) this.#putBack(peer, block.id);
    if (this.#listed()(block.id)) this.#keep(block);
  }

  /** The trouble is this node's own: the same is tried again after a while. */
  #restAfter({ id }: ReceivedBlock): void {
    const { core } = this.#p;
    this.#lost.add(id);
    for (const peer of core.activePeers()) {
      if (!peer.sync.processing.has(id)) continue;
      this.#reset(peer);
      peer.sync.restAfterMs = core.now.monotonicMs + P2P_LIMITS.sync_retry_ms;
    }
  }

  /**
   * No state could cure it. The id covers the header alone, so that the bytes are the fault of their sender and of nobody
   * else who has listed it: one of these is asked for it now.
   */
  #forged({ id, sender }: ReceivedBlock, error: string): void {
    this.#lost.add(id);
    this.#waiting.dropOf(sender.id);
    for (const peer of this.#p.core.activePeers()) if (peer.id !== sender.id) this.#putBack(peer, id);
    this.#p.blameSender(sender, 'sync_block_forged', { block: id, error });
  }

  /** Whoever has listed it is on a chain that this node will not follow; only who has sent it might have known. */
  #invalid({ id, sender }: ReceivedBlock, error: ChainError, isUnlinkable: boolean): void {
    const { core, blameSender } = this.#p;
    const values = { block: id, error: error.key };
    for (const peer of core.activePeers()) {
      if (peer.id === sender.id || !peer.sync.processing.delete(id)) continue;
      core.close(peer, isUnlinkable ? 'sync_block_unlinkable' : 'invalid_block_listed', values);
    }
    blameSender(sender, isUnlinkable ? 'sync_block_unlinkable' : `sync_block_${blockFault(error)}`, values);
  }

  /** What the chain was given in vain on behalf of a peer, from this block on, comes before all else that it has listed. */
  #putBack(peer: Peer, id: BlockId): void {
    const { sync } = peer;
    if (!sync.processing.has(id)) return;
    const given = [...sync.processing];
    const back = given.slice(given.indexOf(id));
    for (const one of back) sync.processing.delete(one);
    const pending = [...back, ...sync.pending];
    if (hasNoGap(pending)) sync.pending = pending;
    // It has changed over to another branch meanwhile.
    else this.start(peer);
  }

  forget(peer: Peer): void {
    const { sync } = peer;
    for (const id of sync.requests) this.#owed.delete(id);
    sync.requests.clear();
    // Also where it owed one alone and sent another in its place, which is none that it owes any more.
    this.#givenUp++;
    this.#forgetUnlisted();
    this.schedule();
  }

  /** Deadlines. Late is not malicious: what a slow peer owes goes to others first, then the peer. */
  watch(peer: Peer): void {
    const { core } = this.#p;
    const { monotonicMs } = core.now;
    const { sync } = peer;
    if (sync.restAfterMs !== undefined && monotonicMs >= sync.restAfterMs) this.start(peer);
    const asked = sync.idRequests[0];
    if (asked !== undefined && monotonicMs - asked.atMs > P2P_LIMITS.ids_reply_ms) {
      core.close(peer, 'ids_late');
      return;
    }
    if (sync.requests.size === 0 && sync.late.size === 0) return;
    const silentMs = monotonicMs - sync.requestMs;
    if (silentMs > P2P_LIMITS.sync_block_ms) core.close(peer, 'blocks_late');
    else if (silentMs > P2P_LIMITS.sync_slow_ms || this.#holdsUp(peer)) this.#askOthers(peer);
  }

  /** It sends other blocks than the one that everything waits for. */
  #holdsUp({ id: peerId, sync }: Peer): boolean {
    const { monotonicMs } = this.#p.core.now;
    for (const id of this.#nexts()) {
      if (this.#owed.get(id) !== peerId) continue;
      if (sync.owedNext?.id !== id) sync.owedNext = { id, sinceMs: monotonicMs };
      return monotonicMs - sync.owedNext.sinceMs > P2P_LIMITS.sync_slow_ms;
    }
    return false;
  }

  /** Blocks that others have listed too are asked of them. */
  #askOthers(peer: Peer): void {
    const others = new Set<BlockId>();
    for (const other of this.#p.core.activePeers()) {
      if (other === peer || other.sync.isInhibited || other.sync.isSlow || !other.isIdle) continue;
      for (const id of other.sync.pending) others.add(id);
    }
    let isMoved = false;
    for (const id of [...peer.sync.requests]) {
      if (!others.has(id)) continue;
      this.#received(peer, id);
      peer.sync.late.add(id);
      isMoved = true;
    }
    if (!isMoved) return;
    this.#givenUp++;
    // What it still owes is waited for; more is not asked of it until that is here.
    peer.sync.isSlow = true;
    this.schedule();
  }
}

/** Numbers go up by one, and the list begins where the question left off. */
function isAnswer(ids: readonly BlockId[], synopsis: readonly BlockId[]): boolean {
  const first = ids[0];
  if (first === undefined) return true;
  const begin = blockNumFromId(first);
  if (!hasNoGap(ids)) return false;
  const mayBeginAnew = synopsis.length === 0 || synopsis[0] === NULL_BLOCK_ID;
  return (mayBeginAnew && begin === 1) || synopsis.includes(first);
}

/** Another block than the operator vouches for. */
function isRuledOut(chain: ChainView, id: BlockId): boolean {
  const wanted = chain.checkpointOf(blockNumFromId(id));
  return wanted !== undefined && wanted !== id;
}

function hasNoGap(ids: readonly BlockId[]): boolean {
  const [first = NULL_BLOCK_ID] = ids;
  const begin = blockNumFromId(first);
  return ids.every((id, i) => blockNumFromId(id) === begin + i);
}
