import { AccountHistory } from '../../../plugins/account_history/history.js';
import { historyApi } from '../../../plugins/account_history/methods.js';
import { historySource } from '../../../plugins/account_history/source.js';
import type { ApiDef } from '../../../src/rpc/define.js';
import type { RpcPorts } from '../../../src/rpc/ports.js';
import { FollowedChain } from '../../support/followed-chain.js';
import { GOLDEN_LAST, goldenBlocks, goldenGenesis } from '../../support/golden.js';
import { emptyStore } from '../../support/plugin-store.js';
import { goldenPorts } from './golden-rpc.js';

export interface RecordedHistory {
  readonly chain: FollowedChain;
  readonly history: AccountHistory;
  readonly ports: RpcPorts;
  readonly apis: readonly ApiDef[];
  close(): Promise<void>;
}

/** The recorded chain up to a height with the history that the recorded node kept: 1000 operations per account. */
export async function recordedHistory(to: number = GOLDEN_LAST): Promise<RecordedHistory> {
  const chain = await FollowedChain.open(goldenGenesis());
  const options = { accounts: undefined, operationsMax: 1000, isPartial: true };
  const { chain: core } = chain.stored;
  const history = new AccountHistory(emptyStore(), options);
  const added = chain.host.add(history);
  chain.push([...goldenBlocks()], to);
  await added.caughtUp();
  const current = (): AccountHistory => {
    if (!added.hurry()) throw new Error('the history is not at the head');
    return history;
  };
  return {
    chain,
    history,
    ports: { ...goldenPorts(core), history: historySource(current) },
    apis: [historyApi(current)],
    close: () => chain.close(),
  };
}
