import { blockMethods } from '../../src/api/chain.js';
import { check, defineErrors } from '../../src/base/errors.js';
import type { SignedBlock } from '../../src/protocol/block.js';
import type { Instance } from '../../src/protocol/ids.js';
import { type ApiDef, implement } from '../../src/rpc/define.js';
import { storedBlock } from '../../src/rpc/objects/stored-block.js';
import { accountObject } from '../../src/state/objects/account.js';
import type { ReadState } from '../../src/state/views.js';
import { opIndex, type RelativeHistory } from './relative-history.js';

export const RELATIVE_HISTORY_ERRORS = defineErrors({
  relative_limit: { text: 'limit <= 100: Only 100 operations can be queried at a time' },
  relative_start: { text: 'start >= 1: ', hint: 'positions in a history are counted from 1' },
  relative_number: {
    text: 'number >= start: ',
    hint: 'the history of 1.2.${account} has ${number} operations; there is none at ${start}',
  },
  relative_begins_later: {
    text: 'this node was started from a snapshot and has the history of 1.2.${account} from block ${block}, position ${first}, on: what came before has to be asked of another node',
  },
  relative_block: { text: 'opt_block: ', hint: 'this node has no block ${block}, in which the operation stands' },
});

const LIMIT_MAX = 100;

interface Page {
  readonly account: Instance;
  readonly start: number;
  readonly limit: number;
}

/** `current` is the history as far as it goes now, or the refusal that says why it is not there. */
export function relativeApi(current: () => RelativeHistory): ApiDef {
  const { get_account_relative_ops, get_account_relative_blocks } = blockMethods;
  /** The history with its length, once it is known that it has the page. */
  const historyWith = (state: ReadState, { account, start, limit }: Page): [RelativeHistory, number] => {
    check(limit <= LIMIT_MAX, RELATIVE_HISTORY_ERRORS.relative_limit);
    check(start >= 1, RELATIVE_HISTORY_ERRORS.relative_start);
    state.get(accountObject, account);
    const history = current();
    const number = history.total(account);
    check(number >= start, RELATIVE_HISTORY_ERRORS.relative_number, { account, number, start });
    const earlier = history.earlier(account);
    const isHere = limit === 0 || Math.min(start + limit - 1, number) > earlier;
    const { from: block } = history;
    check(isHere, RELATIVE_HISTORY_ERRORS.relative_begins_later, { account, block, first: earlier + 1 });
    return [history, number];
  };
  return {
    name: 'database',
    about: 'Operations of accounts by position.',
    methods: implement(
      { get_account_relative_ops, get_account_relative_blocks },
      {
        *get_account_relative_ops({ node }, page) {
          const { account, start, limit } = page;
          const [history, number] = historyWith(node.chain.state, page);
          const ops = [];
          let read: { number: number; block: SignedBlock | undefined } | undefined;
          for (let sequence = start; sequence <= Math.min(start + limit - 1, number); sequence++) {
            const entry = history.entryAt(account, sequence);
            if (entry === undefined) continue;
            const { block, transaction, index, isVirtual } = entry;
            if (entry.operation === undefined && block !== read?.number) {
              read = { number: block, block: yield* storedBlock(node.chain, block) };
            }
            const found = entry.operation ?? read?.block?.transactions[transaction]?.operations[index];
            check(found !== undefined, RELATIVE_HISTORY_ERRORS.relative_block, { block });
            ops.push({ op_index: opIndex(account, sequence), op: found, is_virtual: isVirtual });
          }
          return { total_relative_ops_number: number, ops };
        },
        /** Ours: the operations of the family do not tell when they were applied. */
        get_account_relative_blocks({ node }, page) {
          const { account, start, limit } = page;
          const [history, number] = historyWith(node.chain.state, page);
          const blocks: number[] = [];
          for (let sequence = start; sequence <= Math.min(start + limit - 1, number); sequence++) {
            const entry = history.entryAt(account, sequence);
            if (entry !== undefined) blocks.push(entry.block);
          }
          return { total_relative_ops_number: number, blocks };
        },
      },
    ),
  };
}
