import { array } from '../../codec/containers.js';
import { i64, share, text } from '../../codec/scalars.js';
import { struct } from '../../codec/struct.js';
import type { ValueOf } from '../../codec/type.js';
import { accountId, assetId, type Instance } from '../../protocol/ids.js';
import { accountObject } from '../../state/objects/account.js';
import { type AccountBalanceObject, accountBalanceObject } from '../../state/objects/account-balance.js';
import { assetObject } from '../../state/objects/asset.js';
import { api, method } from '../define.js';
import type { ChainPort } from '../ports.js';

const holder = struct('account_asset_balance', { name: text, account_id: accountId, amount: share });
const holdersCount = struct('asset_holders', { asset_id: assetId, count: i64 });

/** Balance rows looked at before other work gets its turn. The rows stay for ever, so a walk by id misses none. */
const YIELD_ROWS = 20_000;

async function eachBalance(chain: ChainPort, visit: (row: Readonly<AccountBalanceObject>) => void): Promise<void> {
  for (let id = 0; id < chain.state.nextInstance(accountBalanceObject); id++) {
    if (id > 0 && id % YIELD_ROWS === 0) await new Promise(setImmediate);
    const row = chain.state.find(accountBalanceObject, id);
    if (row !== undefined) visit(row);
  }
}

/** The family counts one less, and so -1 where nobody ever held the asset. */
function lessOne(count: number): bigint {
  return BigInt(count - 1);
}

export const assetApi = api({
  name: 'asset',
  about: 'Who holds which asset. These look at every balance of the chain; the node works on meanwhile.',
  methods: {
    get_asset_holders: method({
      about: 'Accounts with a balance of the asset, the highest first.',
      params: { asset_id: assetId },
      result: array(holder),
      waits: true,
      run: async ({ node }, { asset_id }) => {
        const out: ValueOf<typeof holder>[] = [];
        await eachBalance(node.chain, ({ owner, asset_type, balance }) => {
          if (asset_type !== asset_id || balance === 0n) return;
          const name = node.chain.state.find(accountObject, owner)?.name ?? '';
          out.push({ name, account_id: owner, amount: balance });
        });
        return out.sort((a, b) => (a.amount === b.amount ? a.account_id - b.account_id : a.amount > b.amount ? -1 : 1));
      },
    }),
    get_asset_holders_count: method({
      about: 'Number of balance records of the asset, less one.',
      params: { asset_id: assetId },
      result: i64,
      waits: true,
      run: async ({ node }, { asset_id }) => {
        let count = 0;
        await eachBalance(node.chain, ({ asset_type }) => {
          if (asset_type === asset_id) count++;
        });
        return lessOne(count);
      },
    }),
    get_all_asset_holders: method({
      about: 'Number of balance records of every asset, less one each.',
      params: {},
      result: array(holdersCount),
      waits: true,
      run: async ({ node }) => {
        const counts = new Map<Instance, number>();
        await eachBalance(node.chain, ({ asset_type }) => counts.set(asset_type, (counts.get(asset_type) ?? 0) + 1));
        return [...node.chain.state.all(assetObject)].map(({ id }) => ({
          asset_id: id,
          count: lessOne(counts.get(id) ?? 0),
        }));
      },
    }),
  },
});
