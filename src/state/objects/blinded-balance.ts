import { struct } from '../../codec/struct.js';
import { authority } from '../../protocol/authority.js';
import { assetId } from '../../protocol/ids.js';
import { commitment } from '../../protocol/keys.js';
import { defineObject, type ObjectOf, unique } from '../define.js';

export const blindedBalanceObject = defineObject(
  {
    name: 'blinded_balance',
    space: 2,
    type: 10,
    keep: 'sparse',
    schema: struct('blinded_balance_object', { commitment, asset_id: assetId, owner: authority }),
  },
  { commitment: unique((balance) => balance.commitment) },
);
export type BlindedBalanceObject = ObjectOf<typeof blindedBalanceObject>;
