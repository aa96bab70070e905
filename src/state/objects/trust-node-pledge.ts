import { struct } from '../../codec/struct.js';
import { asset } from '../../protocol/asset.js';
import { accountId } from '../../protocol/ids.js';
import { defineObject, type ObjectOf, unique } from '../define.js';

export const trustNodePledgeObject = defineObject(
  {
    name: 'trust_node_pledge',
    space: 1,
    type: 26,
    keep: 'sparse',
    schema: struct('trust_node_pledge_object', { owner_account: accountId, amount: asset }),
  },
  { owner: unique((pledge) => pledge.owner_account) },
);
export type TrustNodePledgeObject = ObjectOf<typeof trustNodePledgeObject>;
