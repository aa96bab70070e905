import { ChainError, defineErrors } from '../../base/errors.js';
import { forgetOldest } from '../../base/forget-oldest.js';
import type { Cancel } from '../../base/world.js';
import type { ChainEvent, ToldBlock } from '../../chain/events.js';
import { encode } from '../../codec/binary.js';
import { transactionId } from '../../crypto/digests.js';
import type { ProcessedTransaction, SignedTransaction } from '../../protocol/transaction.js';
import { transaction as transactionType } from '../../protocol/transaction.js';
import { RPC_ERRORS } from '../errors.js';
import type { RpcPorts, TransactionPlace } from '../ports.js';

export const CONFIRMATION_ERRORS = defineErrors({
  confirmation_expired: {
    code: 3030000,
    name: 'transaction_exception',
    title: 'transaction validation exception',
    text: 'transaction ${id} expired before a block took it',
  },
  confirmation_unknown: {
    kind: 'limit',
    text: 'transaction ${id} has expired, and no block since then is irreversible: whether one has taken it is not known here yet',
  },
  confirmation_waiters: {
    kind: 'limit',
    text: 'this node waits for ${count} transactions already and takes no more at the moment',
  },
});

export function idOfTransaction(transaction: SignedTransaction): string {
  return transactionId(encode(transactionType, transaction));
}

/** What `broadcast_transaction_synchronous` answers and its callback form sends. */
export interface Confirmation {
  readonly id: string;
  readonly block_num: number;
  readonly trx_num: number;
  readonly trx: ProcessedTransaction;
}

export interface Waiter {
  readonly expiration: number;
  /**
   * Told again when a fork switch has taken the transaction back and another block has it. Any other is an answer that
   * somebody waits for, and gets one even if no block ever comes.
   */
  readonly repeats?: boolean;
  /** Who asks again for the same transaction is told through the newest of these alone. */
  readonly owner?: object;
  included(confirmation: Confirmation): void;
  refused(error: ChainError): void;
  /** Nothing more will be told, for whatever reason. */
  ended?(): void;
}

/** What became of a registration. */
export interface Waiting {
  /** Nothing more is told. */
  readonly stop: Cancel;
  /** The transaction was refused. A block may have it all the same, and then that is told. */
  readonly goOnRefused: () => void;
}

export interface ConfirmationLimits {
  /** Waiters for a block; more are refused. */
  readonly waiting_max: number;
  /** Waiters that were told of a block that is not irreversible yet; more push out the oldest. */
  readonly told_max: number;
  /** Waiters for a transaction that was refused; more push out the oldest. */
  readonly refused_max: number;
}

const CONFIRMATION_LIMITS: ConfirmationLimits = { waiting_max: 50_000, told_max: 50_000, refused_max: 10_000 };

/** Newest transactions whose place a node without an index on disk remembers. */
const RECENT_MAX = 200_000;

/** Between looks at who has waited too long for any block. */
const LOOK_MS = 10_000;
/** For blocks to come and to become irreversible, beyond the time that the transaction has. */
const GRACE_MS = 60_000;
const MS_PER_SECOND = 1000;

interface Registration {
  readonly id: string;
  readonly waiter: Waiter;
  /** By the clock that never jumps; undefined: it may wait for blocks without an end. */
  readonly untilMs: number | undefined;
  /** The block that it was told of. */
  block: number;
}

