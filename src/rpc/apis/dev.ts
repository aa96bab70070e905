import * as declared from '../../api/dev.js';
import { check, defineErrors } from '../../base/errors.js';
import { implementApi, type RpcContext } from '../define.js';
import type { DevPort } from '../ports.js';
import { checkBlockCount } from './debug.js';

const CONTRACT_TRACES_MAX = 100;

export const DEV_API_ERRORS = defineErrors({
  dev_only: {
    kind: 'limit',
    text: 'this method is there on a development chain alone',
    hint: 'start the node with --dev, on a chain of your own',
  },
});

function dev({ node }: RpcContext): DevPort {
  check(node.dev !== undefined, DEV_API_ERRORS.dev_only);
  return node.dev;
}

export const devApi = implementApi(declared.devApi, {
  dev_mine: (context, { blocks, seconds_between }) => {
    const port = dev(context);
    checkBlockCount(blocks);
    return port.mine(blocks, seconds_between);
  },
  dev_setTime: (context, { time }) => dev(context).setTime(time),
  dev_increaseTime: (context, { seconds }) => dev(context).increaseTime(seconds),
  dev_setProducing: (context, { producing }) => dev(context).setProducing(producing),
  dev_faucet: (context, { account, amount }) => dev(context).faucet(account, amount),
  dev_pending: (context) => dev(context).pending(),
  dev_dropPending: (context) => dev(context).dropPending(),
  dev_snapshot: (context) => dev(context).snapshot(),
  dev_revert: (context, { snapshot }) => dev(context).revert(snapshot),
  dev_dropSnapshots: (context) => dev(context).dropSnapshots(),
  dev_dumpState: (context) => dev(context).dumpState(),
  dev_loadState: (context, { state }) => dev(context).loadState(state),
  dev_setBalance: (context, { account, asset, amount }) => dev(context).setBalance(account, asset, amount),
  dev_impersonate: (context, { account }) => dev(context).impersonate(account),
  dev_stopImpersonate: (context, { account }) => dev(context).stopImpersonate(account),
  dev_dropTransaction: (context, { id }) => dev(context).dropTransaction(id),
  dev_trace: (context, { id }) => dev(context).trace(id),
  dev_contractTraces: (context, { account, limit }) =>
    dev(context).contractTraces(account, Math.min(limit, CONTRACT_TRACES_MAX)),
  dev_status: (context) => dev(context).status(),
});
