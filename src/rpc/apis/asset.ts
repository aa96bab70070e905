import type { holder, holdersCount } from '../../api/readers.js';
import * as declared from '../../api/readers.js';
import type { ValueOf } from '../../codec/type.js';
import { compareInstances, type Instance } from '../../protocol/ids.js';
import { accountObject } from '../../state/objects/account.js';
import { accountBalanceObject } from '../../state/objects/account-balance.js';
import { assetObject } from '../../state/objects/asset.js';
import { implementApi } from '../define.js';
import { eachObject, eachOfGroup } from '../objects/walk.js';
import { sortInPieces } from '../pieces/pieces.js';
import type { ChainPort } from '../ports.js';

/** The family counts one less, and so -1 where nobody ever held the asset. */
function holderCount({ state }: ChainPort, asset: Instance): bigint {
  return BigInt(state.groupSize(accountBalanceObject.by.asset, asset) - 1);
}

export const assetApi = implementApi(declared.assetApi, {
  *get_asset_holders({ node }, { asset_id }) {
    const out: ValueOf<typeof holder>[] = [];
    yield* eachOfGroup(node.chain, accountBalanceObject.by.asset, asset_id, ({ owner, balance }) => {
      if (balance === 0n) return;
      const name = node.chain.state.find(accountObject, owner)?.name ?? '';
      out.push({ name, account_id: owner, amount: balance });
    });
    return yield* sortInPieces(out, (a, b) =>
      a.amount === b.amount ? compareInstances(a.account_id, b.account_id) : a.amount > b.amount ? -1 : 1,
    );
  },
  get_asset_holders_count: ({ node }, { asset_id }) => holderCount(node.chain, asset_id),
  *get_all_asset_holders({ node }) {
    const out: ValueOf<typeof holdersCount>[] = [];
    yield* eachObject(node.chain, assetObject, ({ id }) => {
      out.push({ asset_id: id, count: holderCount(node.chain, id) });
    });
    return out;
  },
});
