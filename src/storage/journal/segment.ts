import { invariant } from '../../base/errors.js';
import { TRUSTED_RULES } from '../../codec/decode-rules.js';
import { Reader } from '../../codec/reader.js';
import { Writer } from '../../codec/writer.js';
import type { AppliedOperation } from '../../operations/define.js';
import type { SignedBlock } from '../../protocol/block.js';
import { type Operation, operation as operationType } from '../../protocol/operation-slot.js';
import { type OperationResult, operationResult, sameResult } from '../../protocol/results.js';

/**
 * Format 1 of a segment: what one block did that does not stand in it. Integers are variable-length.
 *
 * Operations that the chain applied before the block, operations that the block applied, the position that later blocks
 * carry on (operations of the newest transaction up to here), number of entries. Then the entries, in the order in which
 * their operations were applied: how many of the block's own operations came since the entry before (an own operation
 * whose result stands in an entry is not counted), and a byte for the kind:
 * 0, an operation that was issued: trx_in_block, op_in_trx, the packed operation, the packed result;
 * 1, the packed result of the next own operation, because the block carries another one.
 */
export interface Segment {
  readonly before: number;
  readonly count: number;
  readonly carried: number;
  readonly entries: readonly SegmentEntry[];
}

export interface SegmentEntry {
  readonly skipped: number;
  /** Undefined: the entry is the result of the next own operation. */
  readonly issued: IssuedOperation | undefined;
  readonly result: OperationResult;
}

type IssuedOperation = Pick<AppliedOperation, 'operation' | 'transaction' | 'index'>;

const ISSUED = 0;
const RESULT = 1;

/** What cannot be taken from the block itself. The result of an operation stands in the block, but nobody checks it. */
export function entriesOf(block: SignedBlock, operations: readonly AppliedOperation[]): SegmentEntry[] {
  const entries: SegmentEntry[] = [];
  let skipped = 0;
  for (const one of operations) {
    const { result } = one;
    if (one.isVirtual) {
      entries.push({ skipped, issued: one, result });
    } else {
      const carried = block.transactions[one.transaction]?.operation_results[one.index];
      if (carried !== undefined && sameResult(carried, result)) {
        skipped++;
        continue;
      }
      entries.push({ skipped, issued: undefined, result });
    }
    skipped = 0;
  }
  return entries;
}

/** Writes a segment piece by piece: who has many to write lets others have their turn in between. */
export class SegmentWriter {
  readonly #writer = new Writer();

  begin({ before, count, carried, entries }: Segment): void {
    const writer = this.#writer;
    writer.clear();
    writer.varint(before);
    writer.varint(count);
    writer.varint(carried);
    writer.varint(entries.length);
  }

  add({ skipped, issued, result }: SegmentEntry): void {
    const writer = this.#writer;
    writer.varint(skipped);
    if (issued === undefined) {
      writer.u8(RESULT);
    } else {
      writer.u8(ISSUED);
      writer.varint(issued.transaction);
      writer.varint(issued.index);
      operationType.write(writer, issued.operation);
    }
    operationResult.write(writer, result);
  }

  /** Valid until the next segment is begun. */
  get bytes(): Uint8Array {
    return this.#writer.peek();
  }
}

/** In one go; a copy. */
export function encodeSegment(segment: Segment): Uint8Array {
  const writer = new SegmentWriter();
  writer.begin(segment);
  for (const entry of segment.entries) writer.add(entry);
  return writer.bytes.slice();
}

/** Counts of ours are exact in a number. */
const readCount = (reader: Reader): number => Number(reader.varint());

function readCounts(reader: Reader): Omit<Segment, 'entries'> {
  return { before: readCount(reader), count: readCount(reader), carried: readCount(reader) };
}

/** The numbers alone, without reading what the block did. */
export function decodeCounts(bytes: Uint8Array): Omit<Segment, 'entries'> {
  return readCounts(new Reader(bytes, TRUSTED_RULES));
}

export function decodeSegment(bytes: Uint8Array): Segment {
  const reader = new Reader(bytes, TRUSTED_RULES);
  reader.need(operationType.depth);
  const counts = readCounts(reader);
  const length = readCount(reader);
  const entries: SegmentEntry[] = [];
  for (let i = 0; i < length; i++) {
    const skipped = readCount(reader);
    const issued = reader.u8() === ISSUED ? readIssued(reader) : undefined;
    entries.push({ skipped, issued, result: operationResult.read(reader) });
  }
  reader.finish();
  return { ...counts, entries };
}

function readIssued(reader: Reader): IssuedOperation {
  const transaction = readCount(reader);
  const index = readCount(reader);
  return { operation: operationType.read(reader), transaction, index };
}

/** An operation as histories show it: object 1.11.`instance`. */
export interface NumberedOperation {
  readonly instance: number;
  readonly operation: Operation;
  readonly result: OperationResult;
  /** `trx_in_block`; the number of transactions for what the block itself did. */
  readonly transaction: number;
  /** `op_in_trx` */
  readonly index: number;
  /** `virtual_op`: 0 for an operation that stands in its transaction, the others of a block count from 1. */
  readonly virtual: number;
}

/** All operations of a block in the order in which they were applied. */
export function operationsOf(block: SignedBlock, segment: Segment): NumberedOperation[] {
  const list: NumberedOperation[] = [];
  const own = ownOperations(block);
  let virtual = 0;
  const add = (one: Omit<NumberedOperation, 'instance'>): void => {
    list.push({ instance: segment.before + list.length, ...one });
  };
  const addOwn = (result?: OperationResult): void => {
    const next = own.next().value;
    invariant(next !== undefined, 'a segment goes with its block');
    add(result === undefined ? next : { ...next, result });
  };
  for (const { skipped, issued, result } of segment.entries) {
    for (let i = 0; i < skipped; i++) addOwn();
    if (issued === undefined) addOwn(result);
    else {
      const { operation, transaction, index } = issued;
      add({ operation, result, transaction, index, virtual: ++virtual });
    }
  }
  for (const one of own) add(one);
  invariant(list.length === segment.count, 'a segment counts the operations of its block');
  return list;
}

type OwnOperation = Omit<NumberedOperation, 'instance'>;

function* ownOperations({ transactions }: SignedBlock): Generator<OwnOperation, undefined> {
  for (const [transaction, { operations, operation_results }] of transactions.entries()) {
    for (const [index, operation] of operations.entries()) {
      // A block without all results has an entry for each that is missing.
      const result = operation_results[index] as OperationResult;
      yield { operation, result, transaction, index, virtual: 0 };
    }
  }
}
