import { check, fail } from '../base/errors.js';
import type { Operation } from '../protocol/operation-slot.js';
import type { SignedTransaction } from '../protocol/transaction.js';
import { BUILDER_ERRORS } from './errors.js';
import { emptyTransaction } from './transactions.js';

/** Transactions that are being put together; in memory alone. */
export class Builders {
  readonly #byHandle = new Map<number, SignedTransaction>();

  begin(): number {
    const handle = Math.max(-1, ...this.#byHandle.keys()) + 1;
    this.#byHandle.set(handle, emptyTransaction());
    return handle;
  }

  add(handle: number, operation: Operation): void {
    const found = this.#byHandle.get(handle) ?? fail(BUILDER_ERRORS.builder_handle_to_add, { handle });
    this.#byHandle.set(handle, { ...found, operations: [...found.operations, operation] });
  }

  replace(handle: number, index: number, operation: Operation): void {
    const found = this.get(handle);
    check(index < found.operations.length, BUILDER_ERRORS.builder_index, { handle, index });
    const operations = found.operations.map((one, i) => (i === index ? operation : one));
    this.#byHandle.set(handle, { ...found, operations });
  }

  get(handle: number): SignedTransaction {
    return this.#byHandle.get(handle) ?? fail(BUILDER_ERRORS.builder_handle, { handle });
  }

  set(handle: number, tx: SignedTransaction): void {
    this.#byHandle.set(handle, tx);
  }

  remove(handle: number): void {
    this.#byHandle.delete(handle);
  }
}
