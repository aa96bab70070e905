import { setTimeout as pause } from 'node:timers/promises';
import { operationOf } from '../../client/operations.js';
import type { Json } from '../../codec/json.js';
import { text, time, u32 } from '../../codec/scalars.js';
import { tapos } from '../../crypto/digests.js';
import { makeAsset } from '../../protocol/asset.js';
import { accountId } from '../../protocol/ids.js';
import { transferOperation } from '../../protocol/operations/transfers.js';
import { emptyTransaction } from '../transactions.js';
import type { Wallet } from '../wallet.js';
import { accountCommands } from './accounts.js';
import { assetCommands } from './assets.js';
import { jsonObject } from './common.js';
import { type CommandTable, command } from './define.js';

/** For trials on a chain of one's own: blocks on demand, and load. */

const debug = (wallet: Wallet, method: string, ...params: Json[]): Promise<Json> =>
  wallet.world.node.call('debug', method, params);

const REGISTRAR = 'init0';
const UNIT = 100_000n;
/** Of transfer_test: so many seconds until the first expires, each further one a second later. */
const TRIAL_LIFETIME_SEC = 300;

async function floodAccounts(wallet: Wallet, prefix: string, count: number): Promise<void> {
  const began = wallet.world.clock.nowMs();
  for (let n = 0; n < count; n++) {
    const name = `${prefix}${n}`;
    await accountCommands.create_account_with_brain_key.run(wallet, {
      brain_key: name,
      account_name: name,
      registrar_account: REGISTRAR,
      referrer_account: REGISTRAR,
      broadcast: true,
    });
  }
  wallet.world.log.info('accounts created', { count, ms: wallet.world.clock.nowMs() - began });
}

/** One unit of the core asset to each of the accounts, again and again. */
async function floodTransfers(wallet: Wallet, from: string, prefix: string, accounts: number, loops: number) {
  const began = wallet.world.clock.nowMs();
  const payer = await wallet.chain.account(from);
  const core = wallet.chain.coreAssetAt((await wallet.chain.dynamic()).time);
  for (let loop = 0; loop < loops; loop++) {
    for (let n = 0; n < accounts; n++) {
      const to = await wallet.chain.account(`${prefix}${n}`);
      const members = { from: payer.id, to: to.id, amount: makeAsset(UNIT, core) };
      await wallet.transactions.transact([operationOf(transferOperation, members)], { broadcast: true });
    }
  }
  wallet.world.log.info('transfers sent', { count: accounts * loops, ms: wallet.world.clock.nowMs() - began });
}

const TPS_EVERY_MS = 3000;

/** A minute in all. Ours: the reference goes on until it is killed. */
const TPS_TIMES = 20;

/** Transactions a second between two heads. */
async function rate(wallet: Wallet, from: number, to: number): Promise<{ tps: number; at: string } | undefined> {
  const first = await wallet.chain.client.database.get_block({ block_num: from });
  const last = await wallet.chain.client.database.get_block({ block_num: to });
  if (first === undefined || last === undefined) return undefined;
  let count = last.transaction_ids.length;
  for (let n = from + 1; n < to; n++) {
    count += (await wallet.chain.client.database.get_block({ block_num: n }))?.transaction_ids.length ?? 0;
  }
  const seconds = last.timestamp - first.timestamp;
  return { tps: seconds > 0 ? count / seconds : 0, at: time.toJson(last.timestamp) as string };
}

