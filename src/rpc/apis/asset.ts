import { array } from '../../codec/containers.js';
import { i64, share, text } from '../../codec/scalars.js';
import { struct } from '../../codec/struct.js';
import type { ValueOf } from '../../codec/type.js';
import { accountId, assetId, type Instance } from '../../protocol/ids.js';
import { accountObject } from '../../state/objects/account.js';
import { accountBalanceObject } from '../../state/objects/account-balance.js';
import { assetObject } from '../../state/objects/asset.js';
import { api, method } from '../define.js';
import { eachObject } from '../objects/walk.js';
import { sortInPieces } from '../pieces/pieces.js';

const holder = struct('account_asset_balance', { name: text, account_id: accountId, amount: share });
const holdersCount = struct('asset_holders', { asset_id: assetId, count: i64 });

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
      *run({ node }, { asset_id }) {
        const out: ValueOf<typeof holder>[] = [];
        yield* eachObject(node.chain, accountBalanceObject, ({ owner, asset_type, balance }) => {
          if (asset_type !== asset_id || balance === 0n) return;
          const name = node.chain.state.find(accountObject, owner)?.name ?? '';
          out.push({ name, account_id: owner, amount: balance });
        });
        return yield* sortInPieces(out, (a, b) =>
          a.amount === b.amount ? a.account_id - b.account_id : a.amount > b.amount ? -1 : 1,
        );
      },
    }),
    get_asset_holders_count: method({
      about: 'Number of balance records of the asset, less one.',
      params: { asset_id: assetId },
      result: i64,
      waits: true,
      *run({ node }, { asset_id }) {
        let count = 0;
        yield* eachObject(node.chain, accountBalanceObject, ({ asset_type }) => {
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
      *run({ node }) {
        const counts = new Map<Instance, number>();
        yield* eachObject(
          node.chain,
          accountBalanceObject,
          ({ asset_type }) => void counts.set(asset_type, (counts.get(asset_type) ?? 0) + 1),
        );
        return [...node.chain.state.all(assetObject)].map(({ id }) => ({
          asset_id: id,
          count: lessOne(counts.get(id) ?? 0),
        }));
      },
    }),
  },
});
