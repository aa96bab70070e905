import { check } from '../../../base/errors.js';
import { operationOf } from '../../../client/operations.js';
import { text, u8, u32 } from '../../../codec/scalars.js';
import { dataMarketCategoryId } from '../../../protocol/ids.js';
import {
  dataMarketCategoryCreateOperation,
  dataMarketCategoryUpdateOperation,
} from '../../../protocol/operations/data-market.js';
import { CHECK_ERRORS } from '../../errors.js';
import { act, BROADCAST, SIGNED_TRANSACTION } from '../common.js';
import { type CommandTable, command } from '../define.js';
import { propose } from '../proposals.js';
import { any, found, idOf, passed } from './common.js';

/** Categories of the data market. */

export const categoryCommands = {
  create_data_market_category: command({
    params: { category_name: text, data_market_type: u8, order_num: u32, issuer: text, ...BROADCAST },
    result: SIGNED_TRANSACTION,
    acts: true,
    help: 'Makes a category of the data market: type 1 for free products, 2 for those of leagues.',
    run: async (wallet, { category_name, data_market_type, order_num, issuer, broadcast }) => {
      check(data_market_type === 1 || data_market_type === 2, CHECK_ERRORS.category_type);
      const operation = operationOf(dataMarketCategoryCreateOperation, {
        category_name,
        data_market_type,
        order_num,
        issuer: await idOf(wallet, issuer),
        create_date_time: wallet.nowSec(),
      });
      return act(wallet, [operation], { broadcast });
    },
  }),
  propose_data_market_category_update: command({
    params: {
      proposing_account: text,
      category: text,
      new_category_name: text,
      new_order_num: u32,
      new_status: u8,
      ...BROADCAST,
    },
    result: SIGNED_TRANSACTION,
    acts: true,
    help: 'Proposes another name, place or status (0 or 1) for a category.',
    run: async (wallet, { proposing_account, category, new_category_name, new_order_num, new_status, broadcast }) => {
      check(new_status === 0 || new_status === 1, CHECK_ERRORS.category_status);
      const payer = await idOf(wallet, proposing_account);
      const before = await found(wallet.chain, 'category', category);
      const operation = operationOf(dataMarketCategoryUpdateOperation, {
        new_category_name,
        new_order_num,
        data_market_category: dataMarketCategoryId.fromJson(category),
        // Ours: the reference sends whatever stood in its memory.
        data_market_type: Number(before.data_market_type ?? 0),
        new_status,
      });
      return propose(wallet, { payer, operations: [operation], broadcast });
    },
  }),
  get_data_market_category: command({
    params: { category_id: text },
    result: 'data_market_category_object',
    help: 'A category by its id.',
    run: (wallet, { category_id }) => found(wallet.chain, 'category', category_id),
  }),
  list_data_market_categories: passed(
    'list_data_market_categories',
    { data_market_type: any(u32) },
    'vector<data_market_category_object>',
    'The categories of a type.',
  ),
} satisfies CommandTable;
