import { objectOf } from '../../protocol/objects/declare.js';
import type { Operation } from '../../protocol/operation-slot.js';
import { type DataTransactionObject, dataTransactionObject } from '../../state/objects/data-market.js';
import type { ReadState } from '../../state/views.js';
import type { Followed } from './followed.js';

/** Create, update, pay, upload, validate error. Quirk: a complaint (70) names a data transaction too, and is none. */
const DATA_TRANSACTION_OPERATIONS: ReadonlySet<number> = new Set([55, 56, 57, 59, 60]);

/** A data transaction that a pending transaction has touched, printed for those who want to hear of it. */
export interface TouchedDataTransaction {
  readonly product: bigint;
  readonly text: string;
}

/** Quirk: of several in one transaction only the last counts. */
export function touchedDataTransaction(
  state: ReadState,
  operations: readonly Operation[],
): TouchedDataTransaction | undefined {
  const last = operations.findLast(([tag]) => DATA_TRANSACTION_OPERATIONS.has(tag));
  if (last === undefined) return undefined;
  const { request_id } = last[1] as unknown as { readonly request_id: string };
  const found: Readonly<DataTransactionObject> | undefined = state.findBy(
    dataTransactionObject.by.requestId,
    request_id,
  );
  if (found === undefined) return undefined;
  return {
    product: found.product_id,
    text: JSON.stringify(objectOf(dataTransactionObject).toJson(found, state.network)),
  };
}

/** What one client wants to hear of data transactions. */
export class DataTransactionWatch {
  all: bigint | undefined;
  products: { readonly callback: bigint; readonly ids: Followed<bigint> } | undefined;

  watchProducts(products: typeof this.products): void {
    this.products?.ids.end();
    this.products = products;
  }

  get isIdle(): boolean {
    return this.all === undefined && this.products === undefined;
  }

  clear(): void {
    this.all = undefined;
    this.watchProducts(undefined);
  }

  /**
   * Callbacks that are told, in their order. Quirk: the two subscriptions each tell both callbacks, so that who has both
   * hears of a listed product twice through each, and of any other once.
   */
  callbacksFor({ product }: TouchedDataTransaction): bigint[] {
    const { all, products } = this;
    const both = [all, products?.callback].filter((callback) => callback !== undefined);
    return [...(all === undefined ? [] : both), ...(products?.ids.has(product) === true ? both : [])];
  }
}
