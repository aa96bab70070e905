import { decodeTrusted, encodeWith } from '../../codec/binary.js';
import type { TransactionId } from '../../crypto/digests.js';
import { transactionRecord } from '../../protocol/objects/chain.js';
import { type SignedTransaction, signedTransaction } from '../../protocol/transaction.js';
import { defineObject, ordered, type StateObject, unique } from '../define.js';

/** Where the bodies of remembered transactions are. */
export interface TransactionBodies {
  /** The block that has them, once nothing but the block store has that block; undefined while they are in memory. */
  readonly storedBlock: number | undefined;
  bodyOf(remembered: RememberedTransaction): SignedTransaction;
}

/**
 * Remembered until it expires, so that no transaction enters twice. That asks for its id and its expiration alone; its
 * body stays where it is anyway, with what waits or in its block, and is looked up there by who wants to see the object.
 */
export class RememberedTransaction implements StateObject {
  id = 0;
  trx_id: TransactionId;
  expiration: number;
  #bodies: TransactionBodies;
  /** Among these bodies. */
  position: number;

  constructor(trx_id: TransactionId, expiration: number, bodies: TransactionBodies, position = 0) {
    this.trx_id = trx_id;
    this.expiration = expiration;
    this.#bodies = bodies;
    this.position = position;
  }

  /** With a body that is nowhere else: it came from a store. */
  static packed({ trx, trx_id }: Pick<TransactionObject, 'trx' | 'trx_id'>): RememberedTransaction {
    const [bodies, position] = PackedBodies.place(trx);
    return new RememberedTransaction(trx_id, trx.expiration, bodies, position);
  }

  get trx(): SignedTransaction {
    return this.#bodies.bodyOf(this);
  }

  get storedBlock(): number | undefined {
    return this.#bodies.storedBlock;
  }

  /** What waited is in a block now. */
  moveTo(bodies: TransactionBodies, position: number): void {
    this.#bodies = bodies;
    this.position = position;
  }
}

/** Some hundred bodies, packed one behind the other, each behind its length: an array for each would take as much again. */
class PackedBodies implements TransactionBodies {
  readonly storedBlock = undefined;
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #used = 0;

  static #newest = new PackedBodies(0);

  constructor(length: number) {
    this.#bytes = new Uint8Array(length);
    this.#view = new DataView(this.#bytes.buffer);
  }

  static place(trx: SignedTransaction): [bodies: PackedBodies, position: number] {
    return encodeWith(signedTransaction, trx, (packed) => {
      const length = LENGTH_BYTES + packed.length;
      if (!PackedBodies.#newest.#hasRoomFor(length))
        PackedBodies.#newest = new PackedBodies(Math.max(length, PACKED_BYTES));
      return [PackedBodies.#newest, PackedBodies.#newest.#add(packed)];
    });
  }

  #hasRoomFor(length: number): boolean {
    return this.#used + length <= this.#bytes.length;
  }

  #add(packed: Uint8Array): number {
    const at = this.#used;
    this.#view.setUint32(at, packed.length);
    this.#bytes.set(packed, at + LENGTH_BYTES);
    this.#used += LENGTH_BYTES + packed.length;
    return at;
  }

  bodyOf({ position }: RememberedTransaction): SignedTransaction {
    const from = position + LENGTH_BYTES;
    return decodeTrusted(signedTransaction, this.#bytes.subarray(from, from + this.#view.getUint32(position)));
  }
}

const LENGTH_BYTES = 4;
const PACKED_BYTES = 65_536;

type TransactionObject = Pick<RememberedTransaction, 'id' | 'trx' | 'trx_id'>;

/** All objects of the type are made by its own tools. */
export const asRemembered = (object: Readonly<StateObject>): RememberedTransaction => object as RememberedTransaction;

function live(id: number, given: Omit<TransactionObject, 'id'>): RememberedTransaction {
  const object = given instanceof RememberedTransaction ? given : RememberedTransaction.packed(given);
  object.id = id;
  return object;
}

export const transactionObject = defineObject(
  {
    ...transactionRecord,
    keep: 'fleeting',
    record: {
      make: live,
      adopt: (object) => live(object.id, object),
      isSame: (a, b) => a.trx_id === b.trx_id,
    },
  },
  {
    trxId: unique((transaction) => transaction.trx_id, { fixed: true, ofHashes: true }),
    expiration: ordered([(transaction) => asRemembered(transaction).expiration], { fixed: true }),
  },
);
