import { ChainError, check, defineErrors } from '../../base/errors.js';
import type { Logger } from '../../base/world.js';
import type { Chain } from '../../chain/chain.js';
import { readStateUpdate } from '../../chain/state-update.js';
import type { Json } from '../../codec/json.js';
import { SKIP } from '../../operations/define.js';
import { stateHash } from '../../state/state-hash.js';
import { type ChainBase, type DumpedUpdate, packDump, type StateDump } from './state-dump.js';

export const LOAD_DUMP_ERRORS = defineErrors({
  dev_state_other_chain: {
    text: 'the dumped state is of chain ${found}, and this chain is ${wanted}',
    hint: 'both chains have to begin with the same genesis file',
  },
  dev_state_other_base: {
    text: 'the dumped state goes on from block ${found}, and this chain begins with block ${wanted}',
    hint: 'both forks have to begin with the same snapshot',
  },
  dev_state_other_beginning: {
    text: 'the fork that was dumped began with other changes of block ${number} than this one',
    hint: 'both forks have to begin with the same --dev-accounts and --dev-balance, and nothing may be changed by hand before the first block',
  },
  dev_state_not_fresh: {
    text: 'this chain is not fresh: its block ${head} does not lead to the dumped state, and there is no way back to one that does',
    hint: 'load the state at the start, with --load-state and an empty data directory, or take a dev_snapshot before the first block of a chain that makes its blocks by hand: loading goes back to it',
  },
  dev_state_differs: {
    text: 'the blocks of the dump make the state ${found} here, and the dump says ${wanted}: the chain stands where it stood',
    hint: 'load it with the version that has written it, and with the same options for the chain',
  },
  dev_state_cut: {
    text: 'this chain has no block ${number} any more: it began with a snapshot, and its blocks alone do not make its state',
    hint: 'trustnode snapshot pack and restore carry such a chain to another data directory',
  },
});

export interface LoadParts {
  readonly chain: Chain;
  /** What this chain goes on from, with the changes that made it a chain of its own. */
  readonly base: ChainBase;
  /** All changes that were made beside blocks of this node, as they were made. */
  updates(): readonly DumpedUpdate[];
  keepUpdate(block: string, update: Json): void;
  keepUpdates(count: number): void;
  readonly log: Logger;
}

/** What this node signed or checked when it was made is not asked for again: acting for others, above all. */
const TRUSTED = SKIP.witnessSignature | SKIP.transactionSignatures | SKIP.authorityCheck;

export function dumpOf({ chain, base, updates }: LoadParts, now: number): string {
  const { queries, snapshots, pending } = chain;
  const first = base.number + 1;
  const blocks = Array.from({ length: queries.head.number - base.number }, (_, i) => {
    const bytes = queries.blockBytes(first + i);
    check(bytes !== undefined, LOAD_DUMP_ERRORS.dev_state_cut, { number: first + i });
    return bytes;
  });
  const ids = new Set([base.id, ...blocks.map((_, i) => queries.blockIdOf(first + i))]);
  return packDump({
    chainId: queries.chainId,
    base,
    stateHash: snapshots.withHeadState(stateHash),
    now,
    blocks,
    // Those of blocks that were undone are of no use there.
    updates: updates().filter(({ block }) => ids.has(block)),
    waiting: pending.transactions,
  });
}

/** Number of the last block that both have. */
export function commonBlock({ queries }: Chain, { base, blocks }: StateDump): number {
  let number = Math.min(queries.head.number, base.number + blocks.length);
  while (number > base.number && queries.blockIdOf(number) !== blocks[number - base.number - 1]?.id) number--;
  return number;
}

const updatesOf = (updates: readonly DumpedUpdate[], { id }: ChainBase): DumpedUpdate[] =>
  updates.filter(({ block }) => block === id);

/** Answers with how many changes belong to the block that both go on from. */
export function checkSameChain({ chain, base, updates }: LoadParts, dump: StateDump): number {
  const { chainId: wanted } = chain.queries;
  check(dump.chainId === wanted, LOAD_DUMP_ERRORS.dev_state_other_chain, { found: dump.chainId, wanted });
  const isSame = dump.base.number === base.number && dump.base.id === base.id;
  check(isSame, LOAD_DUMP_ERRORS.dev_state_other_base, { found: dump.base.number, wanted: base.number });
  const [own, dumped] = [updatesOf(updates(), base), updatesOf(dump.updates, base)];
  const isBegunAlike = JSON.stringify(own) === JSON.stringify(dumped);
  check(isBegunAlike, LOAD_DUMP_ERRORS.dev_state_other_beginning, { number: base.number });
  return own.length;
}

/** On a chain whose head is a block of the dump. When it throws, the chain stands there again. */
export function goTheWayOf(parts: LoadParts, dump: StateDump): void {
  const { chain, keepUpdates, log } = parts;
  const mark = chain.returns.mark();
  try {
    chain.pending.clear();
    pushAll(parts, dump);
    const found = chain.snapshots.withHeadState(stateHash);
    check(found === dump.stateHash, LOAD_DUMP_ERRORS.dev_state_differs, { found, wanted: dump.stateHash });
  } catch (error) {
    chain.returns.backTo(mark);
    keepUpdates(mark.updates);
    throw error;
  }
  chain.returns.forget(mark);
  for (const transaction of dump.waiting) {
    try {
      chain.pending.push({ transaction });
    } catch (error) {
      if (!(error instanceof ChainError)) throw error;
      log.warn('a transaction that waited when the state was dumped is refused', { error: error.message });
    }
  }
}

function pushAll({ chain, base, keepUpdate }: LoadParts, { blocks, updates }: StateDump): void {
  const byBlock = new Map<string, Json[]>();
  for (const { block, update } of updates) byBlock.set(block, [...(byBlock.get(block) ?? []), update]);
  for (const facts of blocks.slice(chain.queries.head.number - base.number)) {
    const { block, id } = facts;
    chain.blocks.push({ block, id }, TRUSTED);
    for (const update of byBlock.get(id) ?? []) {
      chain.debug.amendHead(readStateUpdate(update), () => keepUpdate(id, update));
    }
  }
}