export const testCommands = {
  dbg_generate_blocks: command({
    params: { debug_wif_key: text, count: u32 },
    result: 'null',
    secret: ['debug_wif_key'],
    acts: true,
    help: 'Makes blocks at once. The node must be started with its debug API, on a chain of its own.',
    run: (wallet, { debug_wif_key, count }) => debug(wallet, 'debug_generate_blocks', debug_wif_key, count),
  }),
  dbg_push_blocks: command({
    params: { src_filename: text, count: u32 },
    result: 'null',
    acts: true,
    help: 'Takes the next blocks from the block log of another node.',
    run: (wallet, { src_filename, count }) => debug(wallet, 'debug_push_blocks', src_filename, count),
  }),
  dbg_stream_json_objects: command({
    params: { filename: text },
    result: 'null',
    acts: true,
    help: 'Lets the node write every changed object to a file of its debug folder; "" ends it.',
    run: (wallet, { filename }) => debug(wallet, 'debug_stream_json_objects', filename),
  }),
  dbg_update_object: command({
    params: { update: jsonObject },
    result: 'null',
    acts: true,
    help: 'Changes an object of the state: {"id":"1.2.17","_action":"update",…}. Such a chain is no longer that of others.',
    run: (wallet, { update }) => debug(wallet, 'debug_update_object', update),
  }),
  dbg_make_uia: command({
    params: { creator: text, symbol: text },
    result: 'null',
    acts: true,
    help: 'Makes an asset with plain options.',
    run: async (wallet, { creator, symbol }) => {
      const core = wallet.chain.coreAssetAt((await wallet.chain.dynamic()).time);
      const { options } = await wallet.chain.assetById(core);
      const rate = { base: makeAsset(1n, core), quote: makeAsset(1n, core + 1) };
      await assetCommands.create_asset.run(wallet, {
        issuer: creator,
        symbol,
        precision: 2,
        options: { ...options, flags: 0, issuer_permissions: 0, core_exchange_rate: rate, description: '' },
        fee_asset_symbol: `1.3.${core}`,
        broadcast: true,
      });
      return null;
    },
  }),
  flood_create_account: command({
    params: { account_prefix: text, number_of_accounts: u32 },
    result: 'null',
    acts: true,
    help: 'Registers accounts prefix0, prefix1, … by init0. The name of each is its brain key: they are for trials alone.',
    run: async (wallet, { account_prefix, number_of_accounts }) => {
      await floodAccounts(wallet, account_prefix, number_of_accounts);
      return null;
    },
  }),
  flood_transfer: command({
    params: { from_account: text, account_prefix: text, number_of_accounts: u32, number_of_loops: u32 },
    result: 'null',
    acts: true,
    help: 'Pays one unit to each of prefix0, prefix1, …, so many times.',
    run: async (wallet, { from_account, account_prefix, number_of_accounts, number_of_loops }) => {
      await floodTransfers(wallet, from_account, account_prefix, number_of_accounts, number_of_loops);
      return null;
    },
  }),
  flood_network: command({
    params: { account_prefix: text, number_of_transactions: u32 },
    result: 'null',
    acts: true,
    help: 'So many transactions: a third of them registers accounts, the others pay them.',
    run: async (wallet, { account_prefix, number_of_transactions }) => {
      const accounts = Math.floor(number_of_transactions / 3);
      await floodAccounts(wallet, account_prefix, accounts);
      await floodTransfers(wallet, REGISTRAR, account_prefix, accounts, 2);
      return null;
    },
  }),
  transfer_test: command({
    params: { from_account: accountId, to_account: accountId, times: u32 },
    result: 'null',
    acts: true,
    help: 'Pays one unit so many times, each with another expiry.',
    run: async (wallet, { from_account, to_account, times }) => {
      const dynamic = await wallet.chain.dynamic();
      const core = wallet.chain.coreAssetAt(dynamic.time);
      const members = { from: from_account, to: to_account, amount: makeAsset(UNIT, core) };
      const priced = await wallet.transactions.price([operationOf(transferOperation, members)]);
      const signers = await wallet.chain.signersOf(emptyTransaction(priced), (key) => wallet.ring.has(key));
      for (let n = 0; n < times; n++) {
        const expiration = dynamic.time + TRIAL_LIFETIME_SEC + n;
        const tx = { ...emptyTransaction(priced), ...tapos(dynamic.head_block_id), expiration };
        await wallet.transactions.broadcast(wallet.transactions.signWith(tx, signers));
      }
      return null;
    },
  }),
  get_tps: command({
    params: {},
    result: 'null',
    help: 'Tells every three seconds how many transactions a second the last blocks had, to the log. For a minute.',
    run: async (wallet) => {
      let before = (await wallet.chain.dynamic()).head_block_number;
      for (let n = 0; n < TPS_TIMES; n++) {
        await pause(TPS_EVERY_MS);
        const head = (await wallet.chain.dynamic()).head_block_number;
        const found = head > before ? await rate(wallet, before, head) : undefined;
        wallet.world.log.warn('tps', found === undefined ? { tps: 0 } : found);
        before = head;
      }
      return null;
    },
  }),
} satisfies CommandTable;
