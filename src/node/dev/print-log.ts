import { harmless, harmlessLines } from '../../base/harmless.js';
import type { Cancel, Logger } from '../../base/world.js';
import type { Chain } from '../../chain/chain.js';
import type { ContractTraces, Printed } from './contract-traces.js';

/**
 * What contracts print on a development chain is in its log: once, when a block has the call or when it is refused, and
 * not for each of the runs in between.
 */
export function logPrints(chain: Chain, traces: ContractTraces, log: Logger): Cancel {
  const tell = ({ contract, action, prints }: Printed): void => {
    for (const line of harmlessLines(prints)) log.info('contract prints', { contract, action, line });
  };
  traces.onFailed = ({ contract, action, reason, printed }) => {
    printed.forEach(tell);
    log.info('contract call refused', { contract, action, reason: harmless(reason) });
  };
  const unsubscribe = chain.blocks.subscribe((event) => {
    if (event.kind !== 'applied') return;
    for (const id of event.block.transactionIds) traces.printsOf(id).forEach(tell);
  });
  return () => {
    unsubscribe();
    traces.onFailed = () => undefined;
  };
}
