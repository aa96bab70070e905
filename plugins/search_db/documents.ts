import type { Json, JsonObject } from '../../src/codec/json.js';
import { timeToText } from '../../src/codec/time.js';
import type { Network } from '../../src/codec/type.js';
import type { FeedBlock, FeedOperation } from '../../src/plugin/follower.js';
import { operation as operationType } from '../../src/protocol/operation-slot.js';
import { operationResult } from '../../src/protocol/results.js';
import { adapted } from './adapt.js';
import { entryId } from './names.js';
import type { Entry } from './numbering.js';

/** A type, so that it is JSON. */
export type SearchDocument = {
  readonly account_history: {
    readonly id: string;
    readonly account: string;
    readonly operation_id: string;
    readonly sequence: number;
    readonly next: string;
  };
  readonly operation_history: {
    readonly trx_in_block: number;
    readonly op_in_trx: number;
    readonly operation_result: string;
    readonly virtual_op: number;
    readonly op: string;
    readonly op_object: JsonObject | null;
  };
  readonly operation_type: number;
  readonly operation_id_num: number;
  readonly block_data: { readonly block_num: number; readonly block_time: string; readonly trx_id: string };
};

export interface DocumentStyle {
  readonly network: Network;
  /** `op_object`, otherwise `op`. */
  readonly hasObjects: boolean;
}

/** Everything that is the same for all accounts that the operation concerns. */
export type SharedMembers = Omit<SearchDocument, 'account_history'>;

export function sharedMembers(
  block: FeedBlock,
  one: FeedOperation,
  { network, hasObjects }: DocumentStyle,
): SharedMembers {
  const [tag] = one.operation;
  const json = operationType.toJson(one.operation, network) as [number, JsonObject];
  return {
    operation_history: {
      trx_in_block: one.transaction,
      op_in_trx: one.index,
      operation_result: JSON.stringify(operationResult.toJson(one.result)),
      virtual_op: one.virtual,
      op: hasObjects ? '' : JSON.stringify(json),
      op_object: hasObjects ? adapted(json[1]) : null,
    },
    operation_type: tag,
    operation_id_num: one.instance,
    block_data: {
      block_num: block.number,
      block_time: timeToText(block.block.timestamp),
      trx_id: block.transactionIds[one.transaction] ?? '',
    },
  };
}

export function documentOf(entry: Entry, shared: SharedMembers): SearchDocument {
  return {
    account_history: {
      id: entryId(entry.id),
      account: `1.2.${entry.account}`,
      operation_id: `1.11.${shared.operation_id_num}`,
      sequence: entry.sequence,
      next: entryId(entry.next),
    },
    ...shared,
  };
}

/** What the database takes when it refuses the document as it is: with less to look into. */
export function reducedDocument(document: SearchDocument, operationText: () => string): SearchDocument {
  return {
    ...document,
    operation_history: { ...document.operation_history, op: operationText(), op_object: null },
  };
}

export const jsonText = (value: Json | SearchDocument): string => JSON.stringify(value);
