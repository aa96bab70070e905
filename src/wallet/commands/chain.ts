import { array } from '../../codec/containers.js';
import type { Json, JsonObject } from '../../codec/json.js';
import { text, time, u32 } from '../../codec/scalars.js';
import { struct } from '../../codec/struct.js';
import { asset, makeAsset } from '../../protocol/asset.js';
import { objectId } from '../../protocol/ids.js';
import { blockId } from '../../protocol/keys.js';
import { vestingPolicy } from '../../protocol/objects/accounts-and-assets.js';
import { withdrawable } from '../../state/rules/vesting.js';
import { accountIdText } from '../chain-view.js';
import { LOOKUP_ERRORS } from '../errors.js';
import { asList, asObject } from '../node-link.js';
import type { Wallet } from '../wallet.js';
import { type CommandTable, command } from './define.js';

const IS_VESTING_ID = /^1\.13\.\d+$/;

const members = struct('vesting_balance', { balance: asset, policy: vestingPolicy });

/** What the owner may take out of it at this time. */
function withAllowed(wallet: Wallet, json: JsonObject, now: number): Json {
  const { balance, policy } = wallet.chain.read(members, 'get_vesting_balances', json);
  const allowed = makeAsset(withdrawable(policy, balance.amount, now), balance.asset_id);
  return { ...json, allowed_withdraw: asset.toJson(allowed), allowed_withdraw_time: time.toJson(now) };
}

async function vestingBalances(wallet: Wallet, nameOrId: string): Promise<Json> {
  const now = (await wallet.chain.dynamic()).time;
  const balances = IS_VESTING_ID.test(nameOrId)
    ? [await wallet.chain.objectOr(nameOrId, LOOKUP_ERRORS.object_null)]
    : asList(
        await wallet.chain.ask('get_vesting_balances', accountIdText((await wallet.chain.account(nameOrId)).id)),
        'get_vesting_balances',
      );
  return balances.map((balance) => withAllowed(wallet, asObject(balance, 'get_vesting_balances'), now));
}

export const chainCommands = {
  get_block: command({
    params: { num: u32 },
    result: 'optional<signed_block_with_info>',
    help: 'A block by number; null when there is none yet.',
    run: (wallet, { num }) => wallet.chain.ask('get_block', num),
  }),
  get_block_by_id: command({
    params: { id: blockId },
    result: 'optional<signed_block_with_info>',
    help: 'A block by its id.',
    run: (wallet, { id }) => wallet.chain.ask('get_block_by_id', id),
  }),
  get_dynamic_global_properties: command({
    params: {},
    result: 'dynamic_global_property_object',
    help: 'What changes with every block: head, time, last irreversible block.',
    run: (wallet) => wallet.chain.ask('get_dynamic_global_properties'),
  }),
  get_global_properties: command({
    params: {},
    result: 'global_property_object',
    help: 'The parameters of the chain, fees included, and who is active.',
    run: (wallet) => wallet.chain.ask('get_global_properties'),
  }),
  get_commission_percent: command({
    params: {},
    result: 'data_transaction_commission_percent',
    help: 'What the platform takes of data transactions.',
    run: (wallet) => wallet.chain.ask('get_commission_percent'),
  }),
  get_object: command({
    params: { id: objectId },
    result: 'variant',
    help: 'A list with the object of this id.',
    run: (wallet, { id }) => wallet.chain.ask('get_objects', [objectId.toJson(id)]),
  }),
  get_vesting_balances: command({
    params: { account_name: text },
    result: 'vector<vesting_balance_object_with_info>',
    help: 'Vesting balances of an account, or one by its id, with what may be withdrawn now.',
    run: (wallet, { account_name }) => vestingBalances(wallet, account_name),
  }),
  network_add_nodes: command({
    params: { nodes: array(text) },
    result: 'null',
    acts: true,
    help: 'Asks the node to connect to others. It must allow its network API to this user.',
    run: async (wallet, { nodes }) => {
      for (const node of nodes) await wallet.world.node.call('network_node', 'add_node', [node]);
      return null;
    },
  }),
  network_get_connected_peers: command({
    params: {},
    result: 'vector<variant>',
    help: 'The peers of the node. It must allow its network API to this user.',
    run: (wallet) => wallet.world.node.call('network_node', 'get_connected_peers', []),
  }),
} satisfies CommandTable;
