import { type BlockId, NULL_BLOCK_ID } from '../../crypto/digests.js';

/** Where synchronization with one peer stands, in both directions. */
export class PeerSync {
  /** It may have blocks that we lack. */
  needsFromPeer = true;
  /** It may lack blocks that we have: then it is told of nothing new. */
  peerNeeds = true;
  /** Ids that it has listed and that are not handed to the chain yet, ascending without gaps. */
  pending: BlockId[] = [];
  /** With as many blocks given up as there were then, all that it has listed was under way or here. */
  allTakenAt: number | undefined;
  /** Handed to the chain on its behalf, not yet decided. */
  readonly processing = new Set<BlockId>();
  /** Blocks that it said it would list after the last ones. */
  unlisted = 0;
  /** Last block known to be common, or pushed on its behalf. */
  reference: BlockId = NULL_BLOCK_ID;
  /** Its time; 0 if unknown. */
  referenceTime = 0;
  /** What it was asked for ids and has not answered, oldest first: answers come in the same order and do not say to what. */
  readonly idRequests: { readonly synopsis: readonly BlockId[]; readonly atMs: number }[] = [];
  /** Blocks asked for and not here yet. */
  readonly requests = new Set<BlockId>();
  /** Asked for, then asked of somebody else; may still come. */
  readonly late = new Set<BlockId>();
  /** Of the last request, or of the last block of it. */
  requestMs = 0;
  /** What it owes of the blocks on which all others wait, and since when that has been seen. */
  owedNext: { readonly id: BlockId; readonly sinceMs: number } | undefined;
  /** It has listed what it does not have: nothing is fetched from it any more. */
  isInhibited = false;
  /** Others are asked for blocks before it. */
  isSlow = false;
  /** Replies in a row that promised more and listed nothing new. */
  emptyReplies = 0;
  /** Before this moment nothing is asked of it; this node had a trouble of its own. */
  restAfterMs: number | undefined;

  reset(): void {
    this.pending = [];
    this.allTakenAt = undefined;
    this.processing.clear();
    this.unlisted = 0;
    this.needsFromPeer = true;
    this.reference = NULL_BLOCK_ID;
    this.referenceTime = 0;
    this.isInhibited = false;
    this.isSlow = false;
    this.emptyReplies = 0;
    this.restAfterMs = undefined;
  }
}
