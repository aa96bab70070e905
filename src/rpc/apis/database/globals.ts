import { check, defineErrors } from '../../../base/errors.js';
import { text, u16, u32 } from '../../../codec/scalars.js';
import { struct } from '../../../codec/struct.js';
import { blockId, sha256Hash } from '../../../protocol/keys.js';
import { objectOf } from '../../../protocol/objects/declare.js';
import { accountObject } from '../../../state/objects/account.js';
import { assetObject } from '../../../state/objects/asset.js';
import { chainPropertyObject } from '../../../state/objects/chain-property.js';
import { dynamicGlobalPropertyObject } from '../../../state/objects/dynamic-global-property.js';
import { globalPropertyObject } from '../../../state/objects/global-property.js';
import { transactionObject } from '../../../state/objects/transaction.js';
import { commissionParameters } from '../../../state/rules/parameters.js';
import { method } from '../../define.js';
import { json } from '../../types.js';
import { chainConstants } from './config.js';

export const GLOBAL_API_ERRORS = defineErrors({
  snapshots_off: { kind: 'limit', text: 'this node was started without --state-snapshots-dir' },
});

const commission = struct('commission_percent', {
  league_data_market_commission_percent: u16,
  free_data_market_commission_percent: u16,
  commission_account: text,
  reserve_percent: u16,
});

const snapshot = struct('snapshot', { head_block_num: u32, head_block_id: blockId, snapshot_dir: text });

const PARTICIPATION_UNIT = 10_000;
const PARTICIPATION_SLOTS = 128;

function bitsSet(value: bigint): number {
  let count = 0;
  for (let rest = value; rest > 0n; rest &= rest - 1n) count++;
  return count;
}

export const globalMethods = {
  get_chain_properties: method({
    about: 'What is fixed for ever: chain id and immutable parameters.',
    params: {},
    result: objectOf(chainPropertyObject),
    run: ({ node }) => node.chain.state.single(chainPropertyObject),
  }),
  get_global_properties: method({
    about: 'Chain parameters, fees, active witnesses and committee members.',
    params: {},
    result: objectOf(globalPropertyObject),
    run: ({ node }) => node.chain.state.single(globalPropertyObject),
  }),
  get_commission_percent: method({
    about: 'Shares of the data market that go to the platform.',
    params: {},
    result: commission,
    run: ({ node }) => commissionParameters(node.chain.state),
  }),
  get_config: method({
    about: 'Constants of the chain family.',
    params: {},
    result: json,
    run: ({ node }) => chainConstants(node.chain.state.network),
  }),
  get_chain_id: method({
    about: 'Id of the chain: sha256 of its genesis file.',
    params: {},
    result: sha256Hash,
    run: ({ node }) => node.chain.chainId,
  }),
  get_dynamic_global_properties: method({
    about: 'What changes with every block: head, time, irreversible block.',
    params: {},
    result: objectOf(dynamicGlobalPropertyObject),
    run: ({ node }) => node.chain.state.single(dynamicGlobalPropertyObject),
  }),
};

export const countMethods = {
  get_transaction_count: method({
    about: 'Transactions that were ever accepted.',
    params: {},
    result: u32,
    run: ({ node }) => Math.max(0, node.chain.state.nextInstance(transactionObject) - 1),
  }),
  get_account_count: method({
    about: 'Number of accounts.',
    params: {},
    result: u32,
    run: ({ node }) => node.chain.state.count(accountObject),
  }),
  get_asset_count: method({
    about: 'Number of assets.',
    params: {},
    result: u32,
    run: ({ node }) => node.chain.state.count(assetObject),
  }),
};

export const snapshotMethods = {
  create_snapshot: method({
    about:
      'Writes the state at the head block into the snapshot directory while the node runs on. For the operator: over the socket in the data directory, from the node’s own machine, or as a user whose allowed_apis name create_snapshot.',
    forOperator: true,
    params: {},
    result: snapshot,
    waits: true,
    run: ({ node }) => {
      check(node.snapshots !== undefined, GLOBAL_API_ERRORS.snapshots_off);
      return node.snapshots.create();
    },
  }),
};

export const testMethods = {
  get_test: method({
    about: 'Always 100; to see whether the node answers.',
    params: {},
    result: u32,
    run: () => 100,
  }),
};

export const participationMethods = {
  get_witness_participation_rate: method({
    about: 'Share of the last 128 slots that have a block, of 10,000.',
    params: {},
    result: u32,
    run: ({ node }) => {
      const filled = node.chain.state.single(dynamicGlobalPropertyObject).recent_slots_filled;
      return Math.floor((PARTICIPATION_UNIT * bitsSet(filled)) / PARTICIPATION_SLOTS);
    },
  }),
};
