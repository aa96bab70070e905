import type { BlockId } from '../crypto/digests.js';
import type { PublicKey } from '../crypto/public-key.js';
import type { Instance } from '../protocol/ids.js';

/** A block that came from somewhere else and was not refused. */
export interface ForeignBlock {
  readonly id: BlockId;
  readonly number: number;
  readonly witness: Instance;
  readonly slotSec: number;
  /** Recovered from its signature; costly, so it is asked for where it matters only. */
  signer(): PublicKey | undefined;
}

export interface OtherSignerParts {
  readonly witnesses: ReadonlySet<Instance>;
  readonly hasKey: (key: PublicKey) => boolean;
  /** Blocks until then may be this node's own from before its start, or of the machine that had the witness before. */
  readonly fromSec: number;
}

/** Blocks of one's own that are remembered; those that can still come back from others are far fewer. */
const REMEMBERED_MAX = 1000;

/**
 * Finds out that two machines sign with one key. Both would make blocks for the same slots: the network sees a witness
 * that cheats. Blocks of branches count as well, since the two make branches; whose signature is not of one of this
 * node's keys says nothing, for anybody can write down a witness's name.
 */
export class OtherSigner {
  readonly #p: OtherSignerParts;
  readonly #own = new Set<BlockId>();
  readonly #found = new Map<Instance, ForeignBlock>();

  constructor(parts: OtherSignerParts) {
    this.#p = parts;
  }

  /** This node has made it. */
  made(id: BlockId): void {
    this.#own.add(id);
    if (this.#own.size > REMEMBERED_MAX) this.#own.delete(this.#own.values().next().value as BlockId);
  }

  /** True where it is the first that shows another machine at work for its witness. */
  came(block: ForeignBlock): boolean {
    const { witnesses, hasKey, fromSec } = this.#p;
    const { id, witness, slotSec } = block;
    if (!witnesses.has(witness) || slotSec <= fromSec || this.#own.has(id) || this.#found.has(witness)) return false;
    const signer = block.signer();
    if (signer === undefined || !hasKey(signer)) return false;
    this.#found.set(witness, block);
    return true;
  }

  /** The block that gave the other machine away. */
  of(witness: Instance): ForeignBlock | undefined {
    return this.#found.get(witness);
  }

  get witnesses(): readonly Instance[] {
    return [...this.#found.keys()];
  }
}
