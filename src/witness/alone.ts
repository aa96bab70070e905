import type { Instance } from '../protocol/ids.js';

/** What tells a node whether anybody else can have gone on with the chain. */
export interface AloneView {
  readonly headNumber: () => number;
  readonly activeWitnesses: () => readonly Instance[];
  /** This node was chosen to begin the chain. */
  readonly mayBegin?: boolean;
  /** Blocks that peers have and this node has not; undefined where it has no network. */
  readonly blocksBehind: () => number | undefined;
}

/** So long peers are given to tell of a higher head. */
const ALONE_QUIET_MS = 10_000;

/**
 * A chain whose active witnesses all sign here stands still when this node does, and an old head is then no sign of
 * having missed anything. It goes on once its peers have had the time to say otherwise: another machine may have had
 * the same keys. Block 1 is begun that way by the node that was chosen for it alone: an empty folder may be a lost one.
 */
export class Alone {
  readonly #view: AloneView;
  #head = -1;
  #quietSinceMs = 0;
  #isWaiting = false;

  constructor(view: AloneView) {
    this.#view = view;
  }

  /** When it was asked last, only what peers may still tell was missing. */
  get isWaiting(): boolean {
    return this.#isWaiting;
  }

  /** Asked every second. */
  isAlone(monotonicMs: number, canSign: (witness: Instance) => boolean): boolean {
    const { headNumber, activeWitnesses, blocksBehind } = this.#view;
    const head = headNumber();
    const behind = blocksBehind();
    const active = activeWitnesses();
    const isAllOurs = (head > 0 || this.#view.mayBegin === true) && active.length > 0 && active.every(canSign);
    if (head !== this.#head || !isAllOurs || (behind !== undefined && behind > 0)) this.#quietSinceMs = monotonicMs;
    this.#head = head;
    const isQuiet = behind === undefined || monotonicMs - this.#quietSinceMs >= ALONE_QUIET_MS;
    const isAlone = isAllOurs && isQuiet && !(behind !== undefined && behind > 0);
    this.#isWaiting = isAllOurs && !isAlone;
    return isAlone;
  }
}
