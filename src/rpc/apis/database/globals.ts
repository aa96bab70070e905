import * as declared from '../../../api/chain.js';
import { check, defineErrors } from '../../../base/errors.js';
import { accountObject } from '../../../state/objects/account.js';
import { assetObject } from '../../../state/objects/asset.js';
import { chainPropertyObject } from '../../../state/objects/chain-property.js';
import { dynamicGlobalPropertyObject } from '../../../state/objects/dynamic-global-property.js';
import { globalPropertyObject } from '../../../state/objects/global-property.js';
import { transactionObject } from '../../../state/objects/transaction.js';
import { commissionParameters } from '../../../state/rules/parameters.js';
import { implement } from '../../define.js';
import { chainConstants } from './config.js';

export const GLOBAL_API_ERRORS = defineErrors({
  snapshots_off: { kind: 'limit', text: 'this node was started without --state-snapshots-dir' },
});

const PARTICIPATION_UNIT = 10_000;
const PARTICIPATION_SLOTS = 128;

function bitsSet(value: bigint): number {
  let count = 0;
  for (let rest = value; rest > 0n; rest &= rest - 1n) count++;
  return count;
}

export const globalMethods = implement(declared.globalMethods, {
  get_chain_properties: ({ node }) => node.chain.state.single(chainPropertyObject),
  get_global_properties: ({ node }) => node.chain.state.single(globalPropertyObject),
  get_commission_percent: ({ node }) => commissionParameters(node.chain.state),
  get_config: ({ node }) => chainConstants(node.chain.state.network),
  get_chain_id: ({ node }) => node.chain.chainId,
  get_dynamic_global_properties: ({ node }) => node.chain.state.single(dynamicGlobalPropertyObject),
});

export const countMethods = implement(declared.countMethods, {
  get_transaction_count: ({ node }) => Math.max(0, node.chain.state.nextInstance(transactionObject) - 1),
  get_account_count: ({ node }) => node.chain.state.count(accountObject),
  get_asset_count: ({ node }) => node.chain.state.count(assetObject),
});

export const snapshotMethods = implement(declared.snapshotMethods, {
  create_snapshot: ({ node }) => {
    check(node.snapshots !== undefined, GLOBAL_API_ERRORS.snapshots_off);
    return node.snapshots.create();
  },
  copy_state: ({ node }) => {
    check(node.snapshots !== undefined, GLOBAL_API_ERRORS.snapshots_off);
    return node.snapshots.copy();
  },
});

export const testMethods = implement(declared.testMethods, {
  get_test: () => 100,
});

export const participationMethods = implement(declared.participationMethods, {
  get_witness_participation_rate: ({ node }) => {
    const filled = node.chain.state.single(dynamicGlobalPropertyObject).recent_slots_filled;
    return Math.floor((PARTICIPATION_UNIT * bitsSet(filled)) / PARTICIPATION_SLOTS);
  },
});
