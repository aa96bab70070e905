import { array } from '../../codec/containers.js';
import { i64, share, text } from '../../codec/scalars.js';
import { struct } from '../../codec/struct.js';
import type { ValueOf } from '../../codec/type.js';
import { accountId, assetId, type Instance } from '../../protocol/ids.js';
import { accountObject } from '../../state/objects/account.js';
import { accountBalanceObject } from '../../state/objects/account-balance.js';
import { assetObject } from '../../state/objects/asset.js';
import { api, method } from '../define.js';
import { eachObject, eachOfGroup } from '../objects/walk.js';
import { sortInPieces } from '../pieces/pieces.js';
import type { ChainPort } from '../ports.js';

const holder = struct('account_asset_balance', { name: text, account_id: accountId, amount: share });
const holdersCount = struct('asset_holders', { asset_id: assetId, count: i64 });

/** The family counts one less, and so -1 where nobody ever held the asset. */
function holderCount({ state }: ChainPort, asset: Instance): bigint {
  return BigInt(state.groupSize(accountBalanceObject.by.asset, asset) - 1);
}

export const assetApi = api({
  name: 'asset',
  about: 'Who holds which asset.',
  methods: {
    get_asset_holders: method({
      about: 'Accounts with a balance of the asset, the highest first.',
      params: { asset_id: assetId },
      result: array(holder),
      waits: true,
      *run({ node }, { asset_id }) {
        const out: ValueOf<typeof holder>[] = [];
        yield* eachOfGroup(node.chain, accountBalanceObject.by.asset, asset_id, ({ owner, balance }) => {
          if (balance === 0n) return;
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
      run: ({ node }, { asset_id }) => holderCount(node.chain, asset_id),
    }),
    get_all_asset_holders: method({
      about: 'Number of balance records of every asset, less one each.',
      params: {},
      result: array(holdersCount),
      waits: true,
      *run({ node }) {
        const out: ValueOf<typeof holdersCount>[] = [];
        yield* eachObject(node.chain, assetObject, ({ id }) => {
          out.push({ asset_id: id, count: holderCount(node.chain, id) });
        });
        return out;
      },
    }),
  },
});
