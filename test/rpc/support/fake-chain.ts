import type { Cancel } from '../../../src/base/world.js';
import type { ChainEvent, UndoneChange } from '../../../src/chain/events.js';
import { encode } from '../../../src/codec/binary.js';
import type { SignedBlock } from '../../../src/protocol/block.js';
import { signedBlock } from '../../../src/protocol/block.js';
import type { ProcessedTransaction, SignedTransaction } from '../../../src/protocol/transaction.js';
import type { ChainPort, RpcPorts } from '../../../src/rpc/ports.js';
import { idOfTransaction } from '../../../src/rpc/remembered/confirmations.js';
import type { AnyObjectDef, StateObject } from '../../../src/state/define.js';
import type { Change } from '../../../src/state/object-db.js';
import type { ReadState } from '../../../src/state/views.js';

/** The recorded chain's state, with events and pushes in the hands of the test. */
export class FakeChain {
  readonly ports: RpcPorts;
  readonly pushed: SignedTransaction[] = [];
  /** What the next push is refused with. */
  refusal: Error | undefined;
  /** Objects that have gone from the state. */
  readonly gone = new Set<StateObject>();
  /** Of the head block; undefined: that of the recorded chain. */
  headTime: number | undefined;
  /** What listeners have thrown. */
  readonly errors: unknown[] = [];
  readonly #listeners = new Set<(event: ChainEvent) => void>();

  constructor(base: RpcPorts) {
    const chain: ChainPort = {
      ...base.chain,
      chainId: base.chain.chainId,
      state: this.#withoutGone(base.chain.state),
      packedBlock: (number) => base.chain.packedBlock(number),
      packedBlockById: (id) => base.chain.packedBlockById(id),
      push: async (transaction) => {
        await Promise.resolve();
        if (this.refusal !== undefined) throw this.refusal;
        this.pushed.push(transaction);
        return { id: idOfTransaction(transaction), transaction: { ...transaction, operation_results: [] } };
      },
      listen: (listener): Cancel => {
        this.#listeners.add(listener);
        return () => this.#listeners.delete(listener);
      },
    };
    this.ports = { ...base, chain };
  }

  #withoutGone(state: ReadState): ReadState {
    return new Proxy(state, {
      get: (target, name) => {
        if (name === 'headTime' && this.headTime !== undefined) return this.headTime;
        if (name !== 'find') return Reflect.get(target, name, target);
        return (definition: AnyObjectDef, instance: number) => {
          const found = target.find(definition, instance) as StateObject | undefined;
          return found !== undefined && this.gone.has(found) ? undefined : found;
        };
      },
    });
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  /** Tells all of them, as the chain does. */
  emit(event: ChainEvent): void {
    for (const listener of this.#listeners) {
      try {
        listener(event);
      } catch (error) {
        this.errors.push(error);
      }
    }
  }

  block(number: number, transactions: readonly ProcessedTransaction[] = [], timestamp = 0): SignedBlock {
    return { ...signedBlock.default(), timestamp, witness: number, transactions: [...transactions] };
  }

  applied(
    number: number,
    changes: readonly Change[] = [],
    transactions: readonly ProcessedTransaction[] = [],
    timestamp = 0,
  ): void {
    const block = this.#stored(number, transactions, timestamp);
    this.emit({ kind: 'applied', block, operations: [], changes: () => changes });
    this.emit({ kind: 'settled' });
  }

  undone(
    number: number,
    transactions: readonly ProcessedTransaction[] = [],
    changed: readonly UndoneChange[] = [],
  ): void {
    this.emit({ kind: 'undone', block: this.#stored(number, transactions, 0), changed });
  }

  #stored(number: number, transactions: readonly ProcessedTransaction[], timestamp: number) {
    const block = this.block(number, transactions, timestamp);
    return {
      number,
      id: number.toString(16).padStart(8, '0').padEnd(40, '0'),
      block,
      bytes: encode(signedBlock, block),
      transactionIds: transactions.map((one) => idOfTransaction(one)),
    };
  }
}
