import { ChainError } from '../../src/base/errors.js';
import { BlockFacts } from '../../src/chain/facts.js';
import { decode, encode, encodeWith } from '../../src/codec/binary.js';
import type { Json } from '../../src/codec/json.js';
import { blockHeaderDigest } from '../../src/crypto/digests.js';
import type { PrivateKey } from '../../src/crypto/private-key.js';
import { signatureBackend } from '../../src/crypto/signature.js';
import { blockHeader, type SignedBlock, signedBlock } from '../../src/protocol/block.js';
import { accountObject } from '../../src/state/objects/account.js';
import { witnessObject } from '../../src/state/objects/witness.js';
import { blockKeyOf, keyByPublic, keyOf } from '../fuzz/chain/keys.js';
import type { SeededRandom } from '../sim/random.js';
import { NETWORK } from '../support/network.js';
import { bentJson } from './documents.js';
import type { Mirror } from './mirror.js';
import { ABSENT } from './target.js';

/** Blocks behind the head that are bent: older ones are irreversible. */
const RECENT = 12;

/** Real blocks with faults. None of them can become the head: that would let the node miss slots by the rules. */
export class Blocks {
  readonly #mirror: Mirror;
  readonly #random: SeededRandom;

  constructor(mirror: Mirror, random: SeededRandom) {
    this.#mirror = mirror;
    this.#random = random;
  }

  #real(): SignedBlock | undefined {
    const { blocks } = this.#mirror;
    if (blocks.length === 0) return undefined;
    if (this.#random.chance(0.1)) return this.#random.pick(blocks);
    return this.#random.pick(blocks.slice(-RECENT));
  }

  /** With the root of what it carries. */
  #rooted(block: SignedBlock): SignedBlock {
    return { ...block, transaction_merkle_root: new BlockFacts(block).merkleRoot };
  }

  #signed(block: SignedBlock, key: PrivateKey): SignedBlock {
    const witness_signature = signatureBackend().sign(encodeWith(blockHeader, block, blockHeaderDigest), key);
    return { ...block, witness_signature };
  }

  /** As its own witness would sign it, were it dishonest. */
  #ownKey({ witness: id }: Pick<SignedBlock, 'witness'>): PrivateKey {
    const { state } = this.#mirror.chain.queries;
    const witness = state.find(witnessObject, id);
    const name = witness === undefined ? 'init0' : state.get(accountObject, witness.witness_account).name;
    return keyByPublic(witness?.signing_key ?? '') ?? blockKeyOf(name);
  }

  /**
   * Another branch, which never grows: a block by a witness that the node does not speak for, in a slot that it had left
   * empty. Any number of them for one slot. (The node would stop making blocks for witnesses of its own that sign
   * elsewhere, too.)
   */
  #brother(): SignedBlock | undefined {
    const slots = this.#mirror.emptySlots.slice(-RECENT).filter(({ witness }) => ABSENT.includes(witness));
    if (slots.length === 0) return undefined;
    const { witness, timestamp, previous, next } = this.#random.pick(slots);
    const block = this.#rooted(this.#otherTransactions({ ...next, witness, timestamp, previous }));
    return this.#signed(block, this.#ownKey(block));
  }

  #otherTransactions(block: SignedBlock): SignedBlock {
    const random = this.#random;
    const others = this.#mirror.blocks.slice(-RECENT).flatMap(({ transactions }) => transactions);
    const kept = block.transactions.filter(() => random.chance(0.7));
    const more = others.filter(() => random.chance(0.2));
    return { ...block, transactions: random.chance(0.5) ? [...kept, ...more] : kept.reverse() };
  }

  #bentHeader(block: SignedBlock): SignedBlock {
    const random = this.#random;
    const { blocks } = this.#mirror;
    switch (random.below(4)) {
      case 0:
        return { ...block, timestamp: random.pick([0, block.timestamp + 1, block.timestamp + 300, 0xffff_ffff]) };
      case 1:
        return { ...block, witness: random.pick([0, 1, 2, 99, 2 ** 40]) };
      case 2:
        return { ...block, previous: random.pick(blocks).previous };
      default:
        return { ...block, previous: `ffffffff${'0'.repeat(32)}` };
    }
  }

  /** As the argument of broadcast_block. */
  next(): { kind: string; json: Json } | undefined {
    const random = this.#random;
    const real = this.#real();
    if (real === undefined) return undefined;
    const of = (kind: string, block: SignedBlock) => ({ kind, json: signedBlock.toJson(block, NETWORK) });
    switch (random.below(6)) {
      case 0:
        return of('block again', real);
      case 1:
        return of('block header', this.#signed(this.#bentHeader(real), keyOf('mallory')));
      case 2: {
        const brother = this.#brother();
        return brother === undefined ? undefined : of('block brother', brother);
      }
      case 3: {
        const key = random.chance(0.5) ? this.#ownKey(real) : keyOf('mallory');
        return of('block root', this.#signed(this.#otherTransactions(real), key));
      }
      case 4: {
        const bytes = encode(signedBlock, real).slice();
        for (let i = random.between(1, 3); i > 0; i--) bytes[random.below(bytes.length)] = random.below(256);
        try {
          return of('block bytes', decode(signedBlock, bytes));
        } catch (error) {
          if (!(error instanceof ChainError)) throw error;
          return undefined;
        }
      }
      default:
        return { kind: 'block damaged', json: bentJson(signedBlock.toJson(real, NETWORK), random) };
    }
  }
}
