import { Chain } from '../../src/chain/chain.js';
import type { BlockDoor } from '../../src/chain/doors.js';
import type { ChainEvent } from '../../src/chain/events.js';
import type { GenesisSource } from '../../src/chain/genesis-source.js';
import { MemoryBlockStore } from '../../src/chain/memory-block-store.js';
import { decodeTrusted } from '../../src/codec/binary.js';
import type { JsonObject } from '../../src/codec/json.js';
import { type SignedBlock, signedBlock } from '../../src/protocol/block.js';
import { operation } from '../../src/protocol/operation-slot.js';
import { operationResult } from '../../src/protocol/results.js';
import { operationsOf } from '../../src/storage/journal/segment.js';
import type { Storage } from '../../src/storage/storage.js';
import { chainContractEngine } from '../../src/vm/chain-engine.js';
import { contractKeys } from '../../src/vm/keys.js';
import { NETWORK } from './network.js';

/** What a history shows of one operation, as RPC JSON in the order of the reference's fields. */
export type HistoryObject = JsonObject & { readonly id: string };

interface Shown {
  readonly operation: Parameters<typeof operation.toJson>[0];
  readonly result: Parameters<typeof operationResult.toJson>[0];
  readonly transaction: number;
  readonly index: number;
}

export function historyObject(instance: number, block: number, virtual: number, one: Shown): HistoryObject {
  return {
    id: `1.11.${instance}`,
    op: operation.toJson(one.operation, NETWORK),
    result: operationResult.toJson(one.result),
    block_num: block,
    trx_in_block: one.transaction,
    op_in_trx: one.index,
    virtual_op: virtual,
  };
}

/** Out of block log and journal: every operation of these blocks. */
export function* storedHistory({ log, journal }: Storage, from = 1, to = log.headNumber): Generator<HistoryObject> {
  for (let number = from; number <= to; number++) {
    const bytes = log.read(number);
    const segment = journal.segmentOf(number);
    if (bytes === undefined || segment === undefined) throw new Error(`block ${number} is not in both logs`);
    for (const one of operationsOf(decodeTrusted(signedBlock, bytes), segment)) {
      yield historyObject(one.instance, number, one.virtual, one);
    }
  }
}

/** Out of what a chain tells while it applies blocks, one text per operation; undone blocks are taken out again. */
export class ToldHistory {
  readonly #blocks: {
    readonly number: number;
    readonly operations: Extract<ChainEvent, { kind: 'applied' }>['operations'];
  }[] = [];

  constructor(door: BlockDoor) {
    door.subscribe((event) => {
      if (event.kind === 'applied') this.#blocks.push({ number: event.block.number, operations: event.operations });
      else if (event.kind === 'undone') this.#blocks.pop();
    });
  }

  *objects(): Generator<HistoryObject> {
    let instance = 0;
    for (const { number, operations } of this.#blocks) {
      let virtual = 0;
      for (const one of operations) yield historyObject(instance++, number, one.isVirtual ? ++virtual : 0, one);
    }
  }
}

/** The history of these blocks on a chain that nothing ever happened to. */
export function undisturbedHistory(genesis: GenesisSource, blocks: readonly SignedBlock[]): HistoryObject[] {
  const engine = chainContractEngine(contractKeys(NETWORK));
  const chain = new Chain({ genesis, engine, blocks: new MemoryBlockStore(), saveBlocks: 5 });
  const told = new ToldHistory(chain.blocks);
  for (const block of blocks) chain.blocks.push({ block });
  return [...told.objects()];
}
