import * as declared from '../../api/readers.js';
import { check, defineErrors } from '../../base/errors.js';
import type { SignedBlock } from '../../protocol/block.js';
import { implementApi } from '../define.js';
import { storedBlock } from '../objects/stored-block.js';
import type { Pieces } from '../pieces/pieces.js';
import { madeWhilePrinted } from '../pieces/print.js';
import type { ChainPort } from '../ports.js';

export const BLOCK_LIST_ERRORS = defineErrors({
  blocks_order: {
    text: 'block_num_to >= block_num_from: ',
    hint: 'the range ends at block ${block_num_to}, before it begins at ${block_num_from}',
  },
  blocks_too_many: { kind: 'limit', text: 'at most ${limit} blocks in one request, not ${count}' },
});

/** Blocks in one answer. The family's nodes know no limit; one request would hold them up for minutes. */
const BLOCKS_MAX = 1000;

export const blockApi = implementApi(declared.blockApi, {
  get_blocks({ node }, { block_num_from, block_num_to }) {
    check(block_num_to >= block_num_from, BLOCK_LIST_ERRORS.blocks_order, { block_num_from, block_num_to });
    const count = block_num_to - block_num_from + 1;
    check(count <= BLOCKS_MAX, BLOCK_LIST_ERRORS.blocks_too_many, { limit: BLOCKS_MAX, count });
    return madeWhilePrinted(storedBlocks(node.chain, block_num_from, block_num_to));
  },
});

function* storedBlocks(chain: ChainPort, from: number, to: number): Generator<Pieces<SignedBlock | undefined>> {
  for (let number = from; number <= to; number++) yield storedBlock(chain, number);
}