/** Where transactions went: recent ones by id, and who waits for one to be taken into a block. */
export class Confirmations {
  readonly #node: RpcPorts;
  /** In the order of arrival, so the first key is the oldest. */
  readonly #recent = new Map<string, TransactionPlace>();
  /** Those who wait for a block, by transaction. */
  readonly #waiters = new Map<string, Registration[]>();
  /**
   * Of those, the ones whose transaction was refused. They do not count as waiting: anybody can have any number of
   * transactions refused.
   */
  readonly #refused = new Set<Registration>();
  /**
   * Those who were told of a block that may still be taken back, oldest first. They do not count as waiting: when
   * irreversibility stalls they are many, and others must still be able to send.
   */
  readonly #told = new Set<Registration>();
  /** The newest registration of an owner for a transaction. */
  readonly #owned = new Map<object, Map<string, Registration>>();
  /** Blocks that came since the start and may still be taken back, oldest first. */
  readonly #reversible: { readonly number: number; readonly time: number }[] = [];
  readonly #limits: ConfirmationLimits;
  #waiting = 0;
  #nextLook: Cancel | undefined;

  constructor(node: RpcPorts, limits: Partial<ConfirmationLimits> = {}) {
    this.#node = node;
    this.#limits = { ...CONFIRMATION_LIMITS, ...limits };
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Those who are told again if a fork switch takes their block back. */
  get told(): number {
    return this.#told.size;
  }

  /** Those whose transaction was refused, and who are told if a block has it all the same. */
  get refused(): number {
    return this.#refused.size;
  }

  find(id: string): TransactionPlace | undefined {
    return this.#recent.get(id) ?? this.#node.transactions?.find(id);
  }

  /** Register before the transaction is pushed: a block may follow at once. */
  wait(id: string, waiter: Waiter): Waiting {
    if (this.#waiting >= this.#limits.waiting_max)
      throw new ChainError(CONFIRMATION_ERRORS.confirmation_waiters, { count: this.#waiting });
    const untilMs = waiter.repeats === true ? undefined : this.#untilMs(waiter.expiration);
    const one: Registration = { id, waiter, untilMs, block: 0 };
    this.#own(one);
    this.#await(one);
    this.#waiting++;
    if (untilMs !== undefined) this.#lookLater();
    return { stop: () => this.#forget(one), goOnRefused: () => this.#goOnRefused(one) };
  }

  #own(one: Registration): void {
    const { owner } = one.waiter;
    if (owner === undefined) return;
    let byId = this.#owned.get(owner);
    if (byId === undefined) {
      byId = new Map();
      this.#owned.set(owner, byId);
    }
    const before = byId.get(one.id);
    byId.set(one.id, one);
    if (before !== undefined) this.#forget(before);
  }

  #await(one: Registration): void {
    const list = this.#waiters.get(one.id);
    if (list === undefined) this.#waiters.set(one.id, [one]);
    else list.push(one);
  }

  #goOnRefused(one: Registration): void {
    if (this.#waiters.get(one.id)?.includes(one) !== true || this.#refused.has(one)) return;
    this.#waiting--;
    this.#refused.add(one);
    forgetOldest(this.#refused, this.#limits.refused_max, (oldest) => this.#leaveWaiters(oldest));
  }

  #forget(one: Registration): void {
    if (this.#told.delete(one)) this.#end(one);
    else this.#leaveWaiters(one);
  }

  #leaveWaiters(one: Registration): void {
    const list = this.#waiters.get(one.id);
    const at = list?.indexOf(one) ?? -1;
    if (list === undefined || at < 0) return;
    list.splice(at, 1);
    this.#waited(one);
    if (list.length === 0) this.#waiters.delete(one.id);
    this.#end(one);
  }

  #waited(one: Registration): void {
    if (!this.#refused.delete(one)) this.#waiting--;
  }

  #end(one: Registration): void {
    const { owner } = one.waiter;
    const byId = owner === undefined ? undefined : this.#owned.get(owner);
    if (owner !== undefined && byId?.get(one.id) === one) {
      byId.delete(one.id);
      if (byId.size === 0) this.#owned.delete(owner);
    }
    one.waiter.ended?.();
  }

  follow(event: ChainEvent): void {
    if (event.kind === 'applied') this.#applied(event.block);
    else if (event.kind === 'undone') this.#undone(event.block);
    else if (event.kind === 'irreversible') this.#irreversible(event.number);
  }

  #applied({ number, block, transactionIds }: ToldBlock): void {
    block.transactions.forEach((transaction, position) => {
      const id = transactionIds[position] as string;
      if (this.#node.transactions === undefined) this.#recent.set(id, { block: number, position });
      const list = this.#waiters.get(id);
      if (list === undefined) return;
      this.#waiters.delete(id);
      for (const one of list) {
        this.#waited(one);
        one.block = number;
        // All of them first: telling one can end the session of others.
        if (one.waiter.repeats === true) this.#told.add(one);
      }
      const confirmation = { id, block_num: number, trx_num: position, trx: transaction };
      for (const one of list) {
        one.waiter.included(confirmation);
        if (one.waiter.repeats !== true) this.#end(one);
      }
    });
    forgetOldest(this.#told, this.#limits.told_max, (one) => this.#forget(one));
    forgetOldest(this.#recent, RECENT_MAX);
    this.#reversible.push({ number, time: block.timestamp });
  }

  #undone({ transactionIds }: ToldBlock): void {
    this.#reversible.pop();
    for (const id of transactionIds) this.#recent.delete(id);
    const ids = new Set(transactionIds);
    for (const one of this.#told) {
      if (!ids.has(one.id)) continue;
      this.#told.delete(one);
      this.#waiting++;
      this.#await(one);
    }
  }

  #irreversible(upTo: number): void {
    for (const one of this.#told) if (one.block <= upTo) this.#forget(one);
    let time = 0;
    for (let first = this.#reversible[0]; first !== undefined && first.number <= upTo; first = this.#reversible[0]) {
      time = first.time;
      this.#reversible.shift();
    }
    this.#expire(time);
  }

  /**
   * No branch can take any more what has expired by the time of an irreversible block. By that of the head it may be in
   * another branch, and whoever made it again would have it twice.
   */
  #expire(now: number): void {
    for (const [id, list] of this.#waiters) {
      for (const one of list.filter(({ waiter }) => waiter.expiration < now)) {
        this.#forget(one);
        one.waiter.refused(new ChainError(CONFIRMATION_ERRORS.confirmation_expired, { id }));
      }
    }
  }

  /**
   * When a block that is later than the transaction should have come, and become irreversible. Its time is that of
   * blocks, which may lie far behind the clock, and in a network for trials on either side of it.
   */
  #untilMs(expiration: number): number {
    const { clock, chain } = this.#node;
    const byBlocks = expiration - chain.state.headTime;
    const byClock = expiration - clock.nowMs() / MS_PER_SECOND;
    const left = byClock > 0 ? Math.min(byClock, byBlocks) : byBlocks;
    return clock.monotonicMs() + Math.max(0, left) * MS_PER_SECOND + GRACE_MS;
  }

  #lookLater(): void {
    this.#nextLook ??= this.#node.clock.after(LOOK_MS, () => {
      this.#nextLook = undefined;
      if (this.#endOverdue()) this.#lookLater();
    });
  }

  /** Whether anybody is left who may wait too long. */
  #endOverdue(): boolean {
    const now = this.#node.clock.monotonicMs();
    let isOneLeft = false;
    for (const [id, list] of this.#waiters) {
      for (const one of [...list]) {
        if (one.untilMs === undefined) continue;
        if (one.untilMs > now) isOneLeft = true;
        else {
          this.#forget(one);
          one.waiter.refused(new ChainError(CONFIRMATION_ERRORS.confirmation_unknown, { id }));
        }
      }
    }
    return isOneLeft;
  }

  close(): void {
    this.#nextLook?.();
    const closing = new ChainError(RPC_ERRORS.rpc_connection_closed);
    const waiting = [...this.#waiters.values()].flat();
    this.#waiters.clear();
    this.#refused.clear();
    this.#waiting = 0;
    for (const one of waiting) {
      one.waiter.refused(closing);
      this.#end(one);
    }
    for (const one of this.#told) this.#forget(one);
  }
}
