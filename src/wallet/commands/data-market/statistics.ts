import type { Json } from '../../../codec/json.js';
import { text, time, u8, u32, u64 } from '../../../codec/scalars.js';
import type { Type } from '../../../codec/type.js';
import { accountIdText } from '../../chain-view.js';
import type { Wallet } from '../../wallet.js';
import { type AnyCommand, type CommandTable, command } from '../define.js';
import { any, idOf, PRICE_UNIT, passed } from './common.js';

/** How much data was traded, and what was complained about. */

const PERIOD = { start_date_time: any(time), end_date_time: any(time) } as const;

/** Sums of money: the node counts the smallest units, people whole ones. */
function inUnits(method: string, before: Readonly<Record<string, Type<never>>>, help: string): AnyCommand {
  const asked = passed(method, { ...before, ...PERIOD }, 'uint64', help);
  return {
    ...asked,
    run: async (wallet: Wallet, args: Record<string, unknown>): Promise<Json> =>
      u64.toJson(BigInt(String(await asked.run(wallet, args))) / BigInt(PRICE_UNIT)),
  };
}

export const statisticsCommands = {
  list_second_hand_datasources: passed(
    'list_second_hand_datasources',
    { ...PERIOD, limit: any(u32) },
    'map<account_id,uint64>',
    'Data sources that sold what others had sold before.',
  ),
  list_total_second_hand_transaction_counts_by_datasource: command({
    params: { start_date_time: time, end_date_time: time, datasource_account: text },
    result: 'uint32',
    help: 'How often a data source sold what others had sold before.',
    run: async (wallet, { start_date_time, end_date_time, datasource_account }) =>
      wallet.chain.ask(
        'list_total_second_hand_transaction_counts_by_datasource',
        time.toJson(start_date_time),
        time.toJson(end_date_time),
        accountIdText(await idOf(wallet, datasource_account)),
      ),
  }),
  list_data_transaction_complain_requesters: passed(
    'list_data_transaction_complain_requesters',
    { ...PERIOD, limit: any(u8) },
    'map<account_id,uint64>',
    'Accounts that complained.',
  ),
  list_data_transaction_complain_datasources: passed(
    'list_data_transaction_complain_datasources',
    { ...PERIOD, limit: any(u8) },
    'map<account_id,uint64>',
    'Data sources that were complained about.',
  ),
  get_data_transaction_product_costs: inUnits('get_data_transaction_product_costs', {}, 'What was paid for data.'),
  get_data_transaction_commission: inUnits('get_data_transaction_commission', {}, 'Commissions of the platform.'),
  get_data_transaction_pay_fee: inUnits('get_data_transaction_pay_fee', {}, 'Fees of data transactions.'),
  get_data_transaction_total_count: passed(
    'get_data_transaction_total_count',
    PERIOD,
    'uint64',
    'How many data transactions there were.',
  ),
  get_merchants_total_count: passed('get_merchants_total_count', {}, 'uint64', 'How many merchants there are.'),
  get_data_transaction_product_costs_by_requester: inUnits(
    'get_data_transaction_product_costs_by_requester',
    { requester: any(text) },
    'What an account paid for data.',
  ),
  get_data_transaction_total_count_by_requester: passed(
    'get_data_transaction_total_count_by_requester',
    { requester: any(text), ...PERIOD },
    'uint64',
    'How many data transactions an account made.',
  ),
  get_data_transaction_pay_fees_by_requester: inUnits(
    'get_data_transaction_pay_fees_by_requester',
    { requester: any(text) },
    'Fees that an account paid for data transactions.',
  ),
  get_data_transaction_product_costs_by_product_id: inUnits(
    'get_data_transaction_product_costs_by_product_id',
    { product_id: any(text) },
    'What was paid for a product.',
  ),
  get_data_transaction_total_count_by_product_id: passed(
    'get_data_transaction_total_count_by_product_id',
    { product_id: any(text), ...PERIOD },
    'uint64',
    'How many data transactions a product had.',
  ),
} satisfies CommandTable;
